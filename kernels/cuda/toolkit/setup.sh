#!/usr/bin/env bash
# setup.sh FOLDER: what building with the tag cuda needs, on a machine without a GPU,
# below FOLDER: CUDA 11.8 headers, a libcuda to link with, NVRTC and nvrtcc, and a fake
# libcuda to run with. Installs nothing. The packages are Debian 12's, from non-free of
# the package sources that the machine has; they are fetched, never committed.
#
#	source FOLDER/env     has gcc find the headers and libcuda, and programs the rest
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
packages="nvidia-cuda-dev libnvrtc11.2 libnvrtc-builtins11.8"
lib=$root/usr/lib/x86_64-linux-gnu

# with_non_free FOLDER: this machine's own package sources, copied into FOLDER, where
# those that have the component main get non-free as well.
with_non_free() {
	local file etc=${APT_ETC:-/etc/apt}
	for file in "$etc"/sources.list "$etc"/sources.list.d/*.list; do
		[ -f "$file" ] || continue
		# deb [options] address suite component ...
		sed -E '/^[[:space:]]*deb[[:space:]].*[[:space:]]main([[:space:]]|$)/{
			s/[[:space:]]*#.*//
			/[[:space:]]non-free([[:space:]]|$)/!s/$/ non-free/
		}' "$file" >>"$1/$(basename "$file")"
	done
	for file in "$etc"/sources.list.d/*.sources; do
		[ -f "$file" ] || continue
		sed -E '/^[Cc]omponents:(.*[[:space:]])?main([[:space:]]|$)/{
			/[[:space:]]non-free([[:space:]]|$)/!s/$/ non-free/
		}' "$file" >"$1/$(basename "$file")"
	done
}

if [ ! -f "$root/usr/include/cuda.h" ]; then
	work=$root/download
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	rm -rf "$work/sources" && mkdir "$work/sources"
	with_non_free "$work/sources"
	apt="apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$work/sources
		-o Dir::State::Lists=$work/lists -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
	# shellcheck disable=SC2086  # lists of options and packages
	(cd "$work" && $apt update >log 2>&1 && $apt download $packages >>log 2>&1) ||
		{ cat "$work/log" >&2; echo "setup.sh: cannot fetch $packages from non-free of the sources in /etc/apt: want those of Debian 12" >&2; exit 1; }
	# The headers come first in the package: the rest, 2.8 GB, need not be unpacked.
	{ dpkg-deb --fsys-tarfile "$work"/nvidia-cuda-dev_*.deb 2>/dev/null || true; } | head -c 17000000 |
		tar -x -C "$work" ./usr/include 2>/dev/null || true
	grep -q 'define CUDA_VERSION 11080' "$work/usr/include/cuda.h" ||
		{ echo "setup.sh: cuda.h is not that of CUDA 11.8" >&2; exit 1; }
	dpkg -x "$work"/libnvrtc11.2_*.deb "$root"
	dpkg -x "$work"/libnvrtc-builtins11.8_*.deb "$root"
	mkdir -p "$root/usr"
	mv "$work/usr/include" "$root/usr/include"
	rm -rf "$work"
fi
ln -sf libnvrtc.so.11.2 "$lib/libnvrtc.so"
mkdir -p "$root/lib" "$root/fake" "$root/bin"

# Every function of the driver, to link with. They look the real ones up when a program
# starts and jump there, so that without a driver it starts too, and can say what is missing.
functions() {
	echo '#include <cuda.h>' | gcc -E -P -I"$root/usr/include" -x c - | tr '\n' ' ' |
		grep -oE 'CUresult +cu[A-Z][A-Za-z0-9_]* *\(' | grep -oE 'cu[A-Z][A-Za-z0-9_]*' | sort -u
}
{
	echo '#include <dlfcn.h>'
	echo '#define FUNCTIONS \'
	functions | sed 's/.*/  F(&) \\/'
	cat <<'END'

static int missing(void) { return 500; } // CUDA_ERROR_NOT_FOUND
#define F(name) __attribute__((used, visibility("hidden"))) void *efoc_##name = (void *)missing;
FUNCTIONS
#undef F
__attribute__((constructor)) static void find(void) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW), *f;
#define F(name) if (lib && (f = dlsym(lib, #name))) efoc_##name = f;
  FUNCTIONS
#undef F
}
#if defined __x86_64__
#define JUMP(name) "jmp *efoc_" name "(%rip)\n"
#elif defined __aarch64__
#define JUMP(name) "adrp x16, efoc_" name "\nldr x16, [x16, :lo12:efoc_" name "]\nbr x16\n"
#endif
#define F(name) asm(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(#name));
FUNCTIONS
END
} >"$root/lib/stub.c"
gcc -O1 -fPIC -c -o "$root/lib/stub.o" "$root/lib/stub.c"
rm -f "$root/lib/libcuda.so" "$root/lib/libcuda.a" # of earlier setups
ar rcs "$root/lib/libcuda.a" "$root/lib/stub.o"

# The fake has its own of some, which win over the weak ones.
functions | sed 's/.*/__attribute__((weak)) int &(void) { return 801; }/' >"$root/fake/rest.c"
gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -I"$root/usr/include" -o "$root/fake/libcuda.so.1" "$here/fakecuda.c" "$root/fake/rest.c"

gcc -O1 "$here/nvrtcc.c" -o "$root/bin/nvrtcc.bin" -L"$lib" -lnvrtc
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$lib" "$root/bin/nvrtcc.bin" >"$root/bin/nvrtcc"
chmod +x "$root/bin/nvrtcc"
cat >"$root/env" <<END
export CGO_ENABLED=1 C_INCLUDE_PATH="$root/usr/include" LIBRARY_PATH="$root/lib"
export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+\$LD_LIBRARY_PATH:}$lib" PATH="\$PATH:$root/bin"
END

"""Makes the distributions of the package, by PEP 517, with the standard library, git and Go alone.

A wheel carries the program, which Go compiles for the setting target, such as -C target=darwin/arm64, by default for this system.
-C program=FILE takes one that is compiled already, -C notices=FILE the licences of what it is linked with; -C version=1.2.3 names the release.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).parent
ROOT = HERE / "go" if (HERE / "go").exists() else HERE.parents[3]  # a source distribution has the module of Go below itself
LINUX = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"  # any: the program is static
PLATFORMS = {
    **{"linux/amd64": LINUX.format("x86_64"), "linux/arm64": LINUX.format("aarch64"), "windows/amd64": "win_amd64"},
    **{"darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64"},  # which Go asks for
}
Settings = Optional[dict[str, Any]]


def build_wheel(folder: str, settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Make a wheel and return its name."""
    given, (version, metadata) = settings or {}, _metadata(settings)
    target = given.get("target") or "/".join(subprocess.check_output(["go", "env", "GOOS", "GOARCH"], text=True).split())
    if target not in PLATFORMS:
        raise SystemExit(f"target {target}: want one of {', '.join(PLATFORMS)}")
    program = Path(given["program"]).read_bytes() if "program" in given else _compile(target, version)
    info, script = f"efoc-{version}.dist-info", "efoc.exe" if target.startswith("windows/") else "efoc"
    files = {f"efoc/{path.name}": path.read_bytes() for path in sorted((HERE / "efoc").glob("*.py")) + [HERE / "efoc/py.typed"]}
    files |= {f"efoc-{version}.data/scripts/{script}": program, f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes()}
    if "notices" in given:
        files[f"{info}/licenses/NOTICES"] = Path(given["notices"]).read_bytes()
    wheel = "\nTag: py3-none-".join(["Wheel-Version: 1.0\nGenerator: efoc\nRoot-Is-Purelib: false", *PLATFORMS[target].split(".")]) + "\n"
    files |= {f"{info}/METADATA": metadata, f"{info}/WHEEL": wheel.encode()}
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") for name, data in files.items()}
    record = "".join(f"{name},sha256={digests[name]},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"efoc-{version}-py3-none-{PLATFORMS[target]}.whl"
    with zipfile.ZipFile(Path(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980, so that the same files make the same wheel
            entry.external_attr = (0o100755 if data is program else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(folder: str, settings: Settings = None) -> str:
    """Make a source distribution, with the module of Go but for its tests, and return its name."""
    version, metadata = _metadata(settings)
    tracked = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    base, below = f"efoc-{version}", HERE.relative_to(ROOT).as_posix() + "/"
    with tarfile.open(Path(folder, base + ".tar.gz"), "w:gz") as archive:
        for name in tracked:
            if name == below + "PKG-INFO":
                entry = tarfile.TarInfo(f"{base}/PKG-INFO")
                entry.size = len(metadata)
                archive.addfile(entry, io.BytesIO(metadata))
            elif name.startswith(below):
                archive.add(ROOT / name, f"{base}/{name[len(below) :]}")
            elif not re.search(r"_test\.go$|(^|/)testdata/", name):
                archive.add(ROOT / name, f"{base}/go/{name}")
    return base + ".tar.gz"


def _metadata(settings: Settings) -> tuple[str, bytes]:
    """Return the version, which is that of PKG-INFO unless the settings name one, and PKG-INFO with it."""
    text = (HERE / "PKG-INFO").read_text("utf-8")
    version = str((settings or {}).get("version") or re.findall("(?m)^Version: (.*)$", text)[0]).removeprefix("v")
    if not re.fullmatch(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.dev\d+)?", version):
        raise SystemExit(f"version {version}: want one such as 1.2.3 or 1.2.3rc1")
    return version, re.sub("(?m)^Version: .*$", f"Version: {version}", text).encode()


def _compile(target: str, version: str) -> bytes:
    """Compile the program as the archives of a release have it."""
    environment = os.environ | {"CGO_ENABLED": "0"} | dict(zip(("GOOS", "GOARCH"), target.split("/")))
    with tempfile.TemporaryDirectory() as scratch:
        flags = ["-trimpath", "-buildvcs=false", f"-ldflags=-s -w -X main.version=v{version}", "-o", scratch]
        subprocess.run(["go", "build", *flags, "./cmd/efoc"], cwd=ROOT, env=environment, check=True)
        return next(Path(scratch).iterdir()).read_bytes()

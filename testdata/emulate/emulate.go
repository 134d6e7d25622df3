// Package emulate is a cuda.Driver without a GPU, for tests. It compiles the sources that a GPU
// runs with g++ and runs the threads of a block as fibers. It is slow. It finds wrong numbers, wrong arguments,
// what depends on the order of threads and blocks, which it draws by EFOC_SEED, accesses that are misaligned or
// outside of what was allocated, and reads of what nobody has written; and with Races those between threads.
package emulate

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed src
var sources embed.FS

// Driver is an emulated device: a separate process.
type Driver struct {
	folder  string
	program string
	process *exec.Cmd
	in      *bufio.Writer
	closer  io.Closer
	out     *bufio.Reader
	modules int
	races   bool
	// FreeBytes is the result of Memory.
	FreeBytes int64
	// Launches counts the kernels that ran, Allocated the bytes that are not freed.
	Launches, Allocated int
}

// New starts a device. It skips the test if there is no g++.
func New(tb testing.TB) *Driver {
	tb.Helper()
	return open(tb, false)
}

// Races starts a device that finds races, at a third of the speed: a launch that has one fails.
func Races(tb testing.TB) *Driver {
	tb.Helper()
	return open(tb, true)
}

func open(tb testing.TB, races bool) *Driver {
	tb.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		tb.Skip("emulating a GPU needs g++ on the path")
	}
	d := &Driver{folder: tb.TempDir(), races: races, FreeBytes: 1 << 32}
	headers, err := mutated(cuda.Headers(), os.Getenv(Mutant))
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string]string{"model.cuh": headers["model.cuh"]}
	for _, name := range []string{"emulate.h", "main.cpp", "race.cpp", "tensor.h", "tensor.cpp"} {
		text, err := sources.ReadFile("src/" + name)
		if err != nil {
			tb.Fatal(err)
		}
		files[name] = string(text)
	}
	for _, texts := range []map[string]string{headers, files} {
		for name, text := range texts {
			if err := os.WriteFile(filepath.Join(d.folder, name), []byte(text), 0o644); err != nil {
				tb.Fatal(err)
			}
		}
	}
	d.program, err = d.device(compiler, files)
	if err != nil {
		tb.Fatal(err)
	}
	if err := d.start(cmp.Or(os.Getenv("EFOC_SEED"), "1")); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.stop() })
	return d
}

// device returns the program that emulates, which every test needs: it is compiled once for all
// of them, and kept with the user's caches.
func (d *Driver) device(compiler string, files map[string]string) (string, error) {
	info, err := os.Stat(compiler)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, compiler, info.Size(), info.ModTime())
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%s %q\n", name, files[name])
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = d.folder
	}
	kept := filepath.Join(cache, "efoc-emulate", fmt.Sprintf("%x", hash.Sum(nil)))
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", err
	}
	own := fmt.Sprint(kept, ".", os.Getpid()) // other tests may compile it now, too
	if err := d.compile("-O1", "-rdynamic", "-pthread", "-I.", "-o", own, "main.cpp", "-ldl"); err != nil {
		return "", err
	}
	return kept, os.Rename(own, kept)
}

// compile runs g++ in the driver's folder.
func (d *Driver) compile(args ...string) error {
	c := exec.Command("g++", append([]string{"-std=c++17"}, args...)...)
	c.Dir = d.folder
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("g++: %w\n%s", err, out)
	}
	return nil
}

func (d *Driver) start(seed string) error {
	args := []string{seed}
	if d.races {
		args = append(args, "races")
	}
	d.process = exec.Command(d.program, args...)
	d.process.Stderr = os.Stderr
	in, err := d.process.StdinPipe()
	if err != nil {
		return err
	}
	out, err := d.process.StdoutPipe()
	if err != nil {
		return err
	}
	d.in, d.closer, d.out = bufio.NewWriter(in), in, bufio.NewReader(out)
	return d.process.Start()
}

// stop ends the process, if it runs.
func (d *Driver) stop() error {
	if d.process == nil {
		return nil
	}
	p := d.process
	d.process = nil
	return errors.Join(d.closer.Close(), p.Wait())
}

// send writes a command: bytes, texts with their length, and numbers.
func (d *Driver) send(command byte, parts ...any) {
	d.in.WriteByte(command) // an error stays with the writer until Flush
	for _, p := range parts {
		switch p := p.(type) {
		case []byte:
			d.in.Write(p)
		case string:
			binary.Write(d.in, binary.LittleEndian, uint64(len(p)))
			d.in.WriteString(p)
		default:
			binary.Write(d.in, binary.LittleEndian, p)
		}
	}
}

// receive sends what was written and reads a number.
func (d *Driver) receive() (x uint64, err error) {
	if err := d.in.Flush(); err != nil {
		return 0, err
	}
	err = binary.Read(d.out, binary.LittleEndian, &x)
	if err != nil {
		p := d.process
		d.process = nil
		err = fmt.Errorf("the emulated device has ended (%v): a kernel has accessed memory outside of what was allocated, or at an address that is not aligned", p.Wait())
	}
	return x, err
}

// done reads whether a command went well.
func (d *Driver) done() error {
	failed, err := d.receive()
	if err != nil || failed == 0 {
		return err
	}
	size, err := d.receive()
	if err != nil {
		return err
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(d.out, text); err != nil {
		return err
	}
	return errors.New(string(text))
}

// Enter does nothing: any thread may talk to the process.
func (d *Driver) Enter() error { return nil }

// Name describes the device.
func (d *Driver) Name() string { return "emulated device" }

// Multiprocessors is two.
func (d *Driver) Multiprocessors() int { return 2 }

// Memory returns FreeBytes.
func (d *Driver) Memory() (int64, error) { return d.FreeBytes, nil }

// Guards says that each part of a recording shall have an allocation of its own: accesses outside of it are found.
func (d *Driver) Guards() {}

// Alloc allocates.
func (d *Driver) Alloc(bytes int64) (cuda.Pointer, error) {
	d.send('a', uint64(bytes))
	p, err := d.receive()
	if err == nil && p == 0 {
		err = errors.New("out of memory")
	}
	d.Allocated++
	return cuda.Pointer(p), err
}

// Free frees.
func (d *Driver) Free(p cuda.Pointer) error {
	d.send('f', uint64(p))
	d.Allocated--
	return d.in.Flush()
}

// Write copies to the device.
func (d *Driver) Write(to cuda.Pointer, from []byte) error {
	d.send('w', uint64(to), uint64(len(from)), from)
	return d.in.Flush()
}

// Read copies from the device.
func (d *Driver) Read(to []byte, from cuda.Pointer) error {
	d.send('r', uint64(from), uint64(len(to)))
	if err := d.in.Flush(); err != nil {
		return err
	}
	_, err := io.ReadFull(d.out, to)
	return err
}

// module is the number of a loaded library; it stays loaded.
type module int

func (module) Unload() error { return nil }

// Load compiles a module with g++.
func (d *Driver) Load(s cuda.Source) (cuda.Module, error) {
	d.modules++
	name := fmt.Sprintf("module%d", d.modules)
	if err := os.WriteFile(filepath.Join(d.folder, name+".cu"), []byte(s.Text), 0o644); err != nil {
		return nil, err
	}
	flags := []string{"-fsanitize=alignment,bounds,shift,signed-integer-overflow,integer-divide-by-zero", "-fsanitize-undefined-trap-on-error"}
	if d.races {
		flags = []string{"-g", "-fsanitize=thread", "--param", "tsan-distinguish-volatile=1"}
	}
	object := name + ".o"
	err := d.compile(append(flags, "-O0", "-fPIC", "-c", "-include", "emulate.h", "-I.", "-x", "c++", name+".cu", "-o", object)...)
	if err == nil {
		err = d.compile("-shared", object, "-o", name+".so") // without the sanitizers' libraries
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	d.send('m', filepath.Join(d.folder, name+".so"))
	return module(d.modules - 1), d.done()
}

// Resident is four.
func (d *Driver) Resident(cuda.Module, cuda.Launch) (int, error) {
	return 4, nil
}

// Record keeps a sequence.
func (d *Driver) Record(s cuda.Sequence) (cuda.Recording, error) {
	return &recording{driver: d, Sequence: s, in: make([]byte, s.ToBytes), out: make([]byte, s.FromBytes)}, nil
}

// Close ends the process.
func (d *Driver) Close() error { return d.stop() }

type recording struct {
	driver *Driver
	cuda.Sequence
	in, out []byte
	replays int
}

func (r *recording) In() []byte   { return r.in }
func (r *recording) Out() []byte  { return r.out }
func (r *recording) Close() error { return nil }

// Replay runs the kernels in order, and every other time those that are Beside the others first.
func (r *recording) Replay() error {
	d := r.driver
	if err := d.Write(r.To, r.in); err != nil {
		return err
	}
	launches := slices.Clone(r.Launches)
	if r.replays%2 == 1 {
		slices.SortStableFunc(launches, func(a, b cuda.Launch) int { return cmp.Compare(besideFirst(a), besideFirst(b)) })
	}
	r.replays++
	for _, l := range launches {
		cooperative := uint64(0)
		if l.Cooperative {
			cooperative = 1
		}
		own := r.Module
		if l.Module != nil {
			own = l.Module
		}
		d.send('l', uint64(own.(module)), l.Kernel, uint64(l.Grid[0]), uint64(l.Grid[1]), uint64(l.Grid[2]), uint64(l.Threads), uint64(l.Shared), cooperative,
			string(r.Model), string(r.Run), uint64(l.Argument))
		if err := d.done(); err != nil {
			return fmt.Errorf("launch %s: %w", l.Kernel, err)
		}
		d.Launches++
	}
	return d.Read(r.out, r.From)
}

func besideFirst(l cuda.Launch) int {
	if l.Beside {
		return 0
	}
	return 1
}

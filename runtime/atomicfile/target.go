package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// maxBase bounds the bytes of the target's name in a temporary name; most systems allow 255 in
// all.
const maxBase = 200

type target struct {
	// path is the caller's path, real the path it leads to, folder the folder of real.
	path, real, folder string
	// info describes the existing file, nil if there is none.
	info fs.FileInfo
}

// find looks at path, behind symbolic links, and reports anything there that cannot be replaced by a
// file. The target says the path even with an error.
func find(path string) (t *target, err error) {
	t = &target{path: path, real: path}
	if path == "" {
		return t, errors.New("the name is empty")
	}
	t.info, err = os.Stat(path)
	if !t.streams() {
		t.real, err = Follow(path)
	}
	t.folder = filepath.Dir(t.real)
	switch {
	case t.info == nil:
		if wrong := checkFolder(t.folder); wrong != nil {
			return t, wrong
		}
		return t, system(err)
	case err != nil || t.streams():
		return t, system(err)
	}
	switch mode := t.info.Mode(); {
	case mode.IsDir():
		return t, errors.New("it is a folder: name a file")
	case !mode.IsRegular():
		return t, errors.New("it is a disk or another device: name a file, or a new one")
	case mode.Perm()&0o222 == 0:
		return t, errors.New("it is read-only: make it writable, or name another file")
	}
	// The mode is not everything: there are owners, access-control lists and flags.
	f, err := os.OpenFile(t.real, os.O_WRONLY, 0)
	if err != nil {
		return t, system(err)
	}
	return t, f.Close()
}

// streams reports whether the output goes on to someone, such as a terminal or a program behind a
// pipe, or into a file that is open already, so that there is nothing to be kept whole.
func (t *target) streams() bool {
	_, open := inherited(t.path)
	return open || t.info != nil && t.info.Mode()&(fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}

func checkFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist: make it, or name another one", path)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a folder: name another one", path)
	}
	return nil // what else is wrong shows when it is used
}

// Follow follows symbolic links to a file or folder that need not be there yet.
func Follow(path string) (string, error) {
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(path)
	case err != nil:
		return path, err
	}
	return filepath.EvalSymlinks(path)
}

// missing returns where a file is to be made. Symbolic links before the last part of the path are
// resolved first: behind one, .. is another folder than the text says.
func missing(path string) (string, error) {
	folder, base := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(folder); err == nil && folder != "" {
		folder = resolved
	}
	path = filepath.Join(folder, base)
	to, err := os.Readlink(path)
	switch {
	case err != nil:
		return path, nil
	case filepath.IsAbs(to):
		return missing(to)
	}
	return missing(folder + string(filepath.Separator) + to)
}

// base is the part of the temporary names that says what they belong to: the
// name of the target, cut where it would leave no room for the rest.
func (t *target) base() string {
	base := filepath.Base(t.real)
	return base[:min(len(base), maxBase)]
}

// temporary returns a name beside the target that is almost certainly free.
func (t *target) temporary() string {
	return filepath.Join(t.folder, fmt.Sprintf(".%s.%08x.tmp", t.base(), rand.Uint32()))
}

// RemoveLeftovers removes the temporary files that killed runs left when they wrote the file at
// path, which is no symbolic link. Write does so too; it is for files that may not be written
// again for long.
func RemoveLeftovers(path string) {
	t := &target{path: path, real: path, folder: filepath.Dir(path)}
	t.removeLeftovers()
}

// removeLeftovers removes the temporary files of killed runs. What cannot be removed is left to the
// next run.
func (t *target) removeLeftovers() {
	mine := regexp.MustCompile(`^\.` + regexp.QuoteMeta(t.base()) + `\.[0-9a-f]{8}\.tmp$`)
	entries, _ := os.ReadDir(t.folder)
	for _, e := range entries {
		if mine.MatchString(e.Name()) && e.Type().IsRegular() {
			removeLeftover(filepath.Join(t.folder, e.Name()))
		}
	}
}

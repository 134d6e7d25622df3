package cli

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/runtime/facts"
)

// namedFile is a file or folder that a command reads or writes.
type namedFile struct {
	// value is the flag or argument that names it, nil for a standard stream.
	value      *kong.Value
	name, path string
	info       fs.FileInfo // nil if it is not there
}

func (f namedFile) String() string { return strings.TrimSpace(f.name + " " + f.path) }

// CheckApart reports a file that the command would both read and write, or write for two purposes, under any name or
// link, and an output file - of a command that cannot write to standard output. Three tags of flags and arguments mark these files:
//
//	in      the command reads it; of a folder, the data in it. "folder": also the data beside it.
//	        "model": --output may replace it.
//	out     the command writes it. The value is a list of patterns, in which * is the path, and
//	        % the path without its extension.
//	stdout  the path - means standard output.
//
// Every command counts as reading standard input and writing standard output.
func CheckApart(command *kong.Context, stdin io.Reader, stdout io.Writer) error {
	for _, f := range command.Flags() {
		if f.Tag.Has("out") && !f.Tag.Has("stdout") && f.Target.String() == "-" {
			return Usagef("--%s -: the command cannot write this to standard output: name a file; ./- is one of this name", f.Name)
		}
	}
	ins, outs := namedFiles(command)
	for i, out := range outs {
		if at := slices.IndexFunc(outs[:i], out.same); at >= 0 {
			return Usagef("%s is the file of %s too: name another one", out, outs[at])
		}
	}
	if f, ok := stdin.(*os.File); ok {
		info, _ := f.Stat()
		ins = append(ins, namedFile{name: "standard input", info: info})
	}
	if f, ok := stdout.(*os.File); ok {
		info, _ := f.Stat()
		outs = append(outs, namedFile{name: "standard output", info: info})
	}
	for _, out := range outs {
		if out.info == nil || !out.info.Mode().IsRegular() {
			continue
		}
		for _, in := range ins {
			if in.value != nil && (in.value == out.value || in.value.Tag.Get("in") == "model" && out.value != nil && out.value.Name == "output") {
				continue
			}
			if file, ok := in.holds(out); ok {
				return Usagef("%s would replace %s, which is read: name another file", out, file)
			}
		}
	}
	return nil
}

// namedFiles returns the files that the flags and arguments of a command name.
func namedFiles(command *kong.Context) (ins, outs []namedFile) {
	values := slices.Clone(command.Selected().Positional)
	for _, f := range command.Flags() {
		values = append(values, f.Value)
	}
	for _, v := range values {
		for _, p := range pathsOf(v) {
			if v.Tag.Has("in") {
				ins = append(ins, newNamedFile(v, "*", p))
			}
			if v.Tag.Has("out") {
				for pattern := range strings.SplitSeq(v.Tag.Get("out"), ",") {
					outs = append(outs, newNamedFile(v, pattern, p))
				}
			}
		}
	}
	return ins, outs
}

// pathsOf returns the paths in a flag or an argument.
func pathsOf(v *kong.Value) (paths []string) {
	switch x := v.Target.Interface().(type) {
	case string:
		paths = []string{x}
	case []string:
		paths = slices.Clone(x)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return p == "" || p == "-" })
}

// newNamedFile returns the file of a pattern.
func newNamedFile(v *kong.Value, pattern, path string) namedFile {
	f := namedFile{value: v, name: strings.ToUpper(v.Name), path: Beside(path, pattern)}
	if v.Flag != nil {
		f.name = "--" + v.Name
	}
	if f.path != path {
		f.name = "the file beside " + f.name + ","
	}
	f.info, _ = os.Stat(f.path) // an error is reported on opening
	return f
}

// Beside returns a path made from a pattern.
func Beside(path, pattern string) string {
	if pattern == "*.journal" {
		return facts.JournalPath(path)
	}
	if suffix, ok := strings.CutPrefix(pattern, "%"); ok {
		return strings.TrimSuffix(path, filepath.Ext(path)) + suffix
	}
	return path + strings.TrimPrefix(pattern, "*")
}

// same reports whether two paths mean the same file, which need not exist yet. Special files such as /dev/null never
// conflict.
func (f namedFile) same(g namedFile) bool {
	if f.info != nil && g.info != nil {
		return f.info.Mode().IsRegular() && os.SameFile(f.info, g.info)
	}
	return f.path != "" && g.path != "" && realPath(f.path) == realPath(g.path)
}

// realPath returns the path of a file in its folder with links resolved.
func realPath(path string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, filepath.Base(path))
}

// holds reports whether an input is the file, or a folder with the file as data, and which file that is.
func (f namedFile) holds(file namedFile) (namedFile, bool) {
	if f.same(file) {
		return f, true
	}
	folder := f.path
	switch {
	case f.info == nil || f.value == nil:
		return f, false
	case f.info.IsDir():
	case f.value.Tag.Get("in") == "folder":
		folder = filepath.Dir(f.path)
	default:
		return f, false
	}
	entries, _ := os.ReadDir(folder) // an unreadable folder is reported later
	for _, e := range entries {
		if isData(e.Name()) {
			f.path = filepath.Join(folder, e.Name())
			f.info, _ = os.Stat(f.path)
			if f.info != nil && f.same(file) {
				return f, true
			}
		}
	}
	return f, false
}

// dataNames are the names of the files read from a folder as a graph, queries, embeddings or shards. A report or a
// model in such a folder may be replaced.
var dataNames = []string{
	"*.tsv", "*.txt", "*.nt", "*.ttl", "*.nq", "*.del", "*.dict", "*.pkl", "*qaa.json", "qa[cr]_*.json", "kgindex.json",
	"train.csv", "valid.csv", "test.csv", "heldout.csv", "head.efoc", "shard-*.efoc",
}

// isData reports whether a file of that name may be read from a folder.
func isData(name string) bool {
	for _, end := range []string{".gz", ".zst", ".bz2"} {
		name = strings.TrimSuffix(name, end)
	}
	return slices.ContainsFunc(dataNames, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
}

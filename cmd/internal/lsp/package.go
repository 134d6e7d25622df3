package lsp

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/regularfile"
)

// extension is the extension of files of templates.
const extension = ".efo"

// others returns the other files of a document's package, sorted by name: with the editor's text if they are open,
// otherwise as on disk. There are none without a package clause.
func (s *session) others(d *document) (list []*document) {
	name := d.parsed().file.Package
	if name == "" {
		return nil
	}
	files := s.shown(d.folder)
	for _, saved := range savedIn(d.folder) {
		if files[saved.name] == nil {
			files[saved.name] = saved
		}
	}
	delete(files, d.name)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if other := files[file]; other.parsed().file.Package == name {
			list = append(list, other)
		}
	}
	return list
}

// shown returns the open .efo files of a folder, by their names.
func (s *session) shown(folder string) map[string]*document {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := map[string]*document{}
	for _, d := range s.documents {
		if d.folder == folder && filepath.Ext(d.name) == extension {
			files[d.name] = d
		}
	}
	return files
}

// savedIn reads the .efo files of a folder. An unreadable file declares nothing.
func savedIn(folder string) (list []*document) {
	path, ok := directory(folder)
	if !ok {
		return nil
	}
	entries, _ := os.ReadDir(path)
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != extension {
			continue
		}
		text, err := regularfile.Read(filepath.Join(path, name), limits.FileBytes)
		if err == nil {
			list = append(list, newDocument(folder+url.PathEscape(name), 0, string(text)))
		}
	}
	return list
}

// directory returns the path of a folder on disk, if it exists.
func directory(folder string) (string, bool) {
	place, err := url.Parse(folder)
	if err != nil || place.Scheme != "file" {
		return "", false
	}
	if name := strings.TrimPrefix(place.Path, "/"); filepath.VolumeName(name) != "" {
		return filepath.FromSlash(name), true
	}
	return filepath.FromSlash(place.Path), true
}

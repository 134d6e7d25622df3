package lsp

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/regularfile"
)

// outline is what other files of a package need to know of a document.
type outline struct {
	// file and mistakes are what the document is by itself.
	file     *lang.File
	mistakes error
	// templates are those that it declares, and names those that it uses, or may use of other files.
	templates, names []string
}

func newOutline(d *document) (o outline) {
	o.file, o.mistakes = lang.ParseFile(d.name, []byte(d.text))
	if o.file == nil {
		o.file = &lang.File{}
	}

	for _, q := range o.file.Queries {
		o.templates = append(o.templates, q.Name)
	}
	for _, r := range o.file.Refused {
		o.templates = append(o.templates, r.Name)
	}

	for _, u := range o.file.Uses() {
		if u.Kind == ast.RelationUse || u.Kind == ast.TemplateUse && u.Pos != u.Decl {
			o.names = append(o.names, u.Name)
		}
	}
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	return o
}

// packageFiles are the documents of a folder that have the same package clause.
type packageFiles struct {
	documents []*document
	place     map[*document]int      // in the list
	declaring map[string][]*document // by the names of templates
}

// packageOf returns the files of a document's package, none without a package clause.
func (s *session) packageOf(d *document) *packageFiles {
	if name := d.outline().file.Package; name != "" {
		if p := packagesOf(s.files(d.folder))[name]; p != nil {
			return p
		}
	}
	return &packageFiles{}
}

// files returns the .efo files of a folder in the order of their names: as the editor shows them, or else
// as they are on the disk.
func (s *session) files(folder string) []*document {
	dir, ok := directory(folder)
	if !ok {
		return nil
	}

	s.mu.Lock()
	known := maps.Clone(s.saved[folder])
	all := map[string]*document{}
	for _, d := range s.documents {
		if d.folder == folder && filepath.Ext(d.name) == extension {
			all[d.name] = d
		}
	}
	s.mu.Unlock()

	saved := map[string]*document{}
	entries, _ := os.ReadDir(dir) // templates that cannot be read are unknown
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != extension || all[name] != nil {
			continue
		}
		text, err := regularfile.Read(filepath.Join(dir, name), limits.FileBytes)
		if err != nil {
			continue
		}
		d := known[name]
		if d == nil || d.text != string(text) {
			d = newDocument(folder+url.PathEscape(name), 0, string(text))
		}
		all[name] = d
		saved[name] = d
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved[folder] = saved
	var list []*document
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list
}

// extension is the extension of files of templates.
const extension = ".efo"

// directory returns the path of a folder on the disk, if it is there.
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

// packagesOf sorts documents by their package clauses.
func packagesOf(documents []*document) map[string]*packageFiles {
	packages := map[string]*packageFiles{}
	for _, d := range documents {
		o := d.outline()
		if o.file.Package == "" {
			continue
		}
		if packages[o.file.Package] == nil {
			packages[o.file.Package] = newPackageFiles()
		}
		packages[o.file.Package].add(d)
	}
	return packages
}

func newPackageFiles() *packageFiles {
	return &packageFiles{place: map[*document]int{}, declaring: map[string][]*document{}}
}

func (p *packageFiles) add(d *document) {
	p.place[d] = len(p.documents)
	p.documents = append(p.documents, d)
	for _, name := range d.outline().templates {
		p.declaring[name] = append(p.declaring[name], d)
	}
}

// othersWith returns the other documents of the package that have one of the names.
func (p *packageFiles) othersWith(d *document, names ...string) (list []*document) {
	for _, other := range p.documents {
		o := other.outline()
		has := func(name string) bool { return slices.Contains(o.templates, name) || slices.Contains(o.names, name) }
		if !other.same(d) && slices.ContainsFunc(names, has) {
			list = append(list, other)
		}
	}
	return list
}

// with returns the package with changed documents in place of its documents of the same URI.
func (p *packageFiles) with(changed map[string]*document) *packageFiles {
	after := newPackageFiles()
	for _, d := range p.documents {
		after.add(cmp.Or(changed[d.uri], d))
	}
	return after
}

// used returns the other documents of the package whose templates a document uses, directly or through
// other templates, in their order.
func (p *packageFiles) used(d *document) (used []*document) {
	seen := map[*document]bool{d: true}
	open := []*document{d}
	for len(open) > 0 {
		next := open[0]
		open = open[1:]
		for _, name := range next.outline().names {
			declaring := p.declaring[name]
			if len(declaring) == 0 || seen[declaring[0]] || slices.ContainsFunc(declaring, d.same) {
				continue
			}
			seen[declaring[0]] = true
			used = append(used, declaring[0])
			open = append(open, declaring[0])
		}
	}
	slices.SortFunc(used, func(a, b *document) int { return p.place[a] - p.place[b] })
	return used
}

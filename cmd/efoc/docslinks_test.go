package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	pageLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestDocumentedLinks checks that every relative link of the documentation leads to a file, and its
// fragment to a heading there.
func TestDocumentedLinks(t *testing.T) {
	pages, err := readDocs(root())
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages were found: %v", len(pages), err)
	}
	for _, p := range pages {
		file := filepath.Join(root(), p.Path)
		for _, m := range pageLink.FindAllStringSubmatch(readText(t, file), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, fragment, _ := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", p.Path, err)
			} else if fragment != "" && !slices.Contains(fragments(readText(t, target)), fragment) {
				t.Errorf("%s: %s has no heading #%s", p.Path, path, fragment)
			}
		}
	}
}

// fragments returns the names that GitHub gives to the headings of a page.
func fragments(text string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(name, " ", "-"))
	}
	return list
}

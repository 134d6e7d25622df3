package host

import (
	"path/filepath"
	"strings"
)

// FileName returns the name of the model's file, empty without a file.
func (s *Host) FileName() string {
	if s.File == "" {
		return ""
	}
	return filepath.Base(s.File)
}

// WithoutPaths removes the folder of the model's file from a message: no client learns a path on the server's disk.
func (s *Host) WithoutPaths(message string) string {
	if s.File == "" {
		return message
	}
	paths := []string{s.File}
	if whole, err := filepath.Abs(s.File); err == nil {
		paths = []string{whole, s.File}
	}
	for _, path := range paths {
		message = strings.ReplaceAll(message, path, filepath.Base(path))
		if dir := filepath.Dir(path) + string(filepath.Separator); len(dir) > 2 { // neither the root nor ./
			message = strings.ReplaceAll(message, dir, "")
		}
	}
	return message
}

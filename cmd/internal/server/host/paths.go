package host

import (
	"path/filepath"
	"strings"
)

// FileName returns the name of the model's file. It is empty where there is no file.
func (s *Host) FileName() string {
	if s.File == "" {
		return ""
	}
	return filepath.Base(s.File)
}

// WithoutPaths leaves the folder of the model's file out of a message: no client learns a path
// of the server's disk.
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

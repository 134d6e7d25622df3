package release

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// entry is a file that goes into an archive under a name.
type entry struct {
	from, name string
	mode       fs.FileMode
}

// made is the time of all files in archives, the earliest that zip knows, so that the same
// files give the same archive.
var made = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writeTar writes files into a compressed tar archive, in a folder.
func writeTar(to, folder string, entries []entry) error {
	return writeFile(to, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, e := range entries {
			text, err := os.ReadFile(e.from)
			if err != nil {
				return err
			}
			h := &tar.Header{Name: path.Join(folder, e.name), Mode: int64(e.mode), Size: int64(len(text)), ModTime: made, Format: tar.FormatUSTAR}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if _, err := t.Write(text); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

// writeZip writes files into a zip archive, in a folder.
func writeZip(to, folder string, entries []entry) error {
	return writeFile(to, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range entries {
			text, err := os.ReadFile(e.from)
			if err != nil {
				return err
			}
			h := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: made}
			h.SetMode(e.mode)
			f, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := f.Write(text); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// writeFile writes a file.
func writeFile(to string, write func(io.Writer) error) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

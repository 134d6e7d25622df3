package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/regularfile"
)

// importer has the options of an import or of a dataset, and lists the files that were read.
type importer struct {
	options Options
	sources []model.Source
}

// hashBatch is the number of bytes between two checks of the context.
const hashBatch = 16 << 20

// addSource records a source file for the manifest.
func (im *importer) addSource(ctx context.Context, role, path string) error {
	f, _, err := regularfile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := model.Source{Role: role, File: filepath.Base(path)}
	digest := sha256.New()
	for err == nil {
		var n int64
		n, err = io.CopyN(digest, f, hashBatch)
		s.Bytes += n
		err = cmp.Or(ctx.Err(), err)
	}
	if err != io.EOF {
		return err
	}
	s.SHA256 = hex.EncodeToString(digest.Sum(nil))
	im.sources = append(im.sources, s)
	return nil
}

// readLines calls each with every nonempty line of the file at path, which may be compressed, and its number. It adds the file and
// line to errors, and records the file among the sources.
func (im *importer) readLines(ctx context.Context, path, role string, each func(n int, line []byte) error) error {
	text, _, done, err := openText(path)
	if err != nil {
		return err
	}
	defer done()
	err = scanText(ctx, path, text, each, im.options.lines)
	return cmp.Or(err, im.addSource(ctx, role, path))
}

// Package web holds the page of efoc serve: plain HTML, CSS and JavaScript, embedded into the program. The page loads
// nothing from other sites and calls the interface in openapi.yaml. Text from models and users becomes text nodes,
// never markup. static/dagre.js is a library of others, as published: TestVendored names its version.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
)

//go:embed index.html static
var files embed.FS

// policy allows a browser to run and load only the embedded files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page at / and its files below /static/.
func Handler() http.Handler {
	tag := `"` + digest() + `"`
	server := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		// The files change only with the program, so a browser revalidates them.
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		server.ServeHTTP(w, r)
	})
}

// digest returns a digest of all files.
func digest() string {
	sum := sha256.New()
	fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := files.ReadFile(path)
			sum.Write([]byte(path))
			sum.Write(text)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

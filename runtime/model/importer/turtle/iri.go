package turtle

import (
	"cmp"
	"regexp"
	"strings"
)

// reference is the five parts of an IRI reference (RFC 3986, appendix B), each with the
// mark that sets it off, or empty where it is missing.
type reference struct{ scheme, authority, path, query, fragment string }

var parts = regexp.MustCompile(`(?s)^([a-zA-Z][a-zA-Z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$`)

func split(iri string) reference {
	m := parts.FindStringSubmatch(iri) // which any text matches
	return reference{m[1], m[2], m[3], m[4], m[5]}
}

func (r reference) String() string { return r.scheme + r.authority + r.path + r.query + r.fragment }

// resolve returns the IRI that a reference stands for (RFC 3986, section 5.2.2). Without a
// base a relative reference stays as it is, and so does an IRI, which RDF compares by its
// characters.
func resolve(base, iri string) string {
	if base == "" {
		return iri
	}
	r := split(iri)
	if r.scheme != "" {
		return iri
	}
	b := split(base)
	switch {
	case r.authority != "":
		r.path = removeDots(r.path)
	case r.path == "":
		r.path = b.path
		if r.query == "" {
			r.query = b.query
		}
		r.authority = b.authority
	default:
		r.authority = b.authority
		if !strings.HasPrefix(r.path, "/") {
			folder := b.path[:strings.LastIndexByte(b.path, '/')+1]
			if folder == "" && b.authority != "" {
				folder = "/"
			}
			r.path = folder + r.path
		}
		r.path = removeDots(r.path)
	}
	r.scheme = b.scheme
	return r.String()
}

// removeDots removes the segments . and .. of a path (RFC 3986, section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, "/.") && !strings.HasPrefix(path, ".") {
		return path
	}
	var out []string // segments, each with the slash before it
	for in := path; in != ""; {
		switch {
		case strings.HasPrefix(in, "../"):
			in = in[3:]
		case strings.HasPrefix(in, "./"):
			in = in[2:]
		case strings.HasPrefix(in, "/./") || in == "/.":
			in = "/" + in[min(3, len(in)):]
		case strings.HasPrefix(in, "/../") || in == "/..":
			in = "/" + in[min(4, len(in)):]
			out = out[:max(0, len(out)-1)]
		case in == "." || in == "..":
			in = ""
		default:
			end := cmp.Or(strings.IndexByte(in[1:], '/')+1, len(in))
			out = append(out, in[:end])
			in = in[end:]
		}
	}
	return strings.Join(out, "")
}

package turtle

import "strings"

// reference is the five parts of an IRI reference (RFC 3986, appendix B), each with the
// mark that sets it off, or empty where it is missing.
type reference struct{ scheme, authority, path, query, fragment string }

func split(iri string) (r reference) {
	iri, fragment, found := strings.Cut(iri, "#")
	if found {
		r.fragment = "#" + fragment
	}
	iri, query, found := strings.Cut(iri, "?")
	if found {
		r.query = "?" + query
	}
	if at := strings.IndexAny(iri, ":/"); at > 0 && iri[at] == ':' && isScheme(iri[:at]) {
		r.scheme, iri = iri[:at+1], iri[at+1:]
	}
	if rest, ok := strings.CutPrefix(iri, "//"); ok {
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		r.authority, iri = "//"+rest[:end], rest[end:]
	}
	r.path = iri
	return r
}

func isScheme(text string) bool {
	for i, c := range []byte(text) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return true
}

func (r reference) String() string { return r.scheme + r.authority + r.path + r.query + r.fragment }

// resolve returns the IRI that a reference stands for (RFC 3986, section 5.2.2). Without a
// base a relative reference stays as it is, and so does an IRI, which RDF compares by its
// characters.
func resolve(base, iri string) string {
	r := split(iri)
	if base == "" || r.scheme != "" {
		return iri
	}
	b := split(base)
	switch {
	case r.authority != "":
		r.path = removeDots(r.path)
	case r.path == "":
		if r.path = b.path; r.query == "" {
			r.query = b.query
		}
		r.authority = b.authority
	default:
		if r.authority = b.authority; !strings.HasPrefix(r.path, "/") {
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
			end := strings.IndexByte(in[1:], '/') + 1
			if end == 0 {
				end = len(in)
			}
			out, in = append(out, in[:end]), in[end:]
		}
	}
	return strings.Join(out, "")
}

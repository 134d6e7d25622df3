package server

import "net/http"

// template is a query of the server's file, for a form.
type template struct {
	Name      string      `json:"name"`
	Doc       string      `json:"doc,omitempty"`
	Params    []paramInfo `json:"params"`
	Formula   string      `json:"formula"`  // with the parameters, such as $country
	Variable  string      `json:"variable"` // empty for a sentence
	Kind      string      `json:"kind"`     // what it asks for, as in a response
	Show      []string    `json:"show,omitempty"`
	Semantics string      `json:"semantics,omitempty"`
	Layers    int         `json:"layers,omitempty"`
}

// templates lists the queries of the server's file.
func (s *Server) templates(*http.Request, *openModel) (any, error) {
	list := []template{}
	if f := s.Templates; f != nil {
		for _, q := range f.Queries {
			t := template{Name: q.Name, Doc: q.Doc, Params: []paramInfo{}, Variable: q.Free, Kind: q.Asks().String(), Show: q.Shown(), Semantics: f.Semantics, Layers: f.Layers}
			for _, p := range q.Params {
				t.Params = append(t.Params, paramInfo{p.Name, p.Kind.String()})
			}
			body := q.Alone() // as a question
			body.Name = ""
			body.Params = nil
			t.Formula = body.String()
			list = append(list, t)
		}
	}
	return struct {
		Templates []template `json:"templates"`
	}{list}, nil
}

// checkTemplates warns of templates that the model cannot answer. Another one that is loaded
// later may.
func (s *Server) checkTemplates(h *openModel) {
	if s.Templates == nil {
		return
	}
	for _, q := range s.Templates.Queries {
		if _, err := s.check(h, &Question{Template: q.Alone().String()}); err != nil {
			s.Log.Warn("a template cannot be answered with this model", "query", q.Name, "error", err)
		}
	}
}

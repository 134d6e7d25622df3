package server

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
)

// shapeInfo is a benchmark shape.
type shapeInfo struct {
	Name     string            `json:"name"`
	Group    string            `json:"group"`
	Formula  string            `json:"formula"`
	Params   []paramInfo       `json:"params"`
	Compiled []model.Semantics `json:"compiled"`
}

type paramInfo struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// shapes lists the benchmark shapes, and how many others are compiled.
func (s *Server) shapes(*http.Request, *openModel) (any, error) {
	generated := map[string][]model.Semantics{}
	for _, p := range s.Plans {
		name := stages.ShapeName(p.Shape)
		generated[name] = append(generated[name], p.Semantics)
	}
	list := make([]shapeInfo, len(benchmark.Shapes))
	for i, shape := range benchmark.Shapes {
		q, err := benchmark.Query(shape.Name)
		if err != nil {
			return nil, err
		}
		list[i] = shapeInfo{Name: shape.Name, Group: shape.Group, Formula: shape.Formula, Compiled: append([]model.Semantics{}, generated[shape.Name]...)}
		for _, p := range q.Params {
			list[i].Params = append(list[i].Params, paramInfo{p.Name, p.Kind.String()})
		}
	}
	return struct {
		Shapes []shapeInfo `json:"shapes"`
		Cached int         `json:"cached"`
	}{list, s.cache.Len()}, nil
}

// model says what the model holds and what the server allows.
func (s *Server) model(_ *http.Request, h *openModel) (any, error) {
	f := &h.model.Now().Bundle().Manifest
	return map[string]any{
		"name": f.Name, "description": f.Description, "entities": f.Entities, "relations": f.Relations,
		"facts": f.Triples, "held_back": f.Heldout, "rank": f.Rank, "table": f.Table, "settings": f.Settings,
		"untrue": f.Untrue, "changes_facts": s.FactsToken != "", "semantics": s.semantics(h), "type_relation": f.TypeRelation, "attributes": append([]model.Attribute{}, f.Attributes...),
		"file":   s.fileName(),
		"loaded": h.since.UTC().Format(time.RFC3339), "version": s.Version,
		"limits": map[string]any{
			"body_bytes": s.Limits.Body, "formula_bytes": s.Limits.Formula, "messages": s.Limits.Messages, "k": s.Limits.K,
			"batch": s.Limits.Batch, "in_flight": s.Limits.InFlight, "memory_bytes": s.Limits.Memory, "rows_bytes": s.Limits.Rows,
			"deadline_seconds": s.Limits.Deadline.Seconds(),
		},
	}, nil
}

// fileName returns the name of the model's file. It is empty where there is no file.
func (s *Server) fileName() string {
	if s.File == "" {
		return ""
	}
	return filepath.Base(s.File)
}

// withoutPaths leaves the folder of the model's file out of a message: no client learns a path
// of the server's disk.
func (s *Server) withoutPaths(message string) string {
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

// ready says whether requests should be sent here.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.draining.Load() {
		return errNotReady
	}
	if s.Device != nil {
		if err := s.Device.Lost(); err != nil {
			return err
		}
	}
	if err := s.lost(); err != nil {
		return err
	}
	return respond(w, http.StatusOK, map[string]string{"status": "ready"})
}

// healthy says that the process lives, unless it waits for a shard: then it ends if that does not
// come.
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) error {
	err := s.lost()
	if err == nil {
		io.WriteString(w, "ok\n")
	}
	return err
}

// lost returns an error if the model is split and a shard is gone, or late.
func (s *Server) lost() error {
	h, err := s.acquire()
	if err != nil {
		return nil
	}
	defer h.release()
	return s.lostShard(h)
}

// reload opens the model again.
func (s *Server) reload(r *http.Request) (info any, err error) {
	if err := s.Reload(r.Context()); err != nil {
		return nil, refused(http.StatusUnprocessableEntity, "reload_refused", "the model in use stays: %w", err)
	}
	err = s.withModel(func(h *openModel) error {
		info, err = s.model(r, h)
		return err
	})
	return info, err
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"time"

	"example.com/atlas"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/names"
)

// Bounds on what a request may cost.
const (
	deadline = 2 * time.Second
	together = 8 // requests that are answered at a time
)

// handler answers questions on one model.
type handler struct {
	model      *runtime.Model
	languages  *atlas.NewLanguages
	neighbours *atlas.Neighbours
	slots      chan struct{}
}

// newHandler binds the queries, which fails if the model lacks one of their names. They
// are answered where the model is: on the processor or on a device.
func newHandler(m *runtime.Model) (http.Handler, error) {
	languages, err := atlas.BindNewLanguages(m)
	if err != nil {
		return nil, err
	}
	neighbours, err := atlas.BindNeighbours(m)
	if err != nil {
		return nil, err
	}
	h := &handler{m, languages, neighbours, make(chan struct{}, together)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /languages", h.serve(func(ctx context.Context, country runtime.Entity, o runtime.Options) (any, error) {
		return h.languages.Answer(ctx, atlas.NewLanguagesParams{Country: country}, o)
	}))
	mux.HandleFunc("GET /neighbours", h.serve(func(ctx context.Context, country runtime.Entity, o runtime.Options) (any, error) {
		return h.neighbours.Answer(ctx, atlas.NeighboursParams{Country: country}, o)
	}))
	return mux, nil
}

// serve answers a question about a country.
func (h *handler) serve(answer func(context.Context, runtime.Entity, runtime.Options) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), deadline)
		defer cancel()
		country, err := h.model.Entity(r.FormValue("country"))
		if err != nil {
			fail(w, err)
			return
		}
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		case <-ctx.Done():
			fail(w, ctx.Err())
			return
		}
		answers, err := answer(ctx, country, runtime.Options{K: 5, SetSize: 3})
		if err != nil {
			fail(w, err)
			return
		}
		write(w, http.StatusOK, answers)
	}
}

// fail says what went wrong: names have suggestions.
func fail(w http.ResponseWriter, err error) {
	var unknown *names.UnknownError
	var ambiguous *names.AmbiguousError
	var param *runtime.ParamError
	switch {
	case errors.As(err, &unknown):
		write(w, http.StatusNotFound, map[string]any{"error": err.Error(), "nearest": unknown.Nearest})
	case errors.As(err, &ambiguous):
		write(w, http.StatusBadRequest, map[string]any{"error": err.Error(), "candidates": ambiguous.Candidates})
	case errors.As(err, &param), errors.Is(err, runtime.ErrWrongType):
		write(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
	case errors.Is(err, context.DeadlineExceeded):
		w.Header().Set("Retry-After", "1")
		write(w, http.StatusServiceUnavailable, map[string]any{"error": "too many requests at a time"})
	case errors.Is(err, context.Canceled): // nobody listens any more
	default:
		log.Print(err)
		write(w, http.StatusInternalServerError, map[string]any{"error": "internal error"})
	}
}

// write writes JSON.
func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

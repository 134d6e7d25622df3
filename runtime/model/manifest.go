package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"

	"github.com/efoc/efoc/runtime/internal/jsonfile"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
)

// BundleVersion is the version of the bundle format that this package reads and
// writes.
const BundleVersion = 8

// Manifest describes the contents of a bundle, its sources, and its settings. The bundle stores it as JSON.
type Manifest struct {
	// Version is the format of the bundle, BundleVersion.
	Version int `json:"version"`
	// Name is a short name of the knowledge graph, such as FB15k-237.
	Name string `json:"name"`
	// Description is free text.
	Description string `json:"description"`
	// Entities is n.
	Entities int `json:"entities"`
	// Relations is |R|; the relation table has twice as many rows.
	Relations int `json:"relations"`
	// Rank is d, half the width of an embedding.
	Rank int `json:"rank"`
	// Table is the number type of the entity table, or of its codes if any.
	Table table.Type `json:"table"`
	// Exact is the type of the rows beside codes; empty without codes, or with codes only.
	Exact table.Type `json:"exact,omitempty"`
	// Triples, Heldout and Untrue count the distinct facts of the three graphs.
	Triples int `json:"triples"`
	Heldout int `json:"heldout"`
	Untrue  int `json:"untrue,omitempty"`
	// Settings are the default settings of the model.
	Settings Settings `json:"settings"`
	// Semantics is the semantics for questions that choose none: the best on validation queries, or the default.
	Semantics Semantics `json:"semantics"`
	// TypeRelation names the relation from entities to their types, such as instance_of; empty if there is none.
	TypeRelation string `json:"type_relation,omitempty"`
	// Prefixes map short forms to the beginnings of IRIs, as the graph's files declare them: ex to
	// http://example.org/ for ex:ada.
	Prefixes map[string]string `json:"prefixes,omitempty"`
	// Literals counts, by relation, the statements about literals that the import left out.
	Literals map[string]int `json:"literals,omitempty"`
	// Attributes are the attributes that entities have values of.
	Attributes []values.Attribute `json:"attributes,omitempty"`
	// Regularities are statistics of the facts of each relation.
	Regularities []graph.Regularity `json:"regularities,omitempty"`
	// ScoreTerms weighs them in truth degrees.
	ScoreTerms ScoreTerms `json:"score_terms,omitzero"`
	// Temperatures holds a factor of Degrees.Temperature for each directed relation; nil means
	// 1 for all.
	Temperatures []float64 `json:"temperatures,omitempty"`
	// Confidence maps evidence to probabilities; without it, answers have no confidence.
	Confidence Confidence `json:"confidence,omitempty"`
	// Missing is the share of missing facts that confidence assumes.
	Missing Missing `json:"missing,omitzero"`
	// Visible names the split of the observed triples, such as train.
	Visible string `json:"visible"`
	// Reciprocal says that inverse relations have trained embeddings; otherwise these are conjugates or transposes.
	Reciprocal bool `json:"reciprocal"`
	// Sources are the source files of the bundle.
	Sources []Source `json:"sources"`
	// Shard identifies the bundle's part of a split model; nil for a whole model. Entities and Triples are always the
	// counts of the whole.
	Shard *Shard `json:"shard,omitempty"`
	// Checksums holds "crc32c:" and eight hexadecimal digits for each tensor:
	// the CRC-32C of the CRC-32Cs of its blocks, see blockSize.
	Checksums map[string]string `json:"checksums"`
}

// Source is a source file of a bundle.
type Source struct {
	// Role is the file's part in the import, such as graph or checkpoint.
	Role string `json:"role"`
	// File is the name without its folder.
	File string `json:"file"`
	// SHA256 is the digest in hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Bytes is the length of the file.
	Bytes int64 `json:"bytes"`
}

// parseManifest parses a manifest and checks everything that does not need the tensors. It refuses unknown and
// repeated fields, and fields that differ in case.
func parseManifest(text string) (Manifest, error) {
	var m Manifest
	err := jsonfile.Read([]byte(text), &m)
	if err != nil || m.Version != BundleVersion {
		// The version determines the fields, so it explains the error best.
		err = cmp.Or(checkVersion(text), err)
	}
	if err != nil {
		return m, err
	}
	return m, m.validate()
}

// checkVersion reports a manifest with a version other than BundleVersion.
func checkVersion(text string) error {
	var m struct {
		Version *int `json:"version"`
	}
	err := jsonfile.Read([]byte(text), &m, json.RejectUnknownMembers(false))
	switch {
	case err != nil:
		return err
	case m.Version == nil:
		return errors.New("no version")
	case *m.Version > BundleVersion:
		return undamaged{fmt.Errorf("bundle format %d is newer than the supported %d: upgrade efoc", *m.Version, BundleVersion)}
	case *m.Version < BundleVersion:
		return undamaged{fmt.Errorf("bundle format %d is not supported, want %d: import the data again", *m.Version, BundleVersion)}
	}
	return nil
}

// validate reports the first field that is out of range.
func (m *Manifest) validate() error {
	if err := graph.CheckSizes(m.Entities, m.Relations, m.Triples); err != nil {
		return err
	}
	switch {
	case m.Rank < 1 || m.Rank > math.MaxInt32/2:
		return fmt.Errorf("rank is %d, want at least 1", m.Rank)
	case m.Triples < 0:
		return fmt.Errorf("triples is %d, want at least 0", m.Triples)
	case min(m.Heldout, m.Untrue) < 0 || max(m.Heldout, m.Untrue) > graph.MaxTriples:
		return fmt.Errorf("heldout is %d and untrue %d, want at least 0", m.Heldout, m.Untrue)
	}
	if err := m.Table.Check(); err != nil {
		return undamaged{fmt.Errorf("%w: import or train the model again", err)}
	}
	if m.Exact != "" && (m.Table.IsFloat() || m.Exact != table.Float32) {
		return undamaged{fmt.Errorf("exact is %q beside a table of %s, want float32 beside int8: import or train the model again", m.Exact, m.Table)}
	}
	if err := m.Settings.Validate(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if n := len(m.Temperatures); m.Temperatures != nil && n != 2*m.Relations {
		return fmt.Errorf("temperatures: there are %d, want one for each of %d directed relations", n, 2*m.Relations)
	}
	for r, x := range m.Temperatures {
		if err := TemperatureRange.Check(x); err != nil {
			return fmt.Errorf("temperatures: directed relation %d: %w", r, err)
		}
	}
	if err := m.Confidence.validate(2 * m.Relations); err != nil {
		return fmt.Errorf("confidence: %w", err)
	}
	if err := m.Missing.validate(); err != nil {
		return fmt.Errorf("missing: %w", err)
	}
	if err := values.CheckAttributes(m.Attributes); err != nil {
		return fmt.Errorf("attributes: %w", err)
	}
	if err := graph.CheckRegularities(m.Regularities, m.Relations); err != nil {
		return fmt.Errorf("regularities: %w", err)
	}
	if err := m.ScoreTerms.validate(); err != nil {
		return fmt.Errorf("score terms: %w", err)
	}
	if m.Shard != nil {
		if err := m.Shard.validate(m.Entities, 2*m.Relations); err != nil {
			return fmt.Errorf("shard: %w", err)
		}
	}
	for i, s := range m.Sources {
		if s.Bytes < 0 {
			return fmt.Errorf("sources: bytes of source %d is %d, want at least 0", i, s.Bytes)
		}
	}
	return nil
}

// rows returns the number of rows of the entity table.
func (m *Manifest) rows() int {
	if m.Shard != nil {
		return m.Shard.Rows
	}
	return m.Entities
}

// undamaged wraps the error for an intact bundle that cannot be opened here.
type undamaged struct{ error }

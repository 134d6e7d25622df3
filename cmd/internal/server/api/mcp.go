package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model/graph"
)

// instructions tell a language model how to use the tools.
const instructions = `efoc answers first-order questions over a knowledge graph that misses facts, and says how likely each answer is.
A question is a formula with one free variable, which is what is asked for; with several below a head; or without one, which asks yes or no. count asks how many there are:
  borders("Brazil", y) & official_language(y, "Spanish")
  exists x. borders("France", x) & capital(x, y) & !in_continent(y, "Asia") & y != "Paris"
  x, y: borders("France", x) & capital(x, y)
  borders("France", "Spain") | exists x. borders("France", x) & borders(x, "Spain")
  count y: borders("Brazil", y)
Quoted arguments are entities, bare ones variables; r^-1 is the inverse of relation r; & | ! are and, or, not.
population(y) > 1000000 and born(y) >= "1950" compare a number and a date, if the graph has such attributes, which find lists.
r{1,3}(x, y) is a path of one to three steps by r, (r|s)(x, y) a link by either relation.
Names must be those of the graph: look them up with find, look at relations and entities with describe, then ask.
Answers are known (they follow from stored facts), predicted (they do not), or confirmed (predicted, and true by facts that were held back).
Confidence is the chance that an answer is true; do not present a predicted answer as a fact.`

// ServeMCP serves an assistant over the Model Context Protocol, until ctx ends or the client ends the session. Its
// tools are read-only, except one that changes facts if writes is set.
func (s *Service) ServeMCP(ctx context.Context, t mcp.Transport, writes bool) error {
	tools := s.mcpServer()
	if writes {
		addTool(s, tools, describeTool(true, "change", "Add facts to the graph and remove facts from it, for good, all or none; also numbers and dates of entities. "+
			"Only facts that the user has stated or confirmed; never predictions."), s.mcpChange)
	}
	return tools.Run(ctx, t)
}

// mcpServer returns a server with the tools.
func (s *Service) mcpServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "efoc", Title: "efoc: questions over incomplete knowledge graphs", Version: s.Version},
		&mcp.ServerOptions{Instructions: instructions, Logger: s.Log, Capabilities: &mcp.ServerCapabilities{}})
	addTool(s, server, describeTool(false, "find", "Look up names of entities, relations, and attributes with numbers or dates; they may be misspelt or incomplete. "+
		"Without a text it lists the relations with the most facts, and all attributes."), s.mcpFind)
	addTool(s, server, describeTool(false, "describe", "Show an entity's stored facts by relation and the facts that the graph most likely lacks of it, or a relation's size with example facts."), s.mcpDescribe)
	addTool(s, server, describeTool(false, "ask", "Answer a formula: a line for each answer with its confidence and status, best first; "+
		"or how many there are; or whether it holds, if it asks yes or no."), s.mcpAsk)
	addTool(s, server, describeTool(false, "explain", "Say why entities are answers of a formula: values of its variables, and for each atom whether "+
		"the fact is stored or predicted. With why_not: why an entity is no answer, and what would make it one."), s.mcpExplain)
	if s.TemplateFile != nil {
		addTool(s, server, describeTool(false, "templates", "List prepared questions with their parameters. The other tools take one by its name, with args in place of a formula."),
			s.mcpTemplates)
	}
	return server
}

// describeTool describes a tool, which may change the graph if writes is set.
func describeTool(writes bool, name, description string) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !writes, DestructiveHint: new(writes), IdempotentHint: true, OpenWorldHint: new(false)}}
}

// inputSchema describes the fields of a request that an assistant may set: those with a description.
func inputSchema[In any]() *jsonschema.Schema {
	args := &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number"}}}
	types := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[compiler.Values](): args}
	schema, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic(err) // the type has no schema
	}
	maps.DeleteFunc(schema.Properties, func(_ string, field *jsonschema.Schema) bool { return field.Description == "" })
	return schema
}

// addTool adds a tool whose result is lines of text. Errors go to the assistant, which can correct its question.
func addTool[In any](s *Service, server *mcp.Server, about *mcp.Tool, tool func(context.Context, *host.Model, *In, *lines) error) {
	name := about.Name
	about.InputSchema = inputSchema[In]()
	mcp.AddTool(server, about, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		out := &lines{left: s.Limits.ToolBytes}
		err := s.admittedCall(ctx, func(ctx context.Context, h *host.Model) (err error) {
			defer func() {
				if fault := recover(); fault != nil {
					err = problem.Recovered(fault)
				}
			}()
			if err := readNumbers(req.Params.Arguments, &in); err != nil {
				return err
			}
			return tool(ctx, h, &in, out)
		})
		if err != nil {
			s.Metrics.Tools.With(name, "refused").Inc()
			return nil, nil, s.toolError(name, err)
		}
		s.Metrics.Tools.With(name, "answered").Inc()
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out.String()}}}, nil, nil
	})
}

// readNumbers parses the input of a tool again, if any, because the library rounds numbers.
func readNumbers(text json.RawMessage, in any) error {
	if text == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(in)
}

// toolError formats an error for an assistant: mistakes in a formula with their position.
func (s *Service) toolError(tool string, err error) error {
	if list, ok := errors.AsType[lang.ErrorList](err); ok {
		return errors.New(shorten(list.Render(), s.Limits.ToolBytes))
	}
	p := problem.Of(err)
	if p.Status == http.StatusInternalServerError {
		s.transport.LogFault(err, "tool", tool)
	}
	return errors.New(shorten(s.host.WithoutPaths(p.Message), s.Limits.ToolBytes))
}

func (s *Service) mcpFind(ctx context.Context, h *host.Model, in *lookup.Request, out *lines) error {
	in.K = cmp.Or(in.K, s.defaultK(lookup.DefaultK))
	results, err := s.lookUp(ctx, h, in)
	if err != nil {
		return err
	}
	for _, f := range results {
		out.add("%s\t%s\t%s", f.Kind, print.Both(f.Name, f.Label), tables.Number(f.Facts, "fact"))
	}
	for _, a := range h.Now().Bundle().Manifest.Attributes {
		if in.Kind == "" && strings.Contains(strings.ToLower(a.Name), strings.ToLower(in.Name)) {
			out.add("attribute\t%s\t%s", a.Name, tables.Number(a.Values, string(a.Kind)))
		}
	}
	if out.text.Len() == 0 {
		out.add("nothing has a name like %q", in.Name)
	}
	return nil
}

func (s *Service) mcpDescribe(ctx context.Context, h *host.Model, in *lookup.Request, out *lines) error {
	in.K = cmp.Or(in.K, s.defaultK(lookup.DefaultK))
	if err := s.checkLookup(in); err != nil {
		return err
	}
	now := h.Now()
	e, noEntity := now.Bundle().FindEntity(in.Name)
	r, noRelation := now.Relation(in.Name)
	wantEntity := in.Kind != "relation" && noEntity == nil
	wantRelation := in.Kind != "entity" && noRelation == nil
	if !wantEntity && !wantRelation {
		if in.Kind == "relation" {
			return noRelation
		}
		_, noEntity = now.Entity(in.Name)
		if in.Kind == "entity" { // with similar names
			return noEntity
		}
		return problem.Bad("%w; %w", noEntity, noRelation)
	}
	if wantEntity {
		info, err := s.facts(ctx, now, graph.EntityID(e), page{K: in.K})
		if err != nil {
			return err
		}
		out.entity(info)
		if now.Uncalibrated(nil) == "" {
			found, err := s.missing(ctx, h, now, missing.Options{Head: new(graph.EntityID(e)), K: in.K, Questions: defaultQuestions})
			if err != nil {
				return err
			}
			out.missing(found)
		}
	}
	if wantRelation {
		info, err := s.sample(ctx, now, r.ID(), in.K)
		if err != nil {
			return err
		}
		out.relation(info)
	}
	return nil
}

// named replaces the name of a template of the server's file by its text, which has the semantics and layers of the file.
func (s *Service) named(q *host.Question) error {
	if q.Template == "" {
		return nil
	}
	if s.TemplateFile == nil {
		return problem.Bad("there are no templates: the server was started without a file of them")
	}
	i := slices.IndexFunc(s.TemplateFile.Queries, func(t *lang.Query) bool { return t.Name == q.Template })
	if i < 0 {
		return problem.Bad("unknown template %q: the tool templates lists those that there are", q.Template)
	}
	q.Template = s.TemplateFile.Queries[i].Alone().String()
	q.Semantics = cmp.Or(q.Semantics, s.TemplateFile.Semantics)
	if s.TemplateFile.Layers != 0 {
		q.Settings = host.Settings{"layers": float64(s.TemplateFile.Layers)}
	}
	return nil
}

// mcpTemplates lists the templates.
func (s *Service) mcpTemplates(_ context.Context, _ *host.Model, _ *struct{}, out *lines) error {
	for _, q := range s.TemplateFile.Queries {
		for line := range strings.Lines(strings.TrimSpace(q.Doc)) {
			out.add("// %s", strings.TrimSuffix(line, "\n"))
		}
		for line := range strings.Lines(q.Alone().String()) {
			out.add("%s", strings.TrimSuffix(line, "\n"))
		}
	}
	return nil
}

func (s *Service) mcpAsk(ctx context.Context, h *host.Model, in *AskRequest, out *lines) error {
	if err := s.named(&in.Question); err != nil {
		return err
	}
	r, err := s.answer(ctx, h, in)
	if err != nil {
		return err
	}
	reply := &print.Reply{Reply: r.Reply, Offset: in.Offset}
	out.addAll(r.envelope.Warnings)
	out.addAll(reply.Brief())
	return nil
}

type explainInput struct {
	WitnessRequest
	WhyNot bool `json:"why_not,omitempty" jsonschema:"say which parts of the formula fail for the entity"`
}

func (s *Service) mcpExplain(ctx context.Context, h *host.Model, in *explainInput, out *lines) error {
	if err := s.named(&in.Question); err != nil {
		return err
	}
	if in.WhyNot {
		r, err := s.WhyNot(ctx, h, &in.WitnessRequest)
		if err == nil {
			out.addAll(print.WhyNot(r.WhyNot))
		}
		return err
	}
	r, err := s.Witness(ctx, h, &in.WitnessRequest)
	if err != nil {
		return err
	}
	for i := range r.Witnesses {
		out.addAll(print.Witness(&r.Witnesses[i]))
	}
	return nil
}

func (s *Service) mcpChange(ctx context.Context, _ *host.Model, in *factsRequest, out *lines) error {
	r, err := s.change(ctx, "", in)
	if err == nil {
		out.add("added %d, there already %d, removed %d, not there %d; the graph has %s", r.Added, r.Present, r.Removed, r.Absent, tables.Number(r.Facts, "fact"))
		if r.Marked+r.Unmarked > 0 {
			out.add("marked as not true %d, no longer marked %d", r.Marked, r.Unmarked)
		}
		for _, name := range r.Entities {
			out.add("new entity %s", name)
		}
		for _, name := range r.Attributes {
			out.add("new attribute %s", name)
		}
	}
	return err
}

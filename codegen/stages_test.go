package codegen_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/efoc/efoc/codegen/gogen"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

var update = flag.Bool("update", false, "rewrite the stages in testdata/queries; read the diff")

// TestStages takes queries through every stage of the compiler. Each file of testdata/queries
// has a template in its section query.efo, and one more section for each stage:
//
//	              lang.ParseFile                 stages.Analyze
//	query.efo ---------------------> Query.Normal -----------------> Shape
//	    ^                              |    |                          |
//	    +----------- String -----------+  normal form         shape    |
//	                                                                   |
//	                          lower.NSMP, lower.FIT or lower.Mixed     |
//	    +--------------------------------------------------------------+
//	    v               pass.ReadRows           pass.NumberValues             pass.DeferReadout
//	  ir.Plan --------------------> ir.Plan ----------------------> ir.Plan ... -----------> ir.Plan
//	    |                             |                               |                         |
//	 plan  <----> ir.Parse    plan ReadRows                   plan NumberValues                 | gogen.File
//	                                                                                            v
//	                                                                                           Go
//
// A pass that changes nothing has no section. Double-headed arrows are texts that are also parsed back.
func TestStages(t *testing.T) {
	files, err := filepath.Glob("../testdata/queries/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			want := txtar.Format(archive)
			archive.Files = append(archive.Files[:1], sectionsOf(t, archive.Files[0])...)
			switch got := txtar.Format(archive); {
			case string(got) == string(want):
			case *update:
				require.NoError(t, os.WriteFile(file, got, 0o644))
			default:
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// sectionsOf returns the text of each stage of a template.
func sectionsOf(t *testing.T, source txtar.File) (sections []txtar.File) {
	t.Helper()
	section := func(name, text string) {
		sections = append(sections, txtar.File{Name: name, Data: []byte(strings.TrimSpace(text) + "\n")})
	}
	file, err := lang.ParseFile(source.Name, source.Data)
	require.NoError(t, err)
	if again, err := lang.ParseFile(source.Name, []byte(file.String())); err != nil || again.String() != file.String() {
		t.Errorf("the file is formatted as\n%s\nwhich is not read back: %v", file.String(), err)
	}
	q := file.Queries[0]
	normal := q.Normal.String()
	for _, w := range q.Warnings {
		normal += "\n" + w.String()
	}
	section("normal form", normal)
	shape := stages.Analyze(q).Shape()
	text := shape.Key
	for i, c := range shape.Constants {
		text += fmt.Sprintf("\ns%d is %s", i+1, c)
	}
	for i, r := range shape.Relations {
		text += fmt.Sprintf("\nr%d is %s", i+1, r)
	}
	section("shape", text)
	semantics, err := model.ParseSemantics(file.Semantics)
	require.NoError(t, err)
	var passes []txtar.File
	c, err := stages.Compile(shape, stages.Options{Layers: file.Layers, Semantics: semantics, Observe: func(ran pass.Pass, changed bool, p *ir.Plan) {
		if changed {
			passes = append(passes, txtar.File{Name: "plan " + ran.Name, Data: []byte(p.String())})
		}
	}})
	require.NoError(t, err)
	section("plan", c.Lowered.String())
	sections = append(sections, passes...)
	for _, s := range sections[2:] {
		if p, err := plantext.Parse(string(s.Data)); err != nil || p.String() != string(s.Data) {
			t.Errorf("%s is not read back: %v", s.Name, err)
		}
	}
	analyzed, err := stages.AnalyzeFile(file)
	require.NoError(t, err)
	code, err := gogen.File(analyzed, gogen.Options{Source: source.Name, Package: "queries", PlansOnly: true})
	require.NoError(t, err)
	_, run, _ := strings.Cut(string(code.Code), "\n// run")
	run, _, _ = strings.Cut(run, "\n}\n")
	section("Go", "// run"+run+"\n}")
	return sections
}

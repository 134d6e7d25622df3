package shapes
import ("testing";"fmt";"os";"strings";"github.com/efoc/efoc/lang";"github.com/efoc/efoc/codegen/gogen")
func goName(n string) string {
	i := 0
	for i < len(n) && n[i] >= '0' && n[i] <= '9' { i++ }
	return strings.ToUpper(n[i:]) + n[:i]
}
func TestGen(t *testing.T) {
	f := &lang.File{Package:"shapes", Doc: ""}
	for _, s := range lang.Shapes {
		q, err := lang.ShapeQuery(s.Name)
		if err != nil { t.Fatal(err) }
		q.Name = goName(s.Name)
		q.Doc = fmt.Sprintf("%s is benchmark shape %s.", q.Name, s.Name)
		f.Queries = append(f.Queries, q)
	}
	text := lang.Format(f)
	os.WriteFile("shapes.efo", []byte(text), 0o644)
	g, err := lang.ParseFile("shapes.efo", []byte(text))
	if err != nil { t.Fatal(err) }
	out, err := gogen.File(g, gogen.Options{Source:"shapes.efo", Package:"shapes"})
	if err != nil { t.Fatal(err) }
	os.WriteFile("shapes_efo.go", out, 0o644)
}

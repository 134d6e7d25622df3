package explain
import ("testing";"os";"github.com/efoc/efoc/lang")
func TestS(t *testing.T){
 for _,f:=range []string{`exists x. directed("Nolan", x) & starred^-1(y, x) & !starred(x, y)`,`r("a",y) & (s("b",y) | exists x. (s("c",x) & r(x,y)))`}{
 q,err:=lang.ParseFormula(f); if err!=nil{t.Fatal(err)}
 r,err:=New(q,0); if err!=nil{t.Fatal(err)}
 r.Text(os.Stdout,false); r.DOT(os.Stdout)}
}

package lang_test

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/lang"
)

func ExampleParseFormula() {
	q, err := lang.ParseFormula(`exists x. directed("Fritz Lang", x) & (opened_in(x, y) | !"shot in"(x, y))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("free variable:", q.Free)
	fmt.Println(q.Normal)
	// Output:
	// free variable: y
	// directed("Fritz Lang", x) & opened_in(x, y)
	// directed("Fritz Lang", x) & !"shot in"(x, y)
}

func ExampleErrorList_Render() {
	_, err := lang.ParseFile("films.efo", []byte(`query Films(genre entity) y = genre(y, $gnere) & type(y, film)`))
	var list lang.ErrorList
	if errors.As(err, &list) {
		fmt.Print(list.Render())
	}
	// Output:
	// films.efo:1:40: unknown parameter $gnere
	// 	query Films(genre entity) y = genre(y, $gnere) & type(y, film)
	// 	                                       ^
	// 	hint: did you mean $genre?
	// films.efo:1:58: undefined variable film
	// 	query Films(genre entity) y = genre(y, $gnere) & type(y, film)
	// 	                                                         ^
	// 	hint: an entity is quoted: "film"; a variable is bound: exists film. …
}

func ExampleFile_String() {
	f, err := lang.ParseFile("films.efo", []byte("package films\n//Sequels follow a film.\nquery Sequels(film entity) y=('/film/sequel'($film,y))"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(f.String())
	// Output:
	// package films
	//
	// // Sequels follow a film.
	// query Sequels(film entity) y =
	//     "/film/sequel"($film, y)
}

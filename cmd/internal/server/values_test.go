package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestFactValues adds, replaces and removes values: filters, entities and explanations follow.
func TestFactValues(t *testing.T) {
	_, hs := start(t, factsConfig(t))
	change := func(body string, want int, part string) {
		t.Helper()
		got, text, _ := callWith(t, hs, "POST", "/v1/facts", body, withToken("secret"))
		if got != want || !strings.Contains(text, part) {
			t.Errorf("%s: status %d, %s, want %d, %s", body, got, text, want, part)
		}
	}
	const filtered = `{"formula": "borders(\"France\", y) & population(y) > 80000000 & founded(y) < \"1900\"", "status": ["known"]}`
	names := func(want ...string) {
		t.Helper()
		_, text, _ := callWith(t, hs, "POST", "/v1/ask", filtered, withToken("ask"))
		got := unmarshal[answersOf](t, text)
		var found []string
		for _, a := range got.Answers {
			found = append(found, a.Name)
		}
		if strings.Join(found, ",") != strings.Join(want, ",") {
			t.Errorf("answers are %q, want %q", found, want)
		}
	}
	const add = `[["Germany", "population", 83500000], ["Spain", "population", 48.6e6], ["Germany", "founded", "1871-01-18"], ["Spain", "founded", "\"1479\"^^xsd:gYear"]]`
	change(`{"add": `+add+`}`, http.StatusNotFound, `add[0].relation: unknown attribute \"population\" (the change adds no new names); send \"new\": true if it is new`)
	change(`{"new": true, "by": "ann", "add": `+add+`}`, http.StatusOK, `"added":4,`)
	change(`{"add": `+add+`}`, http.StatusOK, `"present":4,"removed":0,"absent":0,`)
	names("Germany")
	checkAttributes(t, hs)
	_, text, _ := callWith(t, hs, "POST", "/v1/witness", `{"formula": "borders(\"France\", y) & population(y) > 80000000", "entities": ["Germany"]}`, withToken("ask"))
	if !strings.Contains(text, `"filters":[{"attribute":"population","asked":"> 80000000","entity":{`) || !strings.Contains(text, `"value":"83500000","degree":1,"added":{"time":"`) || !strings.Contains(text, `"by":"ann"`) {
		t.Errorf("the explanation is %s", text)
	}
	for name, want := range map[string]string{"Spain": `"value":"48600000","degree":0,`, "Peru": `"label":"Peru"},"degree":0}`} {
		_, text, _ := callWith(t, hs, "POST", "/v1/why-not", `{"formula": "borders(\"France\", y) & population(y) > 80000000", "entities": ["`+name+`"]}`, withToken("ask"))
		if !strings.Contains(text, want) {
			t.Errorf("why not %s: %s", name, text)
		}
	}
	change(`{"replace": true, "add": [["Spain", "population", 99e6], ["Germany", "population", 7]]}`, http.StatusOK, `"removed":2,`)
	names("Spain")
	change(`{"remove": [["Spain", "founded", "1479"]]}`, http.StatusOK, `"values":3}`)
	names()
	_, text, _ = callWith(t, hs, "GET", "/v1/entity/Germany", "", withToken("ask"))
	if !strings.Contains(text, `"values":[{"attribute":"founded","kind":"date","value":"1871-01-18"},{"attribute":"population","kind":"number","value":"7"}]`) {
		t.Errorf("the entity is %.300s", text)
	}

	change(`{"add": [["Spain", "population", "large"]]}`, http.StatusBadRequest, `add[0].tail: population is a number, such as 12.5: \"large\" is not a number`)
	change(`{"add": [["Spain", "population", 9007199254740993]]}`, http.StatusBadRequest, `add[0].tail: population is a number, such as 12.5: 9007199254740993 would be read as 9007199254740992`)
	change(`{"remove": [["Spain", "founded", "2020-12-31T23:59:59.9999999Z"]]}`, http.StatusBadRequest, "2020-12-31T23:59:59.9999999Z would be read as 2021-01-01")
	change(`{"new": true, "add": [["Spain", "borders", 9007199254740993]]}`, http.StatusOK, `"entities":["9007199254740993"]`)
	for _, c := range [][3]string{
		{"/v1/ask", `{"formula": "borders(\"France\", y) & population(y) = 9007199254740993"}`, "9007199254740993 would be read as 9007199254740992"},
		{"/v1/ask", `{"template": "query Q(n number) y = borders(\"France\", y) & population(y) = $n", "args": {"n": 9007199254740993}}`, "9007199254740993 would be read as 9007199254740992"},
		{"/v1/ask", `{"template": "query Q(d date) y = borders(\"France\", y) & founded(y) = $d", "args": {"d": "2020-12-31T23:59:59.9999999Z"}}`, "2020-12-31T23:59:59.9999999Z would be read as 2021-01-01"},
		{"/sparql?query=" + url.QueryEscape("SELECT ?y { <France> <borders> ?y . ?y <population> ?p FILTER(?p > 9007199254740993) }"), "", "9007199254740993 would be read as 9007199254740992"},
	} {
		method := "POST"
		if c[1] == "" {
			method = "GET"
		}
		got, text, _ := callWith(t, hs, method, c[0], c[1], withToken("ask"))
		if got < 400 || got >= 500 || !strings.Contains(text, c[2]) {
			t.Errorf("%s %s: status %d, %s, want %s", c[0], c[1], got, text, c[2])
		}
	}
	change(`{"add": [["Spain", "population", [1]]]}`, http.StatusBadRequest, "add[0][2] is no string; in place of a tail, a number is a value")
	change(`{"add": [[5, "population", 1]]}`, http.StatusBadRequest, "add[0][0] is no string")
	change(`{"untrue": [["Spain", "population", 99e6]]}`, http.StatusBadRequest, "values are not marked as not true")
	change(`{"add": [["Spain", "population", 1e999]]}`, http.StatusBadRequest, "1e999")
}

// checkAttributes checks the values beside answers and rows, of which Spain has none that is asked for.
func checkAttributes(t *testing.T, hs *httptest.Server) {
	t.Helper()
	_, text, _ := callWith(t, hs, "POST", "/v1/ask", `{"formula": "borders(\"France\", y) & population(y) >? 80000000", "k": 30}`, withToken("ask"))
	found := map[string]string{}
	type attributes map[string][]any
	for _, a := range unmarshal[struct {
		Answers []struct {
			Name       string
			Attributes attributes
		}
	}](t, text).Answers {
		found[a.Name] = fmt.Sprint(a.Attributes)
	}
	if found["Germany"] != "map[population:[8.35e+07]]" || found["Italy"] != "map[population:[]]" {
		t.Errorf("beside answers there are %v", found)
	}

	_, text, _ = callWith(t, hs, "POST", "/v1/ask", `{"formula": "x, y: borders(x, y) & founded(y) > \"1800\"", "status": ["known"]}`, withToken("ask"))
	for _, row := range unmarshal[struct {
		Rows []struct {
			Values []struct {
				Name       string
				Attributes attributes
			}
		}
	}](t, text).Rows {
		if row.Values[0].Attributes != nil || row.Values[1].Name != "Germany" || fmt.Sprint(row.Values[1].Attributes) != "map[founded:[1871-01-18]]" {
			t.Errorf("a row is %v", row)
		}
	}
}

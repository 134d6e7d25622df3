package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
)

// TestNumbers asks for any number of answers after any number of others, in each place that takes
// such numbers: the server answers, or says what is wrong with the request.
func TestNumbers(t *testing.T) {
	_, hs := start(t, Config{})
	sessions := assistants(t, Config{})
	questions := []string{
		`borders("France", y)`, `x, y: borders("France", x) & borders(x, y)`, `borders("France", "Spain")`,
	}
	triples := []string{
		"SELECT ?y { :France :borders ?y }", "SELECT ?x ?y { :France :borders ?x . ?x :borders ?y }",
		"ASK { :France :borders ?y }", "SELECT (COUNT(?y) AS ?n) { :France :borders ?y }",
	}
	var paths []string
	for _, number := range []string{"-1", "0", "1001", fmt.Sprint(runtime.MaxRows + 1), "9223372036854775807", "9223372036854775808"} {
		for _, q := range questions {
			for _, name := range []string{"k", "offset", "sets", "k=1001&offset"} {
				if name == "offset" && number == "1001" && strings.HasPrefix(q, "x, y") {
					continue // takes long
				}
				paths = append(paths, "/v1/ask?formula="+url.QueryEscape(q)+"&"+name+"="+number)
			}
		}
		for _, q := range triples {
			for _, cut := range []string{" LIMIT " + number, " LIMIT 1 OFFSET " + number} {
				paths = append(paths, "/sparql?query="+url.QueryEscape(q+cut))
			}
		}
		for _, path := range []string{
			"/v1/search?name=Fr&k=", "/v1/entity/France?k=", "/v1/entity/France?offset=", "/v1/relation/borders?k=", "/v1/relations?k=", "/v1/relations?offset=",
		} {
			paths = append(paths, path+number)
		}

		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		for _, q := range questions {
			for _, args := range []map[string]any{{"formula": q, "k": n}, {"formula": q, "offset": n}} {
				if text, _ := use(t, sessions["memory"], "ask", args); strings.Contains(text, "internal error") {
					t.Errorf("ask %v: %s", args, text)
				}
			}
		}
	}
	for _, path := range paths {
		status, text := call(t, hs, "GET", path, "")
		if status != http.StatusOK && (status < 400 || status > 499) {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}

	rows := "/v1/ask?formula=" + url.QueryEscape(questions[1]) + "&offset="
	if status, text := call(t, hs, "GET", rows+fmt.Sprint(runtime.MaxRows+1), ""); status != http.StatusBadRequest || !strings.Contains(text, "1048576 is the limit") {
		t.Errorf("status %d: %s", status, text)
	}
}

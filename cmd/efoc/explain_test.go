package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/efoc/efoc/cmd/internal/explain"
)

// TestExplainShards counts exchanges: one rank sends nothing, more ranks send more, and the
// same question exchanges the same whenever it is asked.
func TestExplainShards(t *testing.T) {
	world := filepath.Join("world", "world.efoc")
	count := func(shards, semantics string) explain.Exchanges {
		t.Helper()
		r := efoc(t, "explain", `exists x. borders("France", x) & capital(x, y)`, "--model", world, "--shards", shards, "--semantics", semantics, "--format", "json")
		r.want(t, statusOK, "", "")
		var got explain.Report
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Cost.Exchanges == nil {
			t.Fatalf("%v: no exchanges in %s", err, r.stdout)
		}
		return *got.Cost.Exchanges
	}
	for _, semantics := range []string{"nsmp", "fit", "mixed"} {
		one, two, eight := count("1", semantics), count("2", semantics), count("8", semantics)
		if one.Bytes != 0 || one.Count == 0 || one.Count != two.Count || two.Count != eight.Count {
			t.Errorf("%s: %+v, %+v and %+v, want no bytes of one and as many exchanges of all", semantics, one, two, eight)
		}
		if one.WireBytes != 0 || two.WireBytes <= two.Bytes || eight.WireBytes <= eight.Bytes {
			t.Errorf("%s: %+v, %+v and %+v, want more on the wire than is sent", semantics, one, two, eight)
		}
		if two.Bytes == 0 || eight.Bytes <= two.Bytes {
			t.Errorf("%s: %d bytes between two, %d between eight", semantics, two.Bytes, eight.Bytes)
		}
		if again := count("8", semantics); !reflect.DeepEqual(again, eight) {
			t.Errorf("%s: %+v, then %+v", semantics, eight, again)
		}
	}
}

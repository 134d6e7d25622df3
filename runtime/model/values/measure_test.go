package values_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// TestParseValues reads numbers and dates, whose first and last moments package time gives.
func TestParseValues(t *testing.T) {
	for _, text := range []string{"0", "-5", "+1.50", ".5", "7.", "1e6", "2.5E-3", "9007199254740992"} {
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		if first, last, err := values.NumberKind.Parse(text); first != want || last != want || err != nil {
			t.Errorf("%s is %v to %v, %v", text, first, last, err)
		}
	}
	for text, next := range map[string][2]string{
		"1950": {"1950-01-01T00:00:00Z", "1951-01-01T00:00:00Z"}, "2024-02": {"2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		"2024-02-29": {"2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"}, "1999-12-31+02:00": {"1999-12-30T22:00:00Z", "1999-12-31T22:00:00Z"},
	} {
		first, last, err := values.DateKind.Parse(text)
		require.NoError(t, err)
		if begins := seconds(t, next[0]); first != begins {
			t.Errorf("%s begins at %v, want %v", text, first, begins)
		}
		if ends := seconds(t, next[1]); last >= ends || math.Nextafter(last, math.Inf(1)) != ends {
			t.Errorf("%s ends at %v, want just before %v", text, last, ends)
		}
	}
	for text, want := range map[string]string{
		"1950-06-01T12:30:15": "1950-06-01T12:30:15Z", "1950-06-01T00:30:00+01:00": "1950-05-31T23:30:00Z", "1950-06-01T12:30:15.5Z": "1950-06-01T12:30:15.5Z",
	} {
		if first, last, err := values.DateKind.Parse(text); first != seconds(t, want) || first != last || err != nil {
			t.Errorf("%s is %v to %v, %v", text, first, last, err)
		}
	}
	for kind, texts := range map[values.Kind][]string{
		values.NumberKind: {"", "INF", "NaN", "0x10", "1_000", "1,000", "1e999", "five"},
		values.DateKind:   {"", "50", "1950-13", "1950-02-30", "1950-06-01T25:00:00", "1950-06-01T12:00", "01.06.1950", "T12:00:00", "1950T12:00:00"},
	} {
		for _, text := range texts {
			if first, _, err := kind.Parse(text); err == nil {
				t.Errorf("%q is the %s %v", text, kind, first)
			}
		}
	}
	for kind, texts := range map[values.Kind][]string{
		values.NumberKind: {"0.1", "-12", "1000000", "123456789012345680000", "1e21", "-1.5e308", "1.7976931348623157e308", "0.000001", "1e-7", "5e-324", "0"},
		values.DateKind:   {"1950-01-01", "0044-03-15", "-0044-03-15", "12024-01-01", "1950-06-01T12:30:15Z", "1969-12-31T23:59:59.5Z"},
	} {
		for _, text := range texts {
			first, _, err := kind.Parse(text)
			if got := kind.Text(first); got != text || err != nil {
				t.Errorf("%s %s is written %s, %v", kind, text, got, err)
			}
		}
	}
}

func seconds(t *testing.T, text string) float64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return float64(at.UnixMilli()) / 1000
}

// TestLiterals writes values as literals of the type that XML Schema has for them, and reads them back.
func TestLiterals(t *testing.T) {
	for text, typed := range map[string]string{
		"12.5": "decimal", "1e6": "double", "1950": "gYear", "1950-01": "gYearMonth", "1950-01-31": "date", "1950-01-31T12:00:00Z": "dateTime",
	} {
		kind := values.DateKind
		if typed == "decimal" || typed == "double" {
			kind = values.NumberKind
		}
		literal := kind.Literal(text)
		if want := `"` + text + `"^^<http://www.w3.org/2001/XMLSchema#` + typed + `>`; literal != want {
			t.Errorf("%s is written %s, want %s", text, literal, want)
		}
		for _, literal := range []string{literal, `"` + text + `"^^xsd:` + typed} {
			if k, got, ok := values.ParseLiteral(literal); k != kind || got != text || !ok {
				t.Errorf("%s is the %s %q, %v", literal, k, got, ok)
			}
		}
	}
	for _, text := range []string{"", `"`, `"5"`, "5", `"5"@en`, `"5"^^`, `"5"^^xsd:string`, `"5"^^<xsd:decimal>`, `"5"^^<http://www.w3.org/2001/XMLSchema#decimal`, `5"^^xsd:decimal`} {
		if _, _, ok := values.ParseLiteral(text); ok {
			t.Errorf("%s is a literal", text)
		}
	}
}

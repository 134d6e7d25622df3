package values_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// rational reads a decimal exactly.
func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// randomNumber draws a decimal: of few digits, of about as many as a float64 has, or one that a program printed.
func randomNumber(rng *rand.Rand) string {
	switch rng.IntN(4) {
	case 0:
		return fmt.Sprintf("%.*g", 1+rng.IntN(20), rng.NormFloat64()*1e10)
	case 1:
		return fmt.Sprintf("%.*f", rng.IntN(25), rng.ExpFloat64())
	case 2:
		return fmt.Sprint(int64(1)<<53 + rng.Int64N(1<<uint(rng.IntN(62)+1)) - 100)
	}
	return fmt.Sprintf("%d.%0*d", rng.IntN(1000), 1+rng.IntN(18), rng.IntN(100_000))
}

// TestExactNumbers accepts a decimal if and only if it is printed again as the same, or has a fraction and is the
// float64 rounded to the decimal's own digits, of which there are at most 17.
func TestExactNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 1))
	counts := map[bool]int{}
	for range 20_000 {
		text := randomNumber(rng)
		exact := rational(t, text)
		x, _ := exact.Float64()
		mantissa, _, _ := strings.Cut(strings.TrimLeft(text, "-0."), "e")
		digits := strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "0")
		want := exact.Cmp(rational(t, values.NumberKind.Text(x))) == 0 ||
			!exact.IsInt() && len(digits) <= 17 && exact.Cmp(rational(t, new(big.Float).SetFloat64(x).Text('e', len(digits)-1))) == 0
		got, _, err := values.NumberKind.Parse(text)
		if got != x || (err == nil) != want || err != nil && !errors.Is(err, values.ErrInexact) {
			t.Fatalf("%s is read as %v, error %v, want %v: %v", text, got, err, x, want)
		}
		counts[want]++
	}
	if counts[true] < 1000 || counts[false] < 1000 {
		t.Errorf("only %v were exact or not", counts)
	}
	for text, want := range map[string]string{
		"9007199254740993":   "9007199254740993 would be read as 9007199254740992, as a 64-bit floating-point number has no more digits: round it, or make it the name of an entity",
		"100000000000000016": "read as 100000000000000020", "99999999999999992000000": "read as 1e23", "1e-400": "read as 0",
		"0.1000000000000000055511": "read as 0.1,", "0.30000000000000001": "read as 0.3,",
	} {
		if _, _, err := values.NumberKind.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"0.1", "0.10000000000000001", "0.30000000000000004", "-0", "0e99999999999999999999", "1e308", "5e-324", "00012.500", "12345678901234567890e-20"} {
		_, _, err := values.NumberKind.Parse(text)
		if wrong := text == "12345678901234567890e-20"; wrong != (err != nil) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// instant reads a date with a time exactly, as seconds since 1970.
func instant(t *testing.T, text string) *big.Rat {
	t.Helper()
	if !strings.Contains(text, "T") {
		text += "T00:00:00Z"
	}
	whole, decimals, _ := strings.Cut(strings.TrimSuffix(text, "Z"), ".")
	at, err := time.Parse("2006-01-02T15:04:05", whole)
	require.NoError(t, err)
	return new(big.Rat).Add(new(big.Rat).SetInt64(at.Unix()), rational(t, "0."+decimals+"0"))
}

// TestExactDates prints each moment that it accepts as the same, and refuses one only if its float64 is also that of a
// moment with as many decimals or fewer.
func TestExactDates(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 2))
	counts := map[bool]int{}
	for range 20_000 {
		decimals := rng.IntN(11)
		at := time.Unix(rng.Int64N(4e11)-1e11/2, 0).UTC()
		if rng.IntN(2) == 0 {
			at = time.Unix(rng.Int64N(1<<34)-1<<33, 0).UTC() // between 1697 and 2242
		}
		if at.Year() > 9999 || at.Year() < 0 {
			continue
		}
		text := at.Format("2006-01-02T15:04:05")
		if decimals > 0 {
			digits := fmt.Sprintf("%0*d", decimals, rng.Int64N(1e10))
			text += "." + digits[:decimals]
		}
		text += "Z"
		exact := instant(t, text)
		want, _ := exact.Float64()
		got, _, err := values.DateKind.Parse(text)
		printed := instant(t, values.DateKind.Text(got))
		if back, _ := printed.Float64(); decimals <= 9 && (got != want || back != want) {
			t.Fatalf("%s is read as %v, want %v, and printed as %s", text, got, want, values.DateKind.Text(got))
		}
		switch {
		case err == nil && printed.Cmp(exact) != 0:
			t.Fatalf("%s is printed as %s", text, values.DateKind.Text(got))
		case err != nil && !(errors.Is(err, values.ErrInexact) && (decimals > 9 || printed.Cmp(exact) != 0)):
			t.Fatalf("%s is refused, though it is printed as the same: %v", text, err)
		case err != nil && decimals <= 6 && at.Unix() > -1<<33 && at.Unix() < 1<<33:
			t.Fatalf("%s has no more than microseconds: %v", text, err)
		}
		counts[err == nil]++
	}
	if counts[true] < 1000 || counts[false] < 1000 {
		t.Errorf("only %v were exact or not", counts)
	}
	for text, want := range map[string]string{
		"2020-12-31T23:59:59.9999999Z": "2020-12-31T23:59:59.9999999Z would be read as 2021-01-01, as", "2020-01-01T00:00:00.123456789Z": "read as 2020-01-01T00:00:00.1234567Z",
		"1970-01-01T00:00:00.0000000001Z": "read as 1970-01-01, as",
	} {
		if _, _, err := values.DateKind.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"1950-12-31T23:59:59.9999999Z": "1950-12-31T23:59:59.9999999Z", "0001-01-01T00:00:00.125": "0001-01-01T00:00:00.125Z", "0001-01-01T00:00:00.001Z": "0001-01-01T00:00:00.001Z",
		"1969-12-31T23:59:59.500+01:00": "1969-12-31T22:59:59.5Z",
	} {
		x, _, err := values.DateKind.Parse(text)
		if got := values.DateKind.Text(x); got != want || err != nil {
			t.Errorf("%s is written %s, %v", text, got, err)
		}
	}
}

package values

import (
	"math"
	"strconv"
	"strings"
)

// decimal is an unsigned number: digits, without zeros at either end, times a power of ten. Zero has no digits.
type decimal struct {
	digits string
	power  int
}

// readDecimal parses a number that matches numberPattern.
func readDecimal(text string) decimal {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, _ := strconv.Atoi(exponent) // an exponent too large for an int makes every float64 inexact
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	return decimal{short, power - len(fraction) + len(digits) - len(short)}
}

// maxDigits is the number of digits that identifies every float64.
const maxDigits = 17

// names reports whether the decimal is the shortest that parses as x, or has a fraction and is x rounded to its
// number of digits, at most 17.
func (d decimal) names(x float64) bool {
	printed := func(digits int) bool { return readDecimal(strconv.FormatFloat(x, 'e', digits, 64)) == d }
	switch {
	case d.digits == "":
		return true
	case printed(-1):
		return true
	}
	return d.power < 0 && len(d.digits) <= maxDigits && printed(len(d.digits)-1)
}

// nanos is the number of nanoseconds in a second.
const nanos = 1_000_000_000

// parseMoment converts seconds since 1970 and their decimals to a float64, and reports whether it is exact: no other
// moment with at most as many decimals has the same float64.
func parseMoment(seconds int64, decimals string) (x float64, exact bool) {
	const most = 9
	decimals = strings.TrimRight(decimals, "0")
	fraction, _ := strconv.ParseInt((decimals + strings.Repeat("0", most))[:most], 10, 64)
	x = momentOf(seconds, fraction)
	s, f := moment(x)
	return x, s == seconds && f == fraction && len(decimals) <= most
}

// momentOf converts seconds and nanoseconds since 1970 to a float64.
func momentOf(seconds, fraction int64) float64 { return float64(seconds) + float64(fraction)/nanos }

// moment returns the seconds and nanoseconds since 1970, with the fewest decimals, that convert to x.
func moment(x float64) (seconds, fraction int64) {
	whole := math.Floor(x)
	seconds = int64(whole)
	for unit := int64(nanos); unit > 0; unit /= 10 {
		fraction = int64(math.Round((x-whole)*nanos/float64(unit))) * unit
		if momentOf(seconds, fraction) == x {
			break
		}
	}
	return seconds + fraction/nanos, fraction % nanos
}

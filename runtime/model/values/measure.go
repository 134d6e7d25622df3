package values

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of the values of an attribute.
type Kind string

// The kinds of values.
const (
	NumberKind Kind = "number"
	DateKind   Kind = "date"
)

// Span is the right-hand side of a comparison: the numbers from First to Last. Dates are seconds since 1970.
type Span struct{ First, Last float64 }

// Date is a moment, or all moments of a day, a month or a year: see ParseDate. The zero Date is none.
type Date struct {
	span Span
	set  bool
}

// ParseDate reads a date such as 1950, 1950-01, 1950-01-31 or 1950-01-31T12:00:00Z.
func ParseDate(text string) (Date, error) {
	s, err := DateKind.Span(text)
	return Date{s, err == nil}, err
}

// Span returns the moments of the date, and whether it is set.
func (d Date) Span() (s Span, set bool) { return d.span, d.set }

// Span parses a value for comparisons.
func (k Kind) Span(text string) (s Span, err error) {
	s.First, s.Last, err = k.Parse(text)
	return s, err
}

// checkValue reports an invalid kind.
func (k Kind) checkValue() error {
	if k != NumberKind && k != DateKind {
		return fmt.Errorf("kind is %q, want number or date", string(k))
	}
	return nil
}

// Example returns a value in the syntax of a formula.
func (k Kind) Example() string {
	if k == DateKind {
		return `"1950-01-31"`
	}
	return "12.5"
}

// The syntax of numbers and dates in XML Schema, without infinities.
var (
	numberPattern = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	datePattern   = regexp.MustCompile(`^(-?[0-9]{4,6})(?:-([0-9]{2})(?:-([0-9]{2})(?:(T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?)?)?)?(Z|[-+][0-9]{2}:[0-9]{2})?$`)
)

// ErrInexact is wrapped by the error for a number or a date that would be printed differently.
var ErrInexact = errors.New("a 64-bit floating-point number has no more digits")

// Parse parses a value. A number is a float64; a date is in seconds since 1970, of UTC unless it says otherwise. A
// year, a month or a day is a span of time: first and last are its first and last moments. For other values both are
// equal. Parse refuses a value that Text would print as another number or moment; a number with a fraction may also
// have more digits than needed, up to 17.
func (k Kind) Parse(text string) (first, last float64, err error) {
	exact := true
	switch k {
	case DateKind:
		first, last, exact, err = parseDate(text)
	default:
		first, exact, err = parseNumber(text)
		last = first
	}
	if err == nil && !exact {
		err = fmt.Errorf("%s would be read as %s, as %w: round it, or make it the name of an entity", text, k.Text(first), ErrInexact)
	}
	return first, last, err
}

// parseNumber parses a number, and reports whether it is exact.
func parseNumber(text string) (x float64, exact bool, err error) {
	if !numberPattern.MatchString(text) {
		return 0, false, fmt.Errorf("%q is not a number", text)
	}
	x, err = strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false, fmt.Errorf("%s is too large for a number", text)
	}
	return x + 0, readDecimal(text).names(x), nil // 0 for -0
}

// parseDate parses a date, and reports whether it is exact.
func parseDate(text string) (first, last float64, exact bool, err error) {
	p := datePattern.FindStringSubmatch(text)
	if p == nil {
		return 0, 0, false, fmt.Errorf("%q is not a date, such as 1950, 1950-01, 1950-01-31 or 1950-01-31T12:00:00Z", text)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(p[i])
		return n
	}
	years := 0
	months := 0
	days := 0
	month := 1
	day := 1
	switch {
	case p[3] != "":
		days = 1
		month = number(2)
		day = number(3)
	case p[2] != "":
		months = 1
		month = number(2)
	default:
		years = 1
	}
	start := time.Date(number(1), time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if start.Day() != day || int(start.Month()) != month {
		return 0, 0, false, fmt.Errorf("%q is not a date: there is no such day", text)
	}
	zone := 0
	if len(p[6]) > 1 {
		at, err := time.Parse("-07:00", p[6])
		if err != nil {
			return 0, 0, false, fmt.Errorf("%q is not a date: there is no time zone %s", text, p[6])
		}
		_, zone = at.Zone()
	}
	if p[4] != "" {
		clock, err := time.Parse("T15:04:05", p[4])
		if err != nil {
			return 0, 0, false, fmt.Errorf("%q is not a date: there is no such time", text)
		}
		at := start.Unix() + int64(clock.Sub(clock.Truncate(24*time.Hour))/time.Second) - int64(zone)
		x, exact := parseMoment(at, p[5])
		return x, x, exact, nil
	}
	end := start.AddDate(years, months, days)
	return float64(start.Unix() - int64(zone)), math.Nextafter(float64(end.Unix()-int64(zone)), math.Inf(-1)), true, nil
}

// Text formats a value in the syntax of Parse. As in JSON, a number below 1e-6 or from 1e21 on has an exponent. A date
// that is the first moment of a day is formatted as the day.
func (k Kind) Text(x float64) string {
	if k == NumberKind {
		text, _ := json.Marshal(x) // values are finite
		return strings.Replace(string(text), "e+", "e", 1)
	}
	t := time.Unix(moment(x)).UTC()
	year := strconv.Itoa(t.Year())
	if t.Year() >= 0 && t.Year() < 10_000 {
		year = fmt.Sprintf("%04d", t.Year())
	} else if t.Year() < 0 {
		year = fmt.Sprintf("-%04d", -t.Year())
	}
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return year + t.Format("-01-02")
	}
	return year + t.Format("-01-02T15:04:05.999999999Z")
}

package cli

import (
	"math"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"
)

// CheckBounds reports the first number on the command line that violates the tags of its flag: least, and most if
// present. For a flag without a default, 0 means that it is not given.
func CheckBounds(flags []*kong.Flag) error {
	for _, f := range flags {
		least, err := f.Tag.GetInt("least")
		if err != nil {
			continue // there is none
		}
		most, err := f.Tag.GetInt("most")
		if err != nil {
			most = math.MaxInt64
		}
		name := "--" + f.Name
		if len(f.Name) == 1 {
			name = "-" + f.Name
		}
		numbers := []reflect.Value{f.Target}
		if f.Target.Kind() == reflect.Slice {
			numbers = nil
			for _, v := range f.Target.Seq2() {
				numbers = append(numbers, v)
			}
		}
		for _, v := range numbers {
			x := v.Int()
			switch {
			case x == 0 && !f.HasDefault, least <= x && x <= most:
			case most < math.MaxInt64:
				return Usagef("%s is %d, want a number from %d to %d", name, x, least, most)
			default:
				return Usagef("%s is %d, want %d or more", name, x, least)
			}
		}
	}
	return nil
}

// Repeated returns a duplicate value in a list, if there is one.
func Repeated[T comparable](list []T) (twice T, ok bool) {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return x, true
		}
	}
	return twice, false
}

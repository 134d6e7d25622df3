package cli

import (
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/bounds"
)

// CheckBounds reports the first number on the command line that violates the bounds of its flag.
func CheckBounds(flags []*kong.Flag) error {
	for _, f := range flags {
		if !f.Tag.Has("least") {
			continue
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
			if want := bounds.Want(f.Tag, v.Int()); want != "" {
				return Usagef("%s is %d, want %s", name, v.Int(), want)
			}
		}
	}
	return nil
}

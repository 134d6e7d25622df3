package lower

import "fmt"

// Refusal explains why a shape cannot be compiled with the given options. The caller, which knows the query,
// adds its position and name.
type Refusal struct {
	// Msg states the problem, Hint what to do instead.
	Msg, Hint string
}

// Error returns the message with its hint.
func (r *Refusal) Error() string {
	if r.Hint == "" {
		return r.Msg
	}
	return r.Msg + ": " + r.Hint
}

// Refuse returns a Refusal.
func Refuse(hint, format string, args ...any) *Refusal {
	return &Refusal{Msg: fmt.Sprintf(format, args...), Hint: hint}
}

package importer

import "fmt"

// OptionError is the error for a file that may be readable with another option.
type OptionError struct {
	Err error
	// If says when the option helps; it is empty if it always does.
	If string
	// Option is the option and its value, such as separator=space. Words in capitals are placeholders.
	Option string
}

const (
	optionColumns = "columns=HEAD,RELATION,TAIL"     // names the columns of facts
	optionEdge    = "edge=COLUMN -RELATION-> COLUMN" // makes facts of two columns
)

// Error describes the mistake and the option that may help.
func (e *OptionError) Error() string {
	if e.If == "" {
		return fmt.Sprintf("%v: set %s", e.Err, e.Option)
	}
	return fmt.Sprintf("%v (if %s, set %s)", e.Err, e.If, e.Option)
}

func (e *OptionError) Unwrap() error { return e.Err }

package print

import "github.com/efoc/efoc/runtime"

// fields are the names that requests have for options, where users choose these.
var fields = map[string]string{
	"K": "k", "Offset": "offset", "SetSize": "sets", "Show": "show", "Statuses": "status", "MinConfidence": "min_confidence",
	"InRange": "in_range", "Type": "type", "Settings": "settings",
}

// Field returns the name that requests have for the option of an error.
func Field(e *runtime.OptionError) string {
	if name, ok := fields[e.Option]; ok {
		return name
	}
	return "option " + e.Option
}

package print

import "github.com/efoc/efoc/runtime"

// fields maps options to the field names in requests.
var fields = map[string]string{
	"K": "k", "Coverage": "coverage", "Offset": "offset", "SetSize": "sets", "Show": "show", "Statuses": "status", "MinConfidence": "min_confidence",
	"InRange": "in_range", "Type": "type", "Settings": "settings", "Entities": "entities",
}

// Field returns the request's field name for the option in an error.
func Field(e *runtime.OptionError) string {
	if name, ok := fields[e.Option]; ok {
		return name
	}
	return "option " + e.Option
}

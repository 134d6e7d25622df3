package importer

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/efoc/efoc/runtime/internal/jsonfile"
)

// entityType is the relation from the entities of an assistant's memory to their types.
const entityType = "entity_type"

// memoryLine is a line of an assistant's memory: an entity, or a relation between two.
type memoryLine struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

// readMemory reads the JSON Lines of the memory server of the Model Context Protocol. The type of an
// entity is a fact; its observations are literals.
func readMemory(r *factFile) error {
	return r.lines(func(n int, line []byte) error {
		var x memoryLine
		if err := jsonfile.Read(line, &x, json.RejectUnknownMembers(false)); err != nil {
			return fmt.Errorf(`%w: want lines such as {"type":"relation","from":"Ada","to":"Bob","relationType":"knows"}`, err)
		}
		switch x.Type {
		case "relation":
			return r.linkNames(statement{[3]string{x.From, x.RelationType, x.To}, n})
		case "entity":
			for _, text := range x.Observations {
				if r.literal != keepLiterals {
					r.leaveOut("observations")
				} else if err := r.linkNames(statement{[3]string{x.Name, "observations", text}, n}); err != nil {
					return err
				}
			}
			if x.EntityType == "" {
				return nil
			}
			return r.linkNames(statement{[3]string{x.Name, entityType, x.EntityType}, n})
		}
		return fmt.Errorf(`the type is %q, want relation or entity`, x.Type)
	})
}

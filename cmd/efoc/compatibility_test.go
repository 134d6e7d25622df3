package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// TestCompatibilityPage checks that the page on compatibility has the numbers of the formats.
func TestCompatibilityPage(t *testing.T) {
	page := readText(t, "docs/releases.md")
	for _, number := range []string{fmt.Sprintf("| bundle format %d |", model.BundleVersion), fmt.Sprintf("| runtime version %d |", plan.ABI)} {
		if !strings.Contains(page, number) {
			t.Errorf("docs/releases.md has no %s: say in the changelog, too, that the number changed", number)
		}
	}
}

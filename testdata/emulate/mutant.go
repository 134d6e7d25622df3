package emulate

import (
	"fmt"
	"regexp"
	"strings"
)

// Mutant names the environment variable that has devices leave out a barrier or a fence: NAME.cuh:3 is the fourth
// of that header.
const Mutant = "EFOC_MUTANT"

var orders = regexp.MustCompile(`\b(__syncthreads\(\)|__syncwarp\(\)|__threadfence\(\)|wait_for_all\(q\.barrier\));`)

// Orders returns the lines of a header that have a barrier or a fence, one for each.
func Orders(text string) (lines []string) {
	for _, at := range orders.FindAllStringIndex(text, -1) {
		begin := strings.LastIndex(text[:at[0]], "\n") + 1
		end := at[1] + strings.Index(text[at[1]:], "\n")
		lines = append(lines, strings.TrimSpace(text[begin:end]))
	}
	return lines
}

// mutated leaves a barrier or a fence out of headers.
func mutated(headers map[string]string, mutant string) (map[string]string, error) {
	if mutant == "" {
		return headers, nil
	}
	name, number, _ := strings.Cut(mutant, ":")
	text := headers[name]
	for i, at := range orders.FindAllStringIndex(text, -1) {
		if fmt.Sprint(i) == number {
			headers[name] = text[:at[0]] + ";" + text[at[1]:]
			return headers, nil
		}
	}
	return nil, fmt.Errorf("%s=%s: there is no such barrier or fence", Mutant, mutant)
}

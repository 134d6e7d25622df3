//go:build !amd64 || noasm

package simd

// assembledTrainers are the trainers in assembly.
func assembledTrainers() []trainer { return nil }

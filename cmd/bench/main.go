//go:build ignore

package main

import "github.com/efoc/efoc/cmd/bench"

func main() { bench.Main() }

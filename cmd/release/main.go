//go:build ignore

package main

import "github.com/efoc/efoc/cmd/release"

func main() { release.Main() }

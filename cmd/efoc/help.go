package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// helpTexts has what the help of efoc and of each command says beside the flags.
//
//go:embed help/*.txt
var helpTexts embed.FS

// helpText returns the text of a command.
func helpText(command string) string {
	text, err := helpTexts.ReadFile("help/" + command + ".txt")
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return strings.TrimSuffix(string(text), "\n")
}

// helpLongFlag prints the help of all commands, one after the other.
type helpLongFlag bool

// BeforeReset is called by kong where the flag is given.
func (helpLongFlag) BeforeReset(k *kong.Kong) error {
	if err := printHelp(k); err != nil {
		return err
	}
	for _, command := range k.Model.Leaves(true) {
		fmt.Fprintf(k.Stdout, "\n%s\n\n", command.Name)
		if err := printHelp(k, command.Name); err != nil {
			return err
		}
	}
	k.Exit(statusOK)
	return nil
}

// printHelp prints the help of a command, or of the program.
func printHelp(k *kong.Kong, command ...string) error {
	c, err := kong.Trace(k, command)
	if err != nil {
		return err
	}
	return c.PrintUsage(false)
}

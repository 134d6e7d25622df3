package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/regularfile"
)

// tokenFlags are the tokens for asking and for changing facts.
type tokenFlags struct {
	FactsTokenFile string `group:"access" placeholder:"FILE" in:"" help:"File with another token, which lets clients add and remove facts (POST /v1/facts); they go into FILE.efoc.journal. EFOC_FACTS_TOKEN in the environment does the same. Without it, clients cannot change facts."`
	TokenFile      string `group:"access" placeholder:"FILE" in:"" help:"File with the token that clients must send, of 16 bytes or more; EFOC_TOKEN in the environment does the same."`
}

// tokens returns the tokens for asking and for changing facts, empty for none. file says that the model has a file,
// which changes require.
func (c *tokenFlags) tokens(file bool) (token, factsToken string, err error) {
	token, err = readToken("token", c.TokenFile, "EFOC_TOKEN")
	if err != nil {
		return "", "", err
	}
	factsToken, err = readToken("facts-token", c.FactsTokenFile, "EFOC_FACTS_TOKEN")
	if err != nil {
		return "", "", err
	}
	if token != "" && token == factsToken {
		return "", "", usagef("the tokens for facts and for questions are the same: anyone who may ask could change facts; use another one")
	}
	if factsToken != "" && !file {
		return "", "", usagef("facts are kept beside a model's file: give one with --model")
	}
	return token, factsToken, nil
}

// minToken is the least length of a token, in bytes; maxToken bounds a file that holds one.
const minToken, maxToken = 16, 64 << 10

// readToken returns the token from a flag's file or from the environment, empty for none.
func readToken(flag, file, variable string) (string, error) {
	token := os.Getenv(variable)
	source := variable
	switch {
	case file == "" && token == "":
		return "", nil
	case file != "" && token != "":
		return "", usagef("there are --%s-file and %s: give one of them", flag, variable)
	case file != "":
		text, err := regularfile.Read(file, maxToken)
		if err != nil {
			return "", err
		}
		token = strings.TrimSpace(string(text))
		source = file
	}
	switch {
	case token == "" || strings.ContainsAny(token, " \t\r\n"):
		return "", fmt.Errorf("%s: want one token, a word without blanks", source)
	case len(token) < minToken:
		return "", fmt.Errorf("%s: the token has %s, want %d or more, such as openssl rand -hex %[3]d prints", source, tables.Number(len(token), "byte"), minToken)
	}
	return token, nil
}

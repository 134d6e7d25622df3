package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/lang"
)

// cli is the command line.
type cli struct {
	Version  kong.VersionFlag `help:"Print the version and exit."`
	HelpLong helpLongFlag     `help:"Print the help of all commands and exit."`

	Ask        askCmd        `cmd:"" help:"Answer a question over a knowledge graph with gaps."`
	Serve      serveCmd      `cmd:"" help:"Answer questions over HTTP, for programs and on a page."`
	Explain    explainCmd    `cmd:"" help:"Show how a question is answered: query graph, message schedule, plan and cost."`
	Eval       evalCmd       `cmd:"" help:"Measure how well a model answers benchmark queries."`
	Tune       tuneCmd       `cmd:"" help:"Choose the settings of each shape on validation queries."`
	Bench      benchCmd      `cmd:"" help:"Time the engines that answer queries."`
	Generate   generateCmd   `cmd:"" help:"Generate Go code from .efo files."`
	Fmt        fmtCmd        `cmd:"" help:"Format .efo files."`
	Sample     sampleCmd     `cmd:"" help:"Draw benchmark queries with exact answers from a graph."`
	Import     importCmd     `cmd:"" help:"Make a model out of a graph and trained embeddings."`
	Convert    convertCmd    `cmd:"" help:"Convert benchmark queries, with their graphs, between the formats of BetaE, FIT and efoc."`
	Train      trainCmd      `cmd:"" help:"Train a link predictor on a graph and make a model of them."`
	Info       infoCmd       `cmd:"" help:"Show what a model holds, and look up its names."`
	Completion completionCmd `cmd:"" help:"Set up completion with the tab key in bash, zsh or fish."`
	VersionCmd versionCmd    `cmd:"" name:"version" help:"Print the version."`
}

const description = `efoc answers first-order questions over incomplete knowledge graphs.

Try it, a small model of the world is built in:

    efoc ask 'borders("France", x) & official_language(x, "German")'

Exit status:

    0    done
    1    failed: a file cannot be read or written, a model is damaged,
         nothing was found, generated code is out of date
    2    the command line or the query is wrong; an unknown name counts here
    130  interrupted`

// app holds what a command may touch of the outside world.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
}

// runContext parses the command line and runs the command that it names.
func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}
	status, exited := statusOK, false
	helpTo := stdout
	completing := os.Getenv("COMP_LINE") != ""
	if len(args) == 0 && !completing {
		args, helpTo, status = []string{"--help"}, stderr, statusUsage
	}
	parser, err := kong.New(&cli{},
		kong.Name("efoc"),
		kong.Description(description),
		kong.Writers(helpTo, stderr),
		kong.Bind(a),
		kong.Vars{"version": version()},
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, Compact: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "query", Title: "Other ways to give the query:"},
			{Key: "estimate", Title: "Cost on tables of a given size:"},
			{Key: "settings", Title: "Settings of message passing:"},
			{Key: "table", Title: "How embeddings are stored:"},
			{Key: "training", Title: "How to train; chosen by the size of the graph if not given:"},
			{Key: "course", Title: "How long to train, and what to keep:"},
			{Key: "access", Title: "Who may ask:"},
			{Key: "log", Title: "Log:"},
			{Key: "limits", Title: "Limits (default):"},
			{Key: "degrees", Title: "Settings of truth degrees:"},
			{Key: "checkpoint", Title: "For unusual checkpoints:"},
		}),
		kong.Exit(func(code int) {
			exited = true
			if code != 0 {
				status = statusFailure
			}
		}),
	)
	if err != nil {
		return a.fail(fmt.Errorf("internal error: %w", err))
	}
	if completing {
		kongcompletion.Register(parser, kongcompletion.WithPredictors(predictors()))
		if exited {
			return status
		}
	}
	command, err := parser.Parse(args)
	switch {
	case exited: // help or version was printed
		return status
	case err != nil:
		return a.fail(a.usage(err))
	}
	if err := command.Run(); err != nil {
		return a.fail(err)
	}
	return status
}

// usage adds to an error about the command line where to find help.
func (a *app) usage(err error) error {
	help := "efoc --help"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			help = "efoc " + node.Name + " --help"
		}
	}
	return usagef("%w\ntry: %s", err, help)
}

// predictors say what may be completed to file and shape names.
func predictors() map[string]complete.Predictor {
	shapes := make([]string, len(lang.Shapes))
	for i, s := range lang.Shapes {
		shapes[i] = s.Name
	}
	return map[string]complete.Predictor{
		"efo":       complete.PredictFiles("*.efo"),
		"model":     complete.PredictFiles("*.efoc"),
		"file":      complete.PredictFiles("*"),
		"shape":     complete.PredictSet(shapes...),
		"engine":    complete.PredictSet(benchEngines...),
		"device":    complete.PredictSet("cpu", "cuda"),
		"published": complete.PredictSet(eval.PublishedGraphs()...),
	}
}

// completionCmd prints the shell code for completion.
type completionCmd struct {
	kongcompletion.Completion
}

// Help shows an example.
func (c *completionCmd) Help() string {
	return `Prints the command that turns completion on in this shell, and where to put it for good.

Example:

    source <(efoc completion -c bash)`
}

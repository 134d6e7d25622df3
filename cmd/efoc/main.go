// Command efoc answers questions over incomplete knowledge graphs, explains the answers, and
// generates Go code for query templates.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/runtime/shards/mpi"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program; it returns the exit status. The first signal stops it cleanly, a second one immediately.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, append(mpi.EndSignals(), os.Interrupt, syscall.SIGTERM)...)
	go func() {
		if s, ok := <-signals; ok {
			signal.Stop(signals)
			cancel(stopSignal{s})
		}
	}()
	defer close(signals)
	defer signal.Stop(signals)
	return runContext(ctx, args, stdin, stdout, stderr)
}

type commands struct {
	Version versionFlag `help:"Print the version and exit."`

	Ask     askCmd     `cmd:"" group:"ask" help:"Answer a question over an incomplete knowledge graph."`
	Answer  answerCmd  `cmd:"" group:"ask" help:"Answer templates for rows of parameters."`
	Explain explainCmd `cmd:"" group:"ask" help:"Show how a question is answered: query graph, message schedule, plan and cost."`
	Missing missingCmd `cmd:"" group:"ask" help:"List the facts that the graph most likely lacks."`
	Serve   serveCmd   `cmd:"" group:"ask" help:"Answer questions over HTTP, for programs and on a web page."`
	MCP     mcpCmd     `cmd:"" group:"ask" name:"mcp" help:"Give an assistant tools over the Model Context Protocol."`

	Train     trainCmd     `cmd:"" group:"models" help:"Train a link predictor on a graph and make a model."`
	Import    importCmd    `cmd:"" group:"models" help:"Make a model from a graph and trained embeddings."`
	Calibrate calibrateCmd `cmd:"" group:"models" help:"Fit temperatures, settings, semantics and confidence to validation facts, or settings of each shape to validation queries."`
	Info      infoCmd      `cmd:"" group:"models" help:"Show the contents of a model, and look up its names."`
	Add       addCmd       `cmd:"" group:"models" help:"Add facts to a model."`
	Remove    removeCmd    `cmd:"" group:"models" help:"Remove facts from a model."`
	Compact   compactCmd   `cmd:"" group:"models" help:"Merge added and removed facts into the model's file."`
	Export    exportCmd    `cmd:"" group:"models" help:"Write the facts of a model as TSV, to train again."`
	Split     splitCmd     `cmd:"" group:"models" help:"Split a model into shards, for a table too large for one machine."`

	Fmt      fmtCmd      `cmd:"" group:"templates" help:"Format .efo files."`
	Generate generateCmd `cmd:"" group:"templates" help:"Generate Go code from .efo files."`
	LSP      lspCmd      `cmd:"" group:"templates" name:"lsp" help:"Serve .efo files to an editor over the Language Server Protocol."`

	Sample sampleCmd `cmd:"" group:"benchmarks" help:"Draw benchmark queries with exact answers from a graph."`
	Eval   evalCmd   `cmd:"" group:"benchmarks" help:"Measure how well a model answers benchmark queries."`
	Bench  benchCmd  `cmd:"" group:"benchmarks" help:"Time the engines that answer queries."`
}

// runContext parses the command line and runs its command.
func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, bar: cli.NewBar(stderr)}
	status := statusOK
	exited := false
	helpTo := stdout
	if len(args) == 0 {
		args = []string{"--help"}
		helpTo = stderr
		status = statusUsage
	}
	parser, err := newParser(grammarFor(args),
		kong.Writers(helpTo, stderr),
		kong.Bind(a),
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
	command, err := parser.Parse(args)
	if exited { // help or version was printed
		return status
	}
	if err != nil {
		return a.fail(a.usage(err))
	}
	if err := a.runCommand(command); err != nil {
		return a.fail(err)
	}
	a.bar.Clear()
	return a.status
}

// runCommand checks and runs a command, unless this process only serves shards to another.
func (a *app) runCommand(command *kong.Context) error {
	if err := cli.CheckBounds(command.Flags()); err != nil {
		return err
	}
	if err := cli.CheckApart(command, a.stdin, a.stdout); err != nil {
		return err
	}
	served, err := joinRanks(a.ctx, command)
	if served || err != nil {
		return err
	}
	return command.Run()
}

// grammarFor returns the part of the grammar that a command line needs: the command that its first argument names.
// Most of a short command's time would go into building the others.
func grammarFor(args []string) any {
	named := false
	fields := reflect.VisibleFields(reflect.TypeFor[commands]())
	fields = slices.DeleteFunc(fields, func(f reflect.StructField) bool {
		_, command := f.Tag.Lookup("cmd")
		if !command {
			return false
		}
		asked := len(args) > 0 && args[0] == strings.ToLower(f.Name)
		named = named || asked
		return !asked
	})
	if !named {
		return &commands{}
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// newParser returns the parser of a command line by a grammar.
func newParser(grammar any, options ...kong.Option) (*kong.Kong, error) {
	options = append([]kong.Option{
		kong.Name("efoc"),
		kong.Description(helpText("efoc")),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, Compact: true, WrapUpperBound: 100}),
		kong.Help(func(o kong.HelpOptions, c *kong.Context) error {
			if c.Selected() != nil {
				hideFlags(c.Model.Flags, func(f *kong.Flag) bool { return f.Name == "version" })
			}
			return kong.DefaultHelpPrinter(o, c)
		}),
		kong.NamedMapper("percent", kong.MapperFunc(decodeShare)),
		kong.ExplicitGroups([]kong.Group{
			{Key: "ask", Title: "Ask:"},
			{Key: "models", Title: "Models:"},
			{Key: "templates", Title: "Templates:"},
			{Key: "benchmarks", Title: "Benchmarks:"},
			{Key: "query", Title: "Other ways to give the query:"},
			{Key: "filter", Title: "Which answers are wanted:"},
			{Key: "table", Title: "How embeddings are stored:"},
			{Key: "training", Title: "How to train; by default chosen by the size of the graph:"},
			{Key: "course", Title: "How long to train, and what to keep:"},
			{Key: "access", Title: "Who may ask:"},
			{Key: "log", Title: "Log:"},
			{Key: "limits", Title: "Limits:"},
			{Key: "checkpoint", Title: "For unusual checkpoints:"},
		}),
	}, options...)
	parser, err := kong.New(grammar, options...)
	if err != nil {
		return nil, err
	}
	for _, command := range parser.Model.Leaves(false) {
		command.Detail = helpText(command.Name) + cli.OptionHelp(command, optionTables)
		hideFlags(command.Flags, lacking)
	}
	return parser, nil
}

// usage adds a pointer to the help to an error about the command line.
func (a *app) usage(err error) error {
	help := "efoc --help"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			help = "efoc " + node.Name + " --help"
			if hint := cmp.Or(modelHint(parse.Context), unitHint(err)); hint != "" {
				err = fmt.Errorf("%w: %s", err, hint)
			}
		}
	}
	return usagef("%w\ntry: %s", err, help)
}

// unitHint explains how to write a duration without a unit.
func unitHint(err error) string {
	unitless := regexp.MustCompile(`missing unit in duration "(.*)"`)
	if time := unitless.FindStringSubmatch(err.Error()); time != nil {
		return fmt.Sprintf("write %ss or %sm", time[1], time[1])
	}
	return ""
}

// modelHint explains how a command takes its model, if an argument names one.
func modelHint(c *kong.Context) string {
	takes := false
	for _, flag := range c.Flags() {
		takes = takes || flag.Name == "model" && !flag.Set
	}
	for _, positional := range c.Selected().Positional {
		takes = takes && !strings.HasSuffix(positional.Name, ".efoc")
	}
	if !takes {
		return ""
	}
	for _, argument := range c.Args {
		if strings.HasSuffix(argument, ".efoc") {
			return "name the model by -m " + argument
		}
	}
	return ""
}

package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Command measures the answers that an assistant gets.
type Command struct {
	Model     string    `arg:"" help:"Model, which holds facts back."`
	Questions cli.Count `default:"100" help:"Number of questions, half of them of one link (default: ${default})."`
	Any       bool      `help:"Ask about any facts, not only those held back."`
	Seed      uint64    `default:"1" help:"Random seed of the questions (default: ${default})."`
	Efoc      string    `default:"efoc" placeholder:"FILE" help:"Program whose mcp is the assistant's server (default: ${default})."`
}

// bytesPerToken is the assumed length of a token.
const bytesPerToken = 4

// arguments are the arguments of the tool ask.
type arguments struct {
	Formula       string   `json:"formula"`
	K             int      `json:"k"`
	Status        []string `json:"status,omitempty"`
	MinConfidence float64  `json:"min_confidence,omitempty"`
}

// ways are the ways to ask each question.
var ways = []struct {
	name string
	arguments
}{
	{"known answers only", arguments{Status: []string{"known"}}},
	{"and predictions of confidence 0.5 or more", arguments{MinConfidence: 0.5}},
	{"and predictions of confidence 0.2 or more", arguments{MinConfidence: 0.2}},
	{"and predictions of confidence 0.1 or more", arguments{MinConfidence: 0.1}},
}

// Run asks the questions and prints the report.
func (c *Command) Run(ctx context.Context, out *cli.Output) (err error) {
	questions, err := c.draw()
	if err != nil {
		return err
	}
	server := exec.CommandContext(ctx, c.Efoc, "mcp", "--model", c.Model)
	server.Stderr = out.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		return fmt.Errorf("%s mcp: %w", c.Efoc, err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	var rows []tables.Row
	for _, w := range ways {
		sum := 0.0
		length := 0
		for _, q := range questions {
			w.Formula = q.formula
			w.K = 2 * mostAnswers
			answers, size, err := ask(ctx, session, w.arguments)
			if err != nil {
				return fmt.Errorf("%s: %w", q.formula, err)
			}
			sum += q.f1(answers)
			length += size
		}
		n := float64(len(questions))
		rows = append(rows, tables.Row{w.name, fmt.Sprintf("%.3f", sum/n), fmt.Sprintf("%.0f", float64(length)/bytesPerToken/n)})
	}
	_, err = fmt.Fprintf(out.Stdout, "%s\n\nmeans of %d questions; a token is %d bytes of arguments and reply\n",
		tables.Text([]string{"", ">F1", ">tokens"}, rows), len(questions), bytesPerToken)
	return err
}

// draw draws the questions from the model.
func (c *Command) draw() (list []question, err error) {
	m, err := runtime.Open(c.Model, model.Mapped())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	d := &drawer{m, rand.New(rand.NewPCG(c.Seed, 0)), c.Any}
	return d.draw(int(c.Questions))
}

// answerLine matches a line of the tool's text that has an answer.
var answerLine = regexp.MustCompile(`(?m)^[0-9]+\t([^\t\n]+)\t`)

// ask calls the tool ask, and returns the answers and the number of bytes of its arguments and its text.
func ask(ctx context.Context, session *mcp.ClientSession, a arguments) (answers []string, size int, err error) {
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err != nil {
		return nil, 0, err
	}
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: json.RawMessage(input.Bytes())})
	if err != nil {
		return nil, 0, err
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return nil, 0, errors.New(text)
	}
	for _, line := range answerLine.FindAllStringSubmatch(text, -1) {
		answers = append(answers, line[1])
	}
	return answers, input.Len() + len(text), nil
}

// f1 is the harmonic mean of precision and recall of distinct answers.
func (q *question) f1(answers []string) float64 {
	right := 0
	for _, a := range answers {
		if q.truth[a] {
			right++
		}
	}
	return 2 * float64(right) / float64(len(answers)+len(q.truth))
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/testdata/require"
)

// A client of the SDK talks to the command over its standard input and output.
func TestMCP(t *testing.T) {
	stdin, toServer := io.Pipe()
	fromServer, stdout := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- runContext(t.Context(), []string{"mcp", "--tokens", "100"}, stdin, stdout, io.Discard)
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{
		"formula": `in_continent(y, "Europe")`, "k": 100,
	}})
	require.NoError(t, err)
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError || !strings.Contains(text, "\tknown\n") || !strings.Contains(text, "more lines left out") || len(text) > 500 {
		t.Errorf("error %v, %d bytes, want known answers in 400 bytes and a note:\n%s", r.IsError, len(text), text)
	}
	session.Close()
	if status := <-ended; status != statusOK {
		t.Errorf("the session's end is status %d, want %d", status, statusOK)
	}
}

// A line that is no message is answered with an error, and the session goes on. Calls that are
// under way when the input ends are answered.
func TestMCPLines(t *testing.T) {
	const first = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	ask := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask","arguments":{"formula":"exists x. borders(\"France\", x) & capital(x, y)"}}}`, id)
	}
	const refused = `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q`
	for _, x := range []struct {
		name, input string
		want        []string // parts of the lines of the output, in any order
	}{
		{"no JSON", "hello\n" + ask(1) + "\n", []string{fmt.Sprintf(refused, -32700, "the line is not JSON"), `"id":1,"result"`}},
		{"cut", ask(1)[:30] + "\n\n \r\n" + ask(2) + "\r\n", []string{fmt.Sprintf(refused, -32700, "the line is not JSON"), `"id":2,"result"`}},
		{"two in a line", ask(1) + ask(2) + "\n" + ask(3), []string{fmt.Sprintf(refused, -32700, "the line is not JSON"), `"id":3,"result"`}},
		{"not UTF-8", "{\"\xff\":1}\n" + ask(1), []string{fmt.Sprintf(refused, -32700, "the line is not in UTF-8"), `"id":1,"result"`}},
		{"too long", `{"x":"` + strings.Repeat("x", 1<<20) + "\"}\n" + ask(1), []string{fmt.Sprintf(refused, -32600, "the line is over the limit of 1048576 bytes"), `"id":1,"result"`}},
		{"no message", "{}\n[]\n7\n" + ask(1), []string{fmt.Sprintf(refused, -32600, "invalid message version"), fmt.Sprintf(refused, -32600, "unmarshaling jsonrpc message"),
			fmt.Sprintf(refused, -32600, "unmarshaling jsonrpc message"), `"id":1,"result"`}},
		{"an array", "[" + ask(1) + "]\n" + ask(2), []string{fmt.Sprintf(refused, -32600, "unmarshaling jsonrpc message"), `"id":2,"result"`}},
		{"many at the end", strings.Join([]string{ask(1), ask(2), ask(3), ask(4)}, "\n"), []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`, `"id":4,"result"`}},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := efocInput(t, first+x.input, "mcp")
			lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
			if r.status != statusOK || len(lines) != len(x.want)+1 {
				t.Errorf("status %d and %d lines, want %d and %d:\n%s%s", r.status, len(lines), statusOK, len(x.want)+1, r.stdout, r.stderr)
			}
			for _, line := range lines {
				if !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %s", line)
				}
			}
			for _, want := range x.want {
				if !strings.Contains(r.stdout, strings.TrimSuffix(want, `"`)) {
					t.Errorf("without %s:\n%s", want, r.stdout)
				}
			}
		})
	}
	c := &stdioConn{calls: map[jsonrpc.ID]bool{}}
	if _, err := c.accept([]byte(ask(3))); err != nil {
		t.Error(err)
	}
	if _, err := c.accept([]byte(ask(3))); err == nil || !strings.Contains(err.Error(), "a call with the id 3 is under way") {
		t.Errorf("a second call with an id: %v", err)
	}
	// Nobody reads the answers any more.
	read, write := io.Pipe()
	read.Close()
	if status := runContext(t.Context(), []string{"mcp"}, strings.NewReader(first+ask(1)), write, io.Discard); status == statusOK {
		t.Error("answers were lost, and the status says that all went well")
	}
}

// The inspector of the protocol's authors lists the tools and calls one, over both transports.
func TestMCPInspector(t *testing.T) {
	inspector := os.Getenv("EFOC_MCP_INSPECTOR")
	if inspector == "" {
		t.Skip("it needs the program mcp-inspector of the npm package @modelcontextprotocol/inspector, named by EFOC_MCP_INSPECTOR")
	}
	for name, target := range map[string][]string{
		"stdio": {"-e", "EFOC_TEST_PROGRAM=1", os.Args[0], "-test.run=^TestProgram$", "mcp"},
		"http":  {serve(t).url + "/mcp", "--transport", "http"},
	} {
		for _, x := range []struct {
			args []string
			want string
		}{
			{[]string{"--method", "tools/list"}, `"name": "describe"`},
			{[]string{"--method", "tools/call", "--tool-name", "ask", "--tool-arg", `formula=capital("France", y)`}, `Paris\t1.00\tknown`},
		} {
			command := exec.CommandContext(t.Context(), inspector, append(append([]string{"--cli"}, target...), x.args...)...)
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), x.want) {
				t.Errorf("%s %v: %v, without %q:\n%s", name, x.args, err, x.want, out)
			}
		}
	}
}

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// A line that is no message ends the session with an error.
func TestMCPLines(t *testing.T) {
	const first = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for _, x := range []struct{ name, input string }{
		{"no JSON", "hello\n"},
		{"cut", `{"jsonrpc":"2.0","id":1,"method"` + "\n"},
		{"too long", `{"x":"` + strings.Repeat("x", 1<<21) + "\"}\n"},
		{"no message", "{}\n"},
	} {
		r := efocInput(t, first+x.input, "mcp")
		if r.status == statusOK || !strings.HasPrefix(r.stderr, "efoc: the client broke the protocol") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, want one error:\n%s%s", x.name, r.status, r.stdout, r.stderr)
		}
	}
}

// The inspector of the protocol's authors lists the tools and calls one, over both transports.
func TestMCPInspector(t *testing.T) {
	inspector := os.Getenv("EFOC_MCP_INSPECTOR")
	if inspector == "" {
		t.Skip("it needs the program mcp-inspector of the npm package @modelcontextprotocol/inspector, named by EFOC_MCP_INSPECTOR")
	}
	file := filepath.Join(t.TempDir(), "t.efo")
	require.NoError(t, os.WriteFile(file, []byte("package t\n\nquery Capital(country entity) y = capital($country, y)\n"), 0o644))
	for name, target := range map[string][]string{
		"stdio": {"-e", "EFOC_TEST_PROGRAM=1", os.Args[0], "-test.run=^TestProgram$", "mcp", file},
		"http":  {serve(t, "-f", file).url + "/mcp", "--transport", "http"},
	} {
		for _, x := range []struct {
			args []string
			want string
		}{
			{[]string{"--method", "tools/list"}, `"name": "describe"`},
			{[]string{"--method", "tools/call", "--tool-name", "ask", "--tool-arg", `formula=capital("France", y)`}, `Paris\t1.00\tknown`},
			{[]string{"--method", "tools/call", "--tool-name", "templates"}, `query Capital(country entity) y =`},
			{[]string{"--method", "tools/call", "--tool-name", "ask", "--tool-arg", "template=Capital", `args={"country":"France"}`}, `Paris\t1.00\tknown`},
		} {
			command := exec.CommandContext(t.Context(), inspector, append(append([]string{"--cli"}, target...), x.args...)...)
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), x.want) {
				t.Errorf("%s %v: %v, without %q:\n%s", name, x.args, err, x.want, out)
			}
		}
	}
}

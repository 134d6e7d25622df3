package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{
		"formula": `in_continent(y, "Europe")`, "k": 100,
	}})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError || !strings.Contains(text, "\tknown\n") || !strings.Contains(text, "more lines left out") || len(text) > 500 {
		t.Errorf("error %v, %d bytes, want known answers in 400 bytes and a note:\n%s", r.IsError, len(text), text)
	}
	session.Close()
	if status := <-ended; status != statusOK {
		t.Errorf("the session's end is status %d, want %d", status, statusOK)
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

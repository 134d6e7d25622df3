package load

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"
)

// harass sends what no client should, until ctx is done. q is a good question.
func (t *target) harass(ctx context.Context, i int, q *question) {
	at, err := url.Parse(t.url)
	if err != nil {
		return
	}
	for ; ctx.Err() == nil; i++ {
		c, err := net.DialTimeout("tcp", at.Host, time.Second)
		if err != nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		c.SetDeadline(time.Now().Add(3 * time.Second))
		switch i % 5 {
		case 0: // nonsense
			fmt.Fprint(c, "\x16\x03\x01\x00 nonsense\r\n\r\n")
			io.Copy(io.Discard, c)
		case 1: // a formula that nests too deep
			send(c, `{"formula":"`+strings.Repeat("(", 5000)+`"}`, 0)
			io.Copy(io.Discard, io.LimitReader(c, 200))
		case 2: // a body that is too large
			send(c, `{"formula":"`+strings.Repeat("x", 4<<20)+`"}`, 0)
		case 3: // one that comes slowly and never ends
			send(c, `{"formula":"`, 1000)
			for range 10 {
				if ctx.Err() == nil {
					fmt.Fprint(c, "x")
					time.Sleep(100 * time.Millisecond)
				}
			}
		case 4: // a question whose answer nobody reads
			send(c, string(q.body), 0)
		}
		c.Close()
	}
}

// send posts a body that claims to be longer than it is by missing bytes.
func send(c net.Conn, body string, missing int) {
	fmt.Fprintf(c, "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body)+missing, body)
}

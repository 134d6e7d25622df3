package load

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// wire is the connection of one client, which it keeps. The client shares the processors
// with the server: it writes requests that were put into bytes before the load, and leaves
// what comes back to be read after it.
type wire struct {
	scheme, address string
	conn            net.Conn // nil before the first request, and after an error
	in              *bufio.Reader
}

// patience bounds the time for a request.
const patience = time.Minute

// newWire returns a connection to a server that is to be opened.
func newWire(server string) (*wire, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if port == "" {
		return nil, fmt.Errorf("the address %s is not one of http or https", server)
	}
	return &wire{scheme: u.Scheme, address: net.JoinHostPort(u.Hostname(), port)}, nil
}

// close ends the connection.
func (w *wire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// ask sends the bytes of a request and returns the status and the body of the response.
func (w *wire) ask(request []byte) (status int, body []byte, err error) {
	if w.conn == nil {
		if err := w.open(); err != nil {
			return 0, nil, err
		}
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if err := w.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, nil, err
	}
	r, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return 0, nil, err
	}
	var text bytes.Buffer
	if r.ContentLength > 0 {
		text.Grow(int(min(r.ContentLength, 1<<20)) + bytes.MinRead)
	}
	if _, err := io.Copy(&text, r.Body); err != nil {
		return 0, nil, err
	}
	if r.Close {
		w.close()
	}
	return r.StatusCode, text.Bytes(), nil
}

func (w *wire) open() (err error) {
	switch w.scheme {
	case "https":
		w.conn, err = tls.Dial("tcp", w.address, nil)
	default:
		w.conn, err = net.Dial("tcp", w.address)
	}
	if err != nil {
		w.conn = nil
		return errors.Join(errors.New("the server takes no connection"), err)
	}
	w.in = bufio.NewReader(w.conn)
	return nil
}

package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Encode returns a value as JSON.
func Encode(value any) ([]byte, error) {
	_, raw := value.(json.RawMessage)
	if m, is := value.(json.Marshaler); is && !raw { // the encoder would parse its text again
		text, err := m.MarshalJSON()
		return append(text, '\n'), unwritable(err)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return text.Bytes(), unwritable(err)
}

// unwritable is the error for a response without a JSON form.
func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the response cannot be written as JSON: %w", err)
}

// Respond writes a value as JSON. If it has no JSON form, Respond returns an error and writes nothing.
func Respond(w http.ResponseWriter, status int, value any) error {
	text, err := Encode(value)
	if err != nil {
		return err
	}
	send(w, status, JSON, text)
	return nil
}

// JSON is the media type of JSON.
const JSON = "application/json; charset=utf-8"

// send writes a response.
func send(w http.ResponseWriter, status int, media string, text []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text) // a client that has gone needs no error
}

package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Encode returns a value as JSON.
func Encode(value any) (text []byte, err error) {
	_, raw := value.(json.RawMessage)
	if m, is := value.(json.Marshaler); is && !raw { // the encoder would parse its text again
		text, err = m.MarshalJSON()
		text = append(text, '\n')
	} else {
		var buffer bytes.Buffer
		e := json.NewEncoder(&buffer)
		e.SetEscapeHTML(false)
		err = e.Encode(value)
		text = buffer.Bytes()
	}
	if err != nil {
		return nil, fmt.Errorf("the response cannot be written as JSON: %w", err)
	}
	return text, nil
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

// Command service answers two questions about countries over HTTP. It is an
// example to copy: the questions are templates in ../atlas.efo, the code that
// answers them is generated, and nothing of efoc but its runtime is linked.
//
//	go run ./service world.efoc
//	curl 'http://127.0.0.1:8090/languages?country=France'
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/efoc/efoc/runtime"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: service BUNDLE.efoc")
	}
	m, err := runtime.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	h, err := newHandler(m)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &http.Server{Addr: "127.0.0.1:8090", Handler: h, ReadHeaderTimeout: 5 * time.Second}
	// The model may be closed when the last request is done, not before.
	done := make(chan struct{})
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		s.Shutdown(end)
		close(done)
	}()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-done
}

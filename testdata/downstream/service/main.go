// Command service answers two questions about countries over HTTP. It is an
// example to copy: the questions are templates in ../atlas.efo, the code that
// answers them is generated, and nothing of efoc but its runtime is linked.
//
//	go run ./service world.efoc
//	go run -tags cuda ./service -gpu world.efoc
//	curl 'http://127.0.0.1:8090/languages?country=France'
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device/nvidia"
)

func main() {
	gpu := flag.Bool("gpu", false, "answer on the first NVIDIA GPU")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: service [-gpu] BUNDLE.efoc")
	}
	host, err := runtime.Open(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	m := host
	if *gpu {
		d, err := nvidia.Open()
		if err != nil {
			log.Fatal(err)
		}
		defer d.Close()
		onGPU, err := host.On(d)
		if err != nil {
			log.Fatal(err)
		}
		defer onGPU.Close()
		m = onGPU
	}
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

// Package scale measures the cost of models by their size. It generates graphs with matching
// embeddings, writes them, and measures opening, answering and
// importing, each in a process of its own.
//
//	go run cmd/bench/main.go scale
//	go run cmd/bench/main.go scale --entities 1000000,5000000 --import
//	go run cmd/bench/main.go scale --entities 10000000 --rank 128
//	go run cmd/bench/main.go scale --entities 1000000 --dir /tmp/made --keep
//
// The same flags make the same files.
package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
)

// Command is the command line.
type Command struct {
	Entities  cli.Counts `default:"100000,1000000" help:"Numbers of entities, one model each."`
	Facts     cli.Count  `default:"10" help:"Mean number of facts that an entity is the head of."`
	Relations cli.Count  `default:"50" help:"Number of relations."`
	Rank      cli.Count  `default:"64" help:"Rank of the embeddings."`
	Table     string     `enum:"float32,int8" default:"int8" help:"Type of the entity table."`
	Exact     string     `enum:"drop,float32,bfloat16,float16" default:"drop" help:"Rows beside codes."`
	Seed      uint64     `default:"1" help:"Random seed."`
	Queries   cli.Count  `default:"100" help:"Queries of each kind."`
	Batch     cli.Count  `default:"64" help:"Queries that are asked at once."`
	Import    bool       `help:"Write the graph as text and the embeddings as a checkpoint too, and measure efoc import with them."`
	Dir       string     `help:"Folder of the models, made if it is not there; by default a temporary one."`
	Keep      bool       `help:"Leave the models there."`
}

// run is what the steps of a measurement share.
type run struct {
	ctx context.Context
	out *cli.Output
	dir string
}

func (c *Command) exact() model.TableType {
	if model.TableType(c.Table).IsFloat() || c.Exact == "drop" {
		return ""
	}
	return model.TableType(c.Exact)
}

// Run measures each size in turn.
func (c *Command) Run(ctx context.Context, out *cli.Output) (err error) {
	r := run{ctx, out, c.Dir}
	if r.dir == "" {
		if r.dir, err = os.MkdirTemp("", "efoc-scale"); err != nil {
			return err
		}
		if !c.Keep {
			defer func() { err = errors.Join(err, os.RemoveAll(r.dir)) }()
		}
	} else if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	header := []string{
		">entities", ">facts", ">bundle, MB", ">made in, s", ">opened in, s", ">first answer, s", ">resident, MB", ">of it not the file's",
		">1p, ms", ">2p, ms", ">2p in batches, a second", ">2p, ms of the processors", ">in batches",
	}
	if c.Import {
		header = append(header, ">import, s", ">its bundle, MB", ">its peak, MB")
	}
	var rows []tables.Row
	for _, n := range c.Entities {
		row, err := c.size(r, n)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(out.Stdout, tables.Markdown(header, rows))
	return nil
}

// size measures models of n entities.
func (c *Command) size(r run, n int) (tables.Row, error) {
	w := &World{Entities: n, Relations: int(c.Relations), Rank: int(c.Rank), Facts: int(c.Facts), Seed: c.Seed}
	w.complete()
	path := filepath.Join(r.dir, fmt.Sprintf("synthetic-%d.efoc", n))
	start := time.Now()
	if err := c.write(r, w, path); err != nil {
		return nil, err
	}
	made := time.Since(start).Seconds()
	if !c.Keep {
		defer os.Remove(path)
	}
	r.out.Progress("%s: made in %.0f s", path, made)
	var m measured
	if err := r.itself(&m, "measure", path, "--queries", fmt.Sprint(int(c.Queries)), "--batch", fmt.Sprint(int(c.Batch))); err != nil {
		return nil, err
	}
	row := tables.Row{
		n, m.Facts, megabytes(m.Bundle), fmt.Sprintf("%.0f", made), fmt.Sprintf("%.2f", m.Opened), fmt.Sprintf("%.2f", m.First),
		megabytes(m.Resident), megabytes(m.Anonymous), fmt.Sprintf("%.1f", m.OneHop), fmt.Sprintf("%.1f", m.TwoHops), fmt.Sprintf("%.0f", m.Batch),
		fmt.Sprintf("%.0f", m.TwoHopsCPU), fmt.Sprintf("%.0f", m.BatchCPU),
	}
	if !c.Import {
		return row, nil
	}
	i, err := c.importing(r, w)
	if err != nil {
		return nil, err
	}
	return append(row, fmt.Sprintf("%.0f", i.Seconds), megabytes(i.Bundle), megabytes(i.Peak)), nil
}

// itself runs another command of this program, and reads what it prints.
func (r run) itself(into any, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(r.ctx, program, args...)
	cmd.Stderr = r.out.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return json.Unmarshal(text, into)
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/1e6) }

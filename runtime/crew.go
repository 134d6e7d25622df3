package runtime

import (
	goruntime "runtime"
	"sync"
)

// crew are the goroutines that help with sweeps. A model has one, as many strong
// as there are processors beside the one that asks. Helpers that are busy with
// another query are not waited for.
type crew struct {
	hire, part sync.Once
	tasks      chan *task
}

// task is a sweep that a helper joins.
type task struct {
	sweep *Sweep
	done  sync.WaitGroup
}

func (c *crew) start() {
	tasks := make(chan *task) // not c, so that a model which nobody closes can be collected
	c.tasks = tasks
	for range goruntime.GOMAXPROCS(0) - 1 {
		go func() {
			for t := range tasks {
				t.sweep.work()
				t.done.Done()
			}
		}()
	}
}

// help works on the sweep, with as many helpers as are idle, until it is done.
func (c *crew) help(s *Sweep) {
	c.hire.Do(c.start)
	t := &s.w.task
	t.sweep = s
	for range goruntime.GOMAXPROCS(0) - 1 {
		t.done.Add(1)
		select {
		case c.tasks <- t:
			continue
		default:
		}
		t.done.Done()
		break
	}
	s.work()
	t.done.Wait()
}

// dismiss ends the helpers, if there are any. Nothing may ask for help afterwards.
func (c *crew) dismiss() {
	c.part.Do(func() {
		c.hire.Do(func() { c.tasks = make(chan *task) })
		close(c.tasks)
	})
}

package runtime

import (
	goruntime "runtime"
	"sync"
)

// crew are the goroutines that help with sweeps and corrections. A model has one, as many strong
// as there are processors beside the one that asks. Helpers that are busy with
// another query are not waited for.
type crew struct {
	hire, part sync.Once
	tasks      chan *task
}

// job is work that several goroutines share: each takes a piece until there is
// none left.
type job interface{ work() }

// task is a job that helpers join.
type task struct {
	job  job
	done sync.WaitGroup
}

func (c *crew) start() {
	tasks := make(chan *task) // not c, so that a model which nobody closes can be collected
	c.tasks = tasks
	for range goruntime.GOMAXPROCS(0) - 1 {
		go func() {
			for t := range tasks {
				t.job.work()
				t.done.Done()
			}
		}()
	}
}

// help works on the job, with as many helpers as are idle, until it is done. t is
// the caller's, for one job at a time.
func (c *crew) help(j job, t *task) {
	c.hire.Do(c.start)
	t.job = j
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
	j.work()
	t.done.Wait()
}

// dismiss ends the helpers, if there are any. Nothing may ask for help afterwards.
func (c *crew) dismiss() {
	c.part.Do(func() {
		c.hire.Do(func() { c.tasks = make(chan *task) })
		close(c.tasks)
	})
}

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A lap is how long each of many requests took, and how many failed.
type lap struct {
	took   []time.Duration
	failed int
	first  error
}

// at is the duration below which that share of requests lies.
func (l lap) at(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(l.took))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (l lap) print(name string) {
	fmt.Printf("%-44s %8d %8.1f %8.1f %8.1f %8.1f %7d\n", name, len(l.took), ms(l.at(0.5)), ms(l.at(0.95)), ms(l.at(0.99)), ms(l.at(1)),
		l.failed)
}

// volley sends n requests at a rate, each when it is due.
func (g *ground) volley(ctx context.Context, rate, n int, send func(context.Context, int) error) lap {
	l := lap{took: make([]time.Duration, n)}
	began := time.Now()
	var lock sync.Mutex
	var all sync.WaitGroup
	for i := range n {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		all.Go(func() {
			err := send(ctx, i)
			l.took[i] = time.Since(due)
			if err == nil {
				return
			}
			lock.Lock()
			defer lock.Unlock()
			if l.failed++; l.first == nil {
				l.first = err
			}
		})
	}
	all.Wait()
	return l
}

// storm sends n requests as fast as they are answered, some at once.
func storm(ctx context.Context, n, atOnce int, send func(context.Context, int) error) (time.Duration, error) {
	began := time.Now()
	next := make(chan int)
	failed := make(chan error, atOnce)
	for range atOnce {
		go func() {
			var first error
			for i := range next {
				if err := send(ctx, i); err != nil && first == nil {
					first = err
				}
			}
			failed <- first
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	var err error
	for range atOnce {
		if one := <-failed; one != nil {
			err = one
		}
	}
	return time.Since(began), err
}

package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A storm is what was seen while strangers sent their files.
type storm struct {
	sent, busy, lost      int
	before, peak          int64
	slowest               time.Duration
	slowestOf             string
	genuine, later, wrong int
	quiet, meanwhile      time.Duration // medians
	quietN, meanwhileN    int

	mu sync.Mutex
}

func (s *storm) grown() int64   { return max(0, s.peak-s.before) }
func (s *storm) ratio() float64 { return float64(s.meanwhile) / float64(max(1, s.quiet)) }

// senders is how many strangers send at once, each from a network of their own.
const senders = 3

// pause is between two looks of who is signed in, and of the true bundles.
const pause = 100 * time.Millisecond

func (g *ground) storm(ctx context.Context, files []file, whole []byte) (*storm, error) {
	s := &storm{}
	calm, err := g.watchPage(ctx, func(n int) bool { return n < 60 })
	if err != nil {
		return nil, err
	}
	s.quiet, s.quietN = median(calm[20:]), len(calm)-20
	if s.before, err = g.memory(); err != nil {
		return nil, err
	}
	over := make(chan struct{})
	going := func(int) bool {
		select {
		case <-over:
			return false
		default:
			return ctx.Err() == nil
		}
	}
	var watchers sync.WaitGroup
	var pages []time.Duration
	var pageErr error
	watchers.Go(func() { pages, pageErr = g.watchPage(ctx, going) })
	watchers.Go(func() { s.watchMemory(g, going) })
	watchers.Go(func() { s.checkTrue(ctx, g, whole, going) })
	s.send(ctx, g, files)
	close(over)
	watchers.Wait()
	if pageErr != nil {
		return nil, pageErr
	}
	s.meanwhile, s.meanwhileN = median(pages), len(pages)
	return s, ctx.Err()
}

func (g *ground) watchPage(ctx context.Context, going func(n int) bool) ([]time.Duration, error) {
	var all []time.Duration
	for going(len(all)) || len(all) == 0 {
		took, err := g.page(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, took)
		time.Sleep(pause)
	}
	return all, nil
}

func (s *storm) watchMemory(g *ground, going func(int) bool) {
	for going(0) {
		if now, err := g.memory(); err == nil {
			s.peak = max(s.peak, now)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// checkTrue sends a true bundle again and again, from a network of its own.
func (s *storm) checkTrue(ctx context.Context, g *ground, whole []byte, going func(int) bool) {
	client := from("127.0.0.100")
	for going(0) {
		got, err := g.check(ctx, client, whole)
		switch {
		case err != nil || got.status == http.StatusServiceUnavailable:
			s.later++
		case got.status == http.StatusOK && strings.Contains(got.body, "Genuine: this copy"):
			s.genuine++
		default:
			s.wrong++
		}
		time.Sleep(pause)
	}
}

// send has strangers send every file.
func (s *storm) send(ctx context.Context, g *ground, files []file) {
	queue := make(chan file)
	var all sync.WaitGroup
	for i := range senders {
		client := from(fmt.Sprintf("127.0.0.%d", 2+i))
		all.Go(func() {
			for f := range queue {
				got, err := g.check(ctx, client, f.body)
				s.note(f, got, err)
			}
		})
	}
	for _, f := range files {
		queue <- f
	}
	close(queue)
	all.Wait()
}

func (s *storm) note(f file, got answer, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	switch {
	case err != nil:
		s.lost++ // an answer may be lost to who is still sending
		return
	case got.status == http.StatusServiceUnavailable || got.status == http.StatusTooManyRequests:
		s.busy++
	}
	if got.took > s.slowest {
		s.slowest, s.slowestOf = got.took, f.name
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// Command verify measures what strangers can take from everybody else with the public
// page that checks files: uploads of every size from a kilobyte to 64 MiB, of newlines,
// of zips in zips and of as dense a zip as there is, three at a time, while true bundles
// are checked and somebody who is signed in works.
//
// Memory of the server's process grows by less than 200 MB; every answer comes within
// 5 s of the last byte, "busy, try again" being one; true bundles are genuine; and the
// page takes at most twice its quiet time, at the median. The last line is that ratio.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

type options struct {
	small, patient bool
	gavel          string
}

// What is asked.
const (
	barMemory = 200 << 20
	barAnswer = 5 * time.Second
	barPage   = 2.0
)

func main() {
	var o options
	flag.BoolVar(&o.small, "small", false, "uploads of up to 1 MiB only")
	flag.BoolVar(&o.patient, "patient", false, "print seconds and ratios, and do not fail by them")
	flag.StringVar(&o.gavel, "gavel", "bin/gavel", "the program that serves the page")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bar verify:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	most := 64 << 20
	if o.small {
		most = 1 << 20
	}
	files, err := strangers(most)
	if err != nil {
		return err
	}
	g, err := newGround(ctx, o)
	if err != nil {
		return err
	}
	defer g.close()
	whole, err := g.bundle(ctx)
	if err != nil {
		return err
	}
	s, err := g.storm(ctx, files, whole)
	if err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg") // only said
	fmt.Printf("%d uploads, %d looked at, %d told to come again, %d lost; load %s\n", s.sent, s.sent-s.busy-s.lost, s.busy, s.lost,
		strings.Fields(string(load) + " ?")[0])
	fmt.Printf("memory: %d MB before, +%d MB at most, under %d asked\n", s.before>>20, s.grown()>>20, barMemory>>20)
	fmt.Printf("slowest answer: %.2f s (%s), at most %.0f asked\n", s.slowest.Seconds(), s.slowestOf, barAnswer.Seconds())
	fmt.Printf("true bundles: %d genuine, %d told to come again, %d called anything else\n", s.genuine, s.later, s.wrong)
	fmt.Printf("a signed-in page: %.1f ms quiet, %.1f ms meanwhile (%d and %d times)\n", ms(s.quiet), ms(s.meanwhile), s.quietN,
		s.meanwhileN)
	fmt.Printf("page=%.2f times\n", s.ratio())
	return s.judge(o)
}

// judge says what was not kept.
func (s *storm) judge(o options) error {
	var broken []error
	if s.grown() >= barMemory {
		broken = append(broken, errors.New("memory grew too much"))
	}
	if s.wrong > 0 || s.genuine == 0 {
		broken = append(broken, errors.New("true bundles were not found genuine"))
	}
	if !o.patient && s.slowest > barAnswer {
		broken = append(broken, errors.New("an answer came too late"))
	}
	if !o.patient && s.ratio() > barPage {
		broken = append(broken, errors.New("the page became too slow"))
	}
	return errors.Join(broken...)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

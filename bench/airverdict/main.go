// Command airverdict asks how often the second version of the verdict is right about
// whose smoke it was, in seasons that are made up and whose truth is known.
//
// One run is one season under one difficulty, and its answers are kept in a file;
// -sum reads such files and prints a table for each difficulty:
//
//	airverdict -seed 31 -out dir                     the season's own wind
//	airverdict -seed 31 -difficulty wind -out dir    wind off by 25° and 30 %
//	airverdict -seed 31 -difficulty passes -out dir  of three days two without passes
//	airverdict -sum dir/*.json
//
// The goals are those of the verdict's definition, fixed before the first run; the seeds
// on which it was designed are refused. Intervals are 95 %, by drawing events anew: the
// episodes of one city that begin within a day and a half of each other. What is judged
// are answers on data that are not low; the same figures on low data stand beside them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
)

// A difficulty is what is made harder for the analyst.
type difficulty struct {
	name   string
	about  string
	speed  float64
	way    float64
	sparse int
}

func difficulties() []difficulty {
	return []difficulty{
		{"usual", "the season's own wind", madeup.SpeedError, madeup.WayError, 1},
		{"wind", "wind off by 25° and 30 %", 0.30, 25, 1},
		{"passes", "two days' passes in three removed", madeup.SpeedError, madeup.WayError, 3},
	}
}

// designedOn are the seeds that the method was chosen on: their figures would flatter it.
func designedOn() []uint64 { return []uint64{21, 22, 23} }

type options struct {
	plan       madeup.Plan
	difficulty string
	out        string
	cores      int
	sum        bool
}

func main() {
	o := options{plan: madeup.Standard()}
	o.plan.Days = 220
	flag.Uint64Var(&o.plan.Seed, "seed", 31, "of the season; not one the method was designed on")
	flag.IntVar(&o.plan.Days, "days", o.plan.Days, "of the season; the first 20 and the last 2 have no episodes that count")
	flag.IntVar(&o.plan.Fires, "fires", o.plan.Fires, "a day on average, of 500 particles each")
	flag.StringVar(&o.difficulty, "difficulty", "usual", "usual, wind or passes")
	flag.StringVar(&o.out, "out", "", "folder in which the answers are kept; none: they are only judged")
	flag.IntVar(&o.cores, "cores", 2, "on which episodes are answered")
	flag.BoolVar(&o.sum, "sum", false, "judge kept answers: the arguments are their files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench airverdict:", err)
		os.Exit(1)
	}
}

// A kept is the answers of one run.
type kept struct {
	Seed       uint64   `json:"seed"`
	Days       int      `json:"days"`
	Difficulty string   `json:"difficulty"`
	Samples    []sample `json:"samples"`
}

func run(ctx context.Context, o options, files []string) error {
	if o.sum {
		return sum(files)
	}
	at := slices.IndexFunc(difficulties(), func(d difficulty) bool { return d.name == o.difficulty })
	switch {
	case at < 0:
		return fmt.Errorf("-difficulty %q: usual, wind or passes", o.difficulty)
	case slices.Contains(designedOn(), o.plan.Seed):
		return fmt.Errorf("seed %d: the method was designed on it; take another", o.plan.Seed)
	case o.cores < 1 || o.plan.Days < first+last+1:
		return fmt.Errorf("want a core, and at least %d days", first+last+1)
	}
	d := difficulties()[at]
	o.plan.Speed, o.plan.Way = d.speed, d.way
	began := time.Now()
	s, err := o.plan.Build()
	if err != nil {
		return err
	}
	fmt.Printf("seed %d, %s: %d days, %d fires, made up in %.0f s\n", o.plan.Seed, d.about, o.plan.Days, len(s.Fires),
		time.Since(began).Seconds())
	began = time.Now()
	all, err := answer(ctx, s, d, o.cores)
	if err != nil {
		return err
	}
	fmt.Printf("%d episodes answered in %.0f s\n", len(all), time.Since(began).Seconds())
	k := kept{Seed: o.plan.Seed, Days: o.plan.Days, Difficulty: d.name, Samples: all}
	if o.out != "" {
		if err := keep(k, o.out); err != nil {
			return err
		}
	}
	return judge([]kept{k})
}

func keep(k kept, dir string) error {
	text, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.json", k.Difficulty, k.Seed)), append(text, '\n'), 0o600)
}

// sum judges what several runs kept.
func sum(files []string) error {
	if len(files) == 0 {
		return errors.New("-sum needs the files of kept answers")
	}
	var all []kept
	for _, name := range files {
		text, err := os.ReadFile(name) //nolint:gosec // whoever runs it names it
		if err != nil {
			return err
		}
		var k kept
		if err := json.Unmarshal(text, &k); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, k)
	}
	return judge(all)
}

// judge prints a table for each difficulty there are answers of, and a last line that
// says of each whether the goals were kept.
func judge(all []kept) error {
	line := "airverdict:"
	for _, d := range difficulties() {
		var of []sample
		seeds := 0
		for _, k := range all {
			if k.Difficulty == d.name {
				seeds++
				for _, s := range k.Samples {
					s.Event = fmt.Sprintf("%d %s", k.Seed, s.Event)
					of = append(of, s)
				}
			}
		}
		if len(of) == 0 {
			continue
		}
		fmt.Printf("\n%s: %d episodes of %d events in %d seasons\n", d.about, len(of), len(events(of)), seeds)
		line += " " + d.name + " " + table(os.Stdout, of) + ";"
	}
	fmt.Println(line)
	return nil
}

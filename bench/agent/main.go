// Command agent measures what an agent's case costs.
//
// The case is the one people build first: an orchestrator of three turns, two
// specialists at work beside each other with two turns and one look-up each, and
// one act that waits for a person's decision. The model answers at once, over
// HTTP, from a script in a process of its own. It runs on Gavel, on a bare workflow
// of the engine with an activity for each turn and one for the act, all of which do
// nothing, on one with an activity before the decision and one after it, and on
// LangGraph with its PostgreSQL checkpointer: one machine, one PostgreSQL with fsync
// on, one clock, alternating, medians of the rounds.
//
// Before the last line stands a table for every number in flight: cases per second,
// and milliseconds of processor time a case, by process. The second does not depend
// on who else is at work on the machine. The last line is the ratio of Gavel to the
// bare engine in cases per second with 32 cases in flight.
//
// With -slow it measures instead what it costs to have many runs under way whose
// model thinks for seconds: processor time a turn, memory, and how long an answer
// that has come waits for the next question. With -beside it measures how long one
// organisation's single run waits for its first turn while another has thousands queued.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The contestants.
const (
	ours = "gavel"
	bare = "bare"
	two  = "bare-two"
	peer = "langgraph"
)

// judged is the number in flight that the ratios are taken at; where it was not run, they are of the last that was.
const judged = 32

type options struct {
	rounds, cases int
	inFlight      []int
	only          []string
	peers         int
	durability    string
	slow          []int
	beside        int
	pace          pace
}

// A contestant opens one case, decides when it waits, and returns when it is
// over.
type contestant interface {
	name() string
	oneCase(ctx context.Context) error
	databases() []string // where it keeps what it keeps
	modelCalls() int     // that one case makes
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == asModel {
		if err := beModel(); err != nil {
			fmt.Fprintln(os.Stderr, "the model:", err)
			os.Exit(1)
		}
		return
	}
	o := options{inFlight: []int{1, 8, judged, 64}}
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; each measures every contestant")
	flag.IntVar(&o.cases, "cases", 200, "cases a round, but at most 50 for each in flight")
	flag.IntVar(&o.peers, "peer-processes", runtime.NumCPU(), "processes of the peer, which has one thread each")
	flag.StringVar(&o.durability, "peer-durability", "async", "when the peer saves its state: async, its own choice, or sync")
	flag.Func("in-flight", "cases at a time, such as 1,8,32,64", func(s string) (err error) {
		o.inFlight, err = numbers(s)
		return err
	})
	flag.Func("slow", "instead, runs at a time under a model that thinks, such as 100,1000", func(s string) (err error) {
		o.slow, err = numbers(s)
		return err
	})
	flag.IntVar(&o.beside, "beside", 0, "instead, runs that one organisation has queued while another wants one at a time, such as 1000")
	flag.DurationVar(&o.pace.Least, "think-least", 2*time.Second, "how long that model thinks at least")
	flag.DurationVar(&o.pace.Most, "think-most", 20*time.Second, "and at most")
	flag.Func("only", "some of the contestants, such as bare,langgraph", func(s string) error {
		o.only = strings.Split(s, ",")
		return nil
	})
	flag.Parse()
	debug.SetGCPercent(400) // as a worker has it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench agent:", err)
		os.Exit(1)
	}
}

func numbers(s string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 10_000 {
			return nil, fmt.Errorf("want numbers from 1 to 10000, not %q", word)
		}
		all = append(all, n)
	}
	return all, nil
}

func run(ctx context.Context, o options) error {
	if o.pace.Least < 0 || o.pace.Most < o.pace.Least {
		return errors.New("want a model that thinks at least for some time, and at most for no less")
	}
	if o.beside > 0 {
		o.pace = pace{}
	}
	g, err := newGround(ctx, o.pace)
	if err != nil {
		return err
	}
	defer g.close()
	if len(o.slow) > 0 {
		return g.walks(ctx, o)
	}
	if o.beside > 0 {
		return g.besides(ctx, o.beside)
	}
	contestants, err := g.contestants(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("%d rounds, alternating; %d CPUs; the peer in %d processes, durability %s\n",
		o.rounds, runtime.NumCPU(), o.peers, o.durability)
	var tables []table
	for _, n := range o.inFlight {
		t, err := g.compare(ctx, contestants, o, n)
		if err != nil {
			return err
		}
		t.print()
		tables = append(tables, t)
	}
	last := tables[len(tables)-1]
	for _, t := range tables {
		if t.inFlight == judged {
			last = t
		}
	}
	last.ratio(two, "against two bare activities: %.2f\n")
	last.ratio(peer, "against langgraph: %.2f\n")
	last.ratio(bare, "ratio=%.2f\n")
	return nil
}

// contestants sets up those asked for; all of them unless some are named.
func (g *ground) contestants(ctx context.Context, o options) ([]contestant, error) {
	makers := []struct {
		name string
		make func() (contestant, error)
	}{
		{ours, func() (contestant, error) { return g.gavel(ctx) }},
		{bare, func() (contestant, error) { return g.bare(bare, bareWorkflow) }},
		{two, func() (contestant, error) { return g.bare(two, twoWorkflow) }},
		{peer, func() (contestant, error) { return g.langgraph(ctx, o.peers, o.durability) }},
	}
	for _, name := range o.only {
		known := false
		for _, m := range makers {
			known = known || m.name == name
		}
		if !known {
			return nil, fmt.Errorf("no contestant is called %q", name)
		}
	}
	var all []contestant
	for _, m := range makers {
		if len(o.only) > 0 && !slices.Contains(o.only, m.name) {
			continue
		}
		c, err := m.make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

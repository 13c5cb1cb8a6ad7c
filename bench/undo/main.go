// Command undo tries what a page promises of an undo, in a demonstration whose days pass in
// minutes: somebody approves what can be undone for five minutes, and presses Undo in a
// browser at a random moment, while the page offers it or after that.
//
// What the page offers must happen and what it no longer offers must not: whatever it says
// at that moment, the record, and the other side that the act goes to, must say the same. The
// program is the demonstration's own, with an application in it that rings bells.
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
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/bench/visit"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/program"
	"github.com/gavelhq/gavel/program/client"
)

// patience is for one of all tries and for what is before and after them.
const patience = 10 * time.Second

func main() {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") { // the demonstration starts its server and worker from here
		os.Exit(program.Main(newBell()))
	}
	tries := flag.Int("tries", 200, "how often something is approved")
	lanes := flag.Int("at-once", 6, "how many windows there are")
	seed := flag.Int64("seed", time.Now().UnixNano(), "of the moments")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, end := context.WithTimeout(ctx, 5*time.Minute+time.Duration(*tries)*patience)
	figure, err := try(ctx, *tries, *lanes, *seed)
	end()
	stop()
	fmt.Println(figure)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench undo:", err)
		os.Exit(1)
	}
}

func try(ctx context.Context, tries, lanes int, seed int64) (figure string, err error) {
	home, err := visit.Home()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	v, err := visit.Begin(ctx, self, ".", home)
	if err != nil {
		return "", err
	}
	defer func() {
		if leaving := v.Leave(); leaving != nil {
			err = errors.Join(err, leaving)
		}
	}()
	stack, err := v.Inside()
	if err != nil {
		return "", err
	}
	db, err := postgres.Open(ctx, stack.Settings()["GAVEL_DATABASE_URL"])
	if err != nil {
		return "", err
	}
	defer db.Close()
	asked, err := ask(ctx, stack, db, tries)
	if err != nil {
		return "", err
	}
	fmt.Printf("seed %d: %d things wait to be approved\n", seed, len(asked))
	how := []string{"--of", strings.Join(asked, ","), "--at-once", strconv.Itoa(lanes), "--seed", strconv.FormatInt(seed, 10)}
	if err := v.Walk(ctx, "undo.mjs", "undo", how...); err != nil {
		return "", err
	}
	pressed, err := readPressed(filepath.Join(".dev", "shots", "undo", "pressed.json"))
	if err != nil {
		return "", err
	}
	return judge(ctx, db, asked, pressed)
}

// org is whose bells they are.
func org() identity.Org { return devstack.Organisations()[0] }

// ask has the clerk ask for so many things, and waits until all of them wait for officers:
// each is its case and its proposal, "case_…/P-3".
func ask(ctx context.Context, stack *devstack.Stack, db *postgres.DB, tries int) ([]string, error) {
	var api *client.Client
	for _, t := range stack.Tokens() {
		if t.Org == org() && t.Role == identity.Analyst {
			var err error
			if api, err = client.New(stack.Settings()["GAVEL_PUBLIC_URL"], t.Token, "bench undo"); err != nil {
				return nil, err
			}
		}
	}
	for n := 0; n*ringsPerRound < tries; n++ {
		if err := api.Do(ctx, "POST", roundsPath, round{Name: fmt.Sprintf("Round %d", n+1)}, nil); err != nil {
			return nil, err
		}
	}
	for {
		open, err := waiting(ctx, db)
		if err != nil || len(open) >= tries {
			return open[:min(tries, len(open))], err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d things wait, not %d: %w", len(open), tries, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// A press is what somebody saw on a page at the moment they wanted to undo, and what the
// page said after they had pressed.
type press struct {
	Proposal string  `json:"proposal"`
	Place    string  `json:"place"`   // inbox, proposal or case
	After    float64 `json:"after"`   // seconds after the approval
	Offered  bool    `json:"offered"` // the page offered it, so it was pressed
	Undone   bool    `json:"undone"`  // the next page says that it was undone
	Said     string  `json:"said"`    // what it says otherwise
}

func readPressed(file string) (all []press, err error) {
	text, err := os.ReadFile(file) //nolint:gosec // our own script wrote it
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

// Package doctor asks the parts of an installation how they are and says what
// to do about the ones that are not well.
//
// A Check looks at one thing and answers with a Result; Run asks all of them
// side by side, each within its own time, and keeps their order. Checks only
// look: the cure is a command in Result.Fix, which a person runs.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A Status is how well a part is.
type Status string

// The statuses. The zero value is none of them and counts as Fail.
const (
	OK   Status = "ok"
	Warn Status = "warn" // works, but someone should look
	Fail Status = "fail" // something people rely on does not work

	// Nothing was looked at. It is no illness, so such a finding is OK and says in
	// Skipped which of the two it is: what was not looked at is not known to be well.
	NotChecked Status = "not checked" // something that looking takes is missing
	NotSetUp   Status = "not set up"  // the part is not in use here
)

// A Result is what a check found.
type Result struct {
	Status Status `json:"status"`
	Detail string `json:"detail"`        // what was seen, for people; no secret
	Fix    string `json:"fix,omitempty"` // the command or change that cures it; empty when all is well
}

// A Check looks at one thing. Run obeys its context and changes nothing that
// anyone else could see.
type Check struct {
	Group string // the part it belongs to; checks of one group stand together
	Name  string // what is claimed, short: "answers as gavel_app"
	Run   func(ctx context.Context) Result
}

// A Finding is a check's result with its name.
type Finding struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Result
	Skipped Status `json:"skipped,omitempty"` // NotChecked or NotSetUp, where nothing was looked at
}

// found is a check's result as a finding.
func found(c Check, r Result) Finding {
	f := Finding{Group: c.Group, Name: c.Name, Result: r}
	if r.Status == NotChecked || r.Status == NotSetUp {
		f.Status, f.Skipped = OK, r.Status
	}
	return f
}

// Patience is how long one check may take where the caller has no other wish.
const Patience = 10 * time.Second

// together is how many checks run side by side: enough that slow parts wait for
// one another, few enough not to be a load of its own.
const together = 8

// Run asks every check and returns the findings in the order of the checks. A
// check that is not back within patience fails and is left behind; a check that
// panics fails.
func Run(ctx context.Context, checks []Check, patience time.Duration) []Finding {
	findings := make([]Finding, len(checks))
	turn := make(chan struct{}, together)
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			findings[i] = found(c, ask(ctx, c, patience))
		})
	}
	all.Wait()
	return findings
}

// ask runs one check in a goroutine of its own, so that one that ignores its
// context cannot hold up the rest.
func ask(ctx context.Context, c Check, patience time.Duration) Result {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	answer := make(chan Result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				answer <- Result{Fail, fmt.Sprintf("the check itself broke: %v", p), "report this with the output of: gavel version"}
			}
		}()
		answer <- c.Run(ctx)
	}()
	select {
	case r := <-answer:
		return sound(r)
	case <-ctx.Done():
	}
	select { // a check that came back with its own words at the last moment is heard
	case r := <-answer:
		return sound(r)
	case <-time.After(grace):
		return Result{Fail, fmt.Sprintf("no answer within %s", patience), "gavel doctor, once the machine is less busy"}
	}
}

// grace lets a check that obeys its context say what it was waiting for.
const grace = time.Second

// sound makes a result that says nothing count as a failure: a forgotten status
// must not read as health.
func sound(r Result) Result {
	switch r.Status {
	case OK, Warn, Fail, NotChecked, NotSetUp:
		return r
	}
	return Result{Fail, fmt.Sprintf("the check gave no known status (%q)", r.Status), r.Fix}
}

// Worst is the worst status among findings; OK where there are none.
func Worst(findings []Finding) Status {
	worst := OK
	for _, f := range findings {
		switch {
		case f.Status == Fail:
			return Fail
		case f.Status == Warn:
			worst = Warn
		}
	}
	return worst
}

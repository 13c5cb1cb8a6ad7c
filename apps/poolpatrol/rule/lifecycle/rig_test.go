package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/identity"
)

const (
	day  = 24 * time.Hour
	ana  = fleet.EmployeeID("EMP-1001") // whose shift does not fit
	ben  = fleet.EmployeeID("EMP-1002") // who lives too far
	gone = fleet.EmployeeID("EMP-1003") // who has left the employer
)

var begun = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) // a Monday

func finding(who fleet.EmployeeID, name check.Name, sure check.Confidence) check.Finding {
	f := check.Finding{Employee: who, Check: name, Kind: string(name) + "_mismatch", Confidence: sure, Route: check.ToRider,
		Mark: "as found"}
	if who == gone {
		f.Route, f.Gone = check.ToDesk, true
	}
	return f
}

func shiftOf(who fleet.EmployeeID) check.Finding { return finding(who, "shift", 5) }

func manager() lifecycle.Decider {
	return lifecycle.Decider{Actor: identity.Actor{Kind: identity.Person, ID: "p-1", Org: "north",
		Roles: []identity.Role{identity.ProgrammeManager}}}
}

// A tale is a case that is being lived through.
type tale struct {
	t     *testing.T
	c     lifecycle.Case
	now   time.Time
	last  []lifecycle.Action // of the last step
	rules lifecycle.Rules
}

// begin opens a case on findings.
func begin(t *testing.T, findings ...check.Finding) *tale {
	t.Helper()
	s := &tale{t: t, now: begun, rules: lifecycle.Standard()}
	var opened bool
	s.c, s.last, opened = lifecycle.Begin(lifecycle.Found{ID: "CASE-00000001", Vanpool: "VP-101", Findings: findings, At: begun}, s.rules)
	if !opened {
		t.Fatal("no case was opened")
	}
	return s
}

// on makes a step that must be possible.
func (s *tale) on(e lifecycle.Event) *tale {
	s.t.Helper()
	if err := s.try(e); err != nil {
		s.t.Fatalf("%s in %s: %v", e.Kind, s.c.State, err)
	}
	return s
}

func (s *tale) try(e lifecycle.Event) error {
	e.At = s.now
	c, todo, err := lifecycle.Step(s.c, e, s.rules)
	if err == nil {
		s.c, s.last = c, todo
	}
	return err
}

func (s *tale) wait(d time.Duration) *tale { s.now = s.now.Add(d); return s }

func (s *tale) tick() *tale { s.t.Helper(); return s.on(lifecycle.Event{Kind: lifecycle.Ticked}) }

func (s *tale) sent(who ...fleet.EmployeeID) *tale {
	s.t.Helper()
	for _, id := range who {
		s.on(lifecycle.Event{Kind: lifecycle.Sent, Employee: id, Letter: post.First})
	}
	return s
}

func (s *tale) reply(who fleet.EmployeeID, b post.Bucket) *tale {
	s.t.Helper()
	return s.on(lifecycle.Event{Kind: lifecycle.Replied, Employee: who, Bucket: b})
}

func (s *tale) reAudit(findings ...check.Finding) *tale {
	s.t.Helper()
	return s.on(lifecycle.Event{Kind: lifecycle.ReAudited, Full: true, Findings: findings})
}

func (s *tale) decide(d lifecycle.Decision) *tale {
	s.t.Helper()
	if err := s.tryDecide(d); err != nil {
		s.t.Fatalf("%s in %s: %v", d.Choice, s.c.State, err)
	}
	return s
}

// tryDecide fills in what an honest decision has.
func (s *tale) tryDecide(d lifecycle.Decision) error {
	if d.By.ID == "" {
		d.By = manager()
	}
	if d.Reason == "" {
		d.Reason = "seen and weighed"
	}
	if d.Seen == 0 {
		d.Seen = s.c.Inbound
	}
	return s.try(lifecycle.Event{Kind: lifecycle.Decided, Decision: &d})
}

// toPreCancel lets one rider's case run into silence.
func toPreCancel(t *testing.T) *tale {
	t.Helper()
	return begin(t, shiftOf(ana)).sent(ana).wait(7 * day).tick().reAudit(shiftOf(ana))
}

func (s *tale) approve(who fleet.EmployeeID, findings ...check.Finding) error {
	return s.tryDecide(lifecycle.Decision{Choice: lifecycle.ApproveCancel, Employee: who, Verified: s.now.Add(-time.Hour),
		Findings: findings})
}

// did are the kinds of the last step's actions; mails name their letter.
func (s *tale) did() []string {
	var out []string
	for _, a := range s.last {
		name := string(a.Kind)
		if a.Kind == lifecycle.SendMail {
			name += ":" + string(a.Letter)
		}
		if a.Kind == lifecycle.AskPerson {
			name += ":" + string(a.Why)
		}
		out = append(out, name)
	}
	return out
}

func (s *tale) want(state lifecycle.State, did ...string) {
	s.t.Helper()
	if s.c.State != state {
		s.t.Errorf("state is %s, want %s", s.c.State, state)
	}
	if got := s.did(); !slices.Equal(got, did) {
		s.t.Errorf("did %q, want %q", got, did)
	}
}

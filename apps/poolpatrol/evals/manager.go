package evals

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Story is a case of the manager set: what an audit found, and what happened
// then.
type Story struct {
	Row      string          `json:"row"`
	Begins   time.Time       `json:"begins"`
	Findings []check.Finding `json:"findings"`
	Events   []Happening     `json:"events"`
}

// A Happening is one event, so many hours after the one before.
type Happening struct {
	Hours    float64             `json:"hours,omitempty"`
	Event    lifecycle.EventKind `json:"event"`
	Employee fleet.EmployeeID    `json:"employee_id,omitempty"`
	Bucket   post.Bucket         `json:"bucket,omitempty"`
	Findings []check.Finding     `json:"findings,omitempty"`
	Failed   bool                `json:"failed,omitempty"`

	Choice lifecycle.Choice `json:"choice,omitempty"`
	Next   lifecycle.Choice `json:"next,omitempty"`
	Until  fleet.Date       `json:"until,omitzero"`
}

// An End is how a story should end.
type End struct {
	State     lifecycle.State     `json:"state"` // none where there should be no case
	SubReason lifecycle.SubReason `json:"sub_reason,omitempty"`
	Why       lifecycle.Why       `json:"why,omitempty"`
	Tools     []string            `json:"tools"` // of the last step, each once, in order of name
	Letters   []post.Kind         `json:"letters,omitempty"`
	Removed   []fleet.EmployeeID  `json:"removed,omitempty"`
	Deadline  time.Time           `json:"deadline_at,omitzero"`
	Due       time.Time           `json:"due_at,omitzero"`
	ReAudits  int                 `json:"re_audit_count,omitempty"`
	Previous  fleet.CaseID        `json:"previous_case_id,omitempty"`
}

// Manager lives through a story and says what its end is worth against what is
// expected.
func Manager(c Case) (End, Result, error) {
	var story Story
	var want End
	if err := c.read(&story, &want); err != nil {
		return End{}, Result{}, err
	}
	got, err := story.live()
	if err != nil {
		return End{}, Result{}, err
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil {
		return got, Result{}, fault.New(fault.Internal, "an end cannot be written")
	}
	r := Result{Marks: want.marks(got)}
	if string(a) != string(b) {
		r.Differences = []string{fmt.Sprintf("got %s, want %s", a, b)}
	}
	return got, r, nil
}

func (s Story) live() (End, error) {
	rules, now := lifecycle.Standard(), s.Begins
	found := lifecycle.Found{ID: "CASE-00000001", Vanpool: "VP-101", Findings: s.Findings, At: now}
	c, todo, open := lifecycle.Begin(found, rules)
	for _, h := range s.Events {
		now = now.Add(time.Duration(h.Hours * float64(time.Hour)))
		if c.State.Ended() && h.Event == lifecycle.Audited || !open {
			found.ID, found.Findings, found.At, found.Earlier = "CASE-00000002", h.Findings, now, append(found.Earlier, c)
			c, todo, open = lifecycle.Begin(found, rules)
			continue
		}
		var err error
		if c, todo, err = lifecycle.Step(c, h.event(now, c), rules); err != nil {
			return End{}, fmt.Errorf("%s: %w", h.Event, err)
		}
	}
	return end(c, todo), nil
}

func (h Happening) event(now time.Time, c lifecycle.Case) lifecycle.Event {
	e := lifecycle.Event{Kind: h.Event, At: now, Employee: h.Employee, Bucket: h.Bucket, Findings: h.Findings, Full: true, Failed: h.Failed,
		Letter: post.First}
	if h.Event == lifecycle.Decided {
		e.Decision = &lifecycle.Decision{
			Choice: h.Choice, Next: h.Next, Until: h.Until, Employee: h.Employee, Reason: "made up", Seen: c.Inbound, Verified: now,
			Findings: h.Findings, By: lifecycle.Decider{Actor: identity.Actor{Kind: identity.Person, ID: "made-up", Org: "north",
				Roles: []identity.Role{identity.ProgrammeManager}}},
		}
	}
	return e
}

func end(c lifecycle.Case, todo []lifecycle.Action) End {
	e := End{State: c.State, SubReason: c.SubReason, Why: c.Why, Tools: []string{}, Deadline: c.Deadline, Due: c.Due, ReAudits: c.ReAudits,
		Previous: c.Previous}
	for _, a := range todo {
		e.Tools = append(e.Tools, a.Tools()...)
		if a.Kind == lifecycle.SendMail {
			e.Letters = append(e.Letters, a.Letter)
		}
		if a.Kind == lifecycle.RemoveRider {
			e.Removed = append(e.Removed, a.Employee)
			e.Tools = append(e.Tools, "cancel_membership")
		}
	}
	slices.Sort(e.Tools)
	e.Tools = slices.Compact(e.Tools)
	return e
}

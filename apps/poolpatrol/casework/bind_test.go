package casework

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// edit lets a test say how the case stands.
func (a hearing) edit(t *testing.T, change func(s *step)) {
	t.Helper()
	a.office.in(t, func(tx pgx.Tx) error {
		s, err := a.app.hold(t.Context(), tx, a.in.Case, a.app.now())
		if err != nil {
			return err
		}
		change(s)
		return s.save(t.Context())
	})
}

// asksToCancel brings the case to where the end of EMP-1005's membership is asked for.
func (a hearing) asksToCancel(t *testing.T) {
	t.Helper()
	a.edit(t, func(s *step) {
		s.life.State, s.life.Why, s.life.AskedAt = lifecycle.PreCancel, "", s.at
		for i, x := range s.life.Subjects {
			if x.Employee != "EMP-1005" {
				continue
			}
			s.life.Subjects[i].Standing = lifecycle.CancelPending
			if err := s.leave(t.Context(), lifecycle.Action{Kind: lifecycle.AskCancel, Key: "ask-cancel-1", Employee: x.Employee,
				Checks: x.FailedChecks()}); err != nil {
				t.Fatal(err)
			}
		}
	})
	a.moveOn(t)
}

// theirs asks for something from a programme manager's own program.
func (a hearing) theirs(t *testing.T, name string, args map[string]any) (review.Proposal, error) {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := a.app.calls.Take(t.Context(), platformtest.Person("program", postgrestest.North, identity.ProgrammeManager),
		agent.Call{App: programme.Name, Tool: name, Args: text, Case: string(a.in.Case), Via: "mcp"})
	if err != nil {
		return review.Proposal{}, err
	}
	p, err := a.app.reviews.Get(t.Context(), poolpatroltest.Manager(postgrestest.North), taken.Asked.Proposal)
	if err != nil {
		t.Fatal(err)
	}
	return p, nil
}

func inCancel(t *testing.T, text json.RawMessage) (in cancelArgs) {
	t.Helper()
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	return in
}

// TestWhatTheApproverOfACancellationReadsIsTheRecords promises that van, checks and
// replies on a request to end somebody's membership are the case's own, whatever whoever
// asks has written there, and that nobody is asked about somebody of whom the case asks
// nothing.
func TestWhatTheApproverOfACancellationReadsIsTheRecords(t *testing.T) {
	a := newHearing(t)
	a.asksToCancel(t)
	asked := collect[string](t, a.office, `select args from gavel.proposal where tool = $1 and state = 'open'`, toolCancel)
	if len(asked) != 1 {
		t.Fatalf("the case asks %d times for the end of a membership, want once", len(asked))
	}
	own := inCancel(t, json.RawMessage(asked[0]))
	forged := map[string]any{"vanpool_id": "VP-999", "employee_id": "EMP-1005", "failed_checks": []string{"licence", "fraud"}, "asked": "x",
		"replies": 7}
	p, err := a.theirs(t, toolCancel, forged)
	if err != nil {
		t.Fatal(err)
	}
	got := inCancel(t, p.Args)
	if got.Vanpool != "VP-101" || !slices.Equal(got.Because, own.Because) || got.Replies != own.Replies || got.Asked != own.Asked {
		t.Errorf("a program's request says van %s, checks %v, %d replies, step %q; the case says van VP-101, checks %v, %d replies, step %q",
			got.Vanpool, got.Because, got.Replies, got.Asked, own.Because, own.Replies, own.Asked)
	}
	if !strings.Contains(string(p.Shown), `"vanpool_id":"VP-101"`) {
		t.Errorf("the approver is shown %s", p.Shown)
	}
	forged["employee_id"] = "EMP-1001"
	if p, err := a.theirs(t, toolCancel, forged); !fault.Is(err, fault.Conflict) {
		t.Errorf("the end of a membership that the case does not ask for: got %s, %v, want a conflict", p.Args, err)
	}
}

// TestACancellationRunsAsItWasReadOrNotAtAll promises that a request whose van, checks or
// replies are not the case's any more is neither approved nor carried out, says what
// differs and what to do, and can still be rejected.
func TestACancellationRunsAsItWasReadOrNotAtAll(t *testing.T) {
	a := newHearing(t)
	a.asksToCancel(t)
	ids := collect[string](t, a.office, `select id from gavel.proposal where tool = $1 and state = 'open'`, toolCancel)
	p, err := a.app.reviews.Get(t.Context(), poolpatroltest.Manager(postgrestest.North), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	a.edit(t, func(s *step) {
		for i, x := range s.life.Subjects {
			if x.Employee == "EMP-1005" {
				s.life.Subjects[i].Findings = append(slices.Clone(x.Findings), check.Finding{Check: "another", Employee: x.Employee})
			}
		}
	})
	decide := func(v review.Verdict) error {
		_, err := a.app.reviews.Decide(t.Context(), poolpatroltest.Manager(postgrestest.North), review.Decision{ID: "decision-" + string(v),
			Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: v, Reason: "because"})
		return err
	}
	err = decide(review.Approve)
	words, next := fault.Words(err)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(words, "failed_checks") || !strings.Contains(next, "reject it") {
		t.Errorf("approving what the case does not say any more: got %v (next: %s), want a conflict over failed_checks", err, next)
	}
	cancel, _ := mustRegistry(t, a.app).Find(programme.Name, toolCancel)
	a.office.in(t, func(tx pgx.Tx) error {
		_, err := cancel.Write(t.Context(), tx, tool.Env{Org: p.Org, App: programme.Name, Case: p.Case, Key: p.Key, Proposal: p.ID,
			Actor: identity.Gavel(p.Org)}, p.Args)
		if words, _ := fault.Words(err); !fault.Is(err, fault.Conflict) || !strings.Contains(words, "failed_checks") {
			t.Errorf("carried out: got %v, want a conflict over failed_checks", err)
		}
		return nil
	})
	if err := decide(review.Reject); err != nil {
		t.Errorf("it cannot be rejected either: %v", err)
	}
}

func mustRegistry(t *testing.T, a *Work) *tool.Registry {
	t.Helper()
	r, err := tool.NewRegistry(a.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

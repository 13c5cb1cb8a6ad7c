package casework

import (
	"encoding/json"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// A hearing is a grounded app whose questions reach people, with the case of VP-101
// before them: of its rider EMP-1005 nobody has heard.
type hearing struct {
	grounded

	acts *act.Store
	in   casefile.Input
}

func newHearing(t *testing.T) hearing {
	t.Helper()
	a := hearing{grounded: newGrounded(t)}
	clock := durable.Clock{}
	tools, err := tool.NewRegistry(a.app.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	a.acts = act.NewStore(a.db.App, clock)
	a.app.reviews, err = review.New(review.Config{DB: a.db.App, Clock: clock, Rules: a.rules, Acts: a.acts,
		Kinds:   []review.Kind{agent.CallKind(tools)},
		Recheck: agent.Recheck(agent.NewStore(a.db.App, a.vault, a.rules, durable.Clock{}), tools)})
	if err != nil {
		t.Fatal(err)
	}
	a.app.calls = agent.NewCalls(agent.CallsConfig{DB: a.db.App, Clock: clock, Cases: a.app.cases, Acts: a.acts, Reviews: a.app.reviews,
		Tools: tools, Rules: a.rules, Logger: slog.New(slog.DiscardHandler)})
	a.audit(t)
	a.in = casefile.Input{Org: postgrestest.North, Case: casefile.CaseID(collect[string](t, a.office, `select id from poolpatrol.case
		where vanpool_id = 'VP-101'`)[0])}
	a.moveOn(t)
	return a
}

// moveOn lets happen to the case what has happened, and does what is left to do.
func (a hearing) moveOn(t *testing.T) Standing {
	t.Helper()
	steps := &Steps{a.app}
	for {
		now, err := steps.Advance(t.Context(), a.in, a.app.now())
		if err != nil {
			t.Fatal(err)
		}
		if !now.Left {
			return now
		}
		if err := steps.Do(t.Context(), a.in); err != nil {
			t.Fatal(err)
		}
	}
}

// card is the question that is before people.
func (a hearing) card(t *testing.T) (p review.Proposal, args map[string]any) {
	t.Helper()
	ids := collect[string](t, a.office, `select id from gavel.proposal where state = 'open' and tool = 'settle_case'
		and case_id = $1`, a.in.Case)
	if len(ids) != 1 {
		t.Fatalf("%d questions are open, want one", len(ids))
	}
	p, err := a.app.reviews.Get(t.Context(), poolpatroltest.Manager(postgrestest.North), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(p.Args, &args); err != nil {
		t.Fatal(err)
	}
	return p, args
}

// answer gives an answer to the open question.
func (a hearing) answer(t *testing.T, verdict review.Verdict, edit map[string]any, reason string) (review.Proposal, error) {
	t.Helper()
	p, args := a.card(t)
	d := review.Decision{ID: "decision-" + p.ID + "-" + string(verdict) + "-" + time.Now().Format("150405.000000000"), Proposal: p.ID,
		ShownSHA256: p.ShownSHA256, Verdict: verdict, Reason: reason}
	if verdict == review.Edit {
		maps.Copy(args, edit)
		d.Edit, _ = json.Marshal(args) // it was JSON a moment ago
	}
	return a.app.reviews.Decide(t.Context(), poolpatroltest.Manager(postgrestest.North), d)
}

// TestWhatCannotBeDoneIsNotApproved promises that a choice which the case would refuse
// is refused while it can be mended: where the changes are checked and where they are
// decided, with the field that it is about, and that the question stays open.
func TestWhatCannotBeDoneIsNotApproved(t *testing.T) {
	a := newHearing(t)
	said := spoken(t)
	for _, tt := range []struct {
		name        string
		edit        map[string]any
		field, code string
	}{
		{"an exception without anything", map[string]any{"choice": "exception"}, "reason", "settle_reason"},
		{"an exception without a day", map[string]any{"choice": "exception", "reason": "agreed"}, "until", "settle_until"},
		{"an exception that is over", map[string]any{"choice": "exception", "reason": "agreed", "until": "2020-01-01"},
			"until", "settle_until"},
		{"an exception until no day", map[string]any{"choice": "exception", "reason": "agreed", "until": "soon"}, "until", "settle_day"},
		{"nothing wrong, and no word why", map[string]any{"choice": "false_positive", "reason": "  "}, "reason", "settle_reason"},
		{"nobody was told", map[string]any{"choice": "reached", "reason": "by telephone"}, "employee_id", "settle_whom"},
		{"told, and not how", map[string]any{"choice": "reached", "employee_id": "EMP-1005"}, "reason", "settle_how"},
		{"somebody else", map[string]any{"choice": "false_positive", "employee_id": "EMP-1001", "reason": "fits"},
			"employee_id", "settle_not_open"},
		{"the end of somebody not heard", map[string]any{"choice": "proceed"}, "choice", "settle_unheard"},
	} {
		p, args := a.card(t)
		maps.Copy(args, tt.edit)
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		_, decided := a.answer(t, review.Edit, tt.edit, "")
		for by, err := range map[string]error{"checked": a.app.reviews.Foresee(t.Context(), poolpatroltest.Manager(postgrestest.North), p,
			text), "decided": decided} {
			if at, _ := fault.PlaceOf(err); at.Field != tt.field || at.Code != tt.code {
				t.Errorf("%s, %s: got %v at %+v, want %s", tt.name, by, err, at, tt.code)
			}
		}
		if said["form.bad."+tt.code] == "" {
			t.Errorf("%s: nothing says what to do about %s", tt.name, tt.code)
		}
	}
	if n := a.count(t, `select count(*) from gavel.act`); n != 0 {
		t.Errorf("%d acts came of choices that cannot be done", n)
	}
	if _, err := a.answer(t, review.Edit, map[string]any{"choice": "false_positive", "reason": "they ride with a neighbour"},
		""); err != nil {
		t.Errorf("a choice that can be done: %v", err)
	}
}

// TestWhatWasApprovedAndNotDoneIsSaid promises that the history of a case says of an
// approved act that it failed, once, with the reason; that the case waits to be told of it
// and does not look by itself; and that the next question says why it is there.
func TestWhatWasApprovedAndNotDoneIsSaid(t *testing.T) {
	a := newHearing(t)
	p, err := a.answer(t, review.Approve, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if now := a.moveOn(t); now.Asked || !now.Wake.IsZero() && now.Wake.Before(a.app.now().Add(time.Hour)) {
		t.Errorf("while an act is under way the case looks by itself: %+v", now)
	}
	claim, err := a.acts.Begin(t.Context(), postgrestest.North, p.Key, p.FinalArgsSHA256, time.Minute)
	if err == nil {
		_, err = a.acts.Finish(t.Context(), postgrestest.North, p.Key, claim.Fence,
			act.End{State: act.Failed, Reason: "the records cannot be read"}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	a.moveOn(t)
	a.moveOn(t)
	got := collect[string](t, a.office, `select body from gavel.case_entry where kind = 'pool_not_done' and case_id = $1`, a.in.Case)
	if want := p.ID + ": the records cannot be read"; len(got) != 1 || got[0] != want {
		t.Errorf("the history says %q, want %q once", got, want)
	}
	if _, args := a.card(t); args["again"] != "failed" || args["said"] != "the records cannot be read" {
		t.Errorf("the next question says %v", args)
	}
}

// TestAQuestionThatComesAgainSaysWhy promises that nobody is asked the same twice
// without a word: who said no, sent it back or had the van looked at again finds on
// the next card that it was so, and what they said.
func TestAQuestionThatComesAgainSaysWhy(t *testing.T) {
	a := newHearing(t)
	if _, args := a.card(t); args["again"] != nil || args["said"] != nil {
		t.Errorf("the first question says %v", args)
	}
	for _, tt := range []struct {
		verdict review.Verdict
		why     string
		leads   string // in the line that people see first
	}{{review.SendBack, "sent_back", "after it was sent back"}, {review.Reject, "rejected", "after a no"}} {
		before, _ := a.card(t)
		if _, err := a.answer(t, tt.verdict, nil, "who told the rider?"); err != nil {
			t.Fatal(err)
		}
		a.moveOn(t)
		next, args := a.card(t)
		if args["again"] != tt.why || args["said"] != "who told the rider?" {
			t.Errorf("after %s the next question says %v", tt.verdict, args)
		}
		was, err := finding.In(before.Shown)
		if err != nil {
			t.Fatal(err)
		}
		is, err := finding.In(next.Shown)
		if err != nil || is == nil || was == nil || is.First("en") == was.First("en") || !strings.Contains(is.First("en"), tt.leads) ||
			is.First("hi") == was.First("hi") {
			t.Errorf("after %s the same card comes back: %+v, %v", tt.verdict, is, err)
		}
	}
	asked := func(s review.State, a act.State, args string) question {
		return asQuestion(review.Question{Proposal: review.Proposal{State: s, Args: json.RawMessage(args)}, Act: act.Act{State: a}})
	}
	done := asked(review.Approved, act.Done, `{"choice":"`+string(lifecycle.LookAgain)+`"}`)
	looked := lifecycle.Case{Trigger: lifecycle.ByPerson}
	for _, tt := range []struct {
		name  string
		last  question
		of    lifecycle.Case
		could bool
		want  whyAgain
	}{
		{"looked again", done, looked, true, againLooked},
		{"could not be looked at", done, looked, false, againNotLooked},
		{"another look since", done, lifecycle.Case{Trigger: lifecycle.ByTimeout}, true, ""},
		{"nobody answered", asked(review.Expired, "", "{}"), looked, true, againExpired},
		{"called off", asked(review.Approved, act.Undone, "{}"), looked, true, againUndone},
		{"the case had moved on", asked(review.Superseded, "", "{}"), looked, true, ""},
	} {
		if got, _ := tt.last.again(tt.of, tt.could); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestPeopleAreAskedAfterTheEvidenceIsThere promises that what a case was opened for
// is on it before anybody is asked: nothing of it counts as news to who decides.
func TestPeopleAreAskedAfterTheEvidenceIsThere(t *testing.T) {
	a := newHearing(t)
	p, _ := a.card(t)
	if n := a.count(t, `select count(*) from gavel.evidence`); n == 0 {
		t.Fatal("there is no evidence")
	}
	late := collect[string](t, a.office, `select title from gavel.evidence where case_id = $1 and at > $2`, a.in.Case, p.CreatedAt)
	if len(late) > 0 {
		t.Errorf("%d pieces came after the question: %q", len(late), late)
	}
}

// TestWhoIsTooNearIsToldBeforeTheyApprove promises that somebody who may not decide
// about a rider is refused when they try, and not after.
func TestWhoIsTooNearIsToldBeforeTheyApprove(t *testing.T) {
	a := newHearing(t)
	a.exec(t, `update poolpatrol.employee set email = 'self@example.org' where id = 'EMP-1005'`)
	who := poolpatroltest.Manager(postgrestest.North)
	who.ID = "p_0123456789ABCDEFGHJKMNPQRS"
	a.exec(t, `insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ('north', '`+who.ID+`', 'test', 'self', 'Self', 'self@example.org', '{programme_manager}', now(), now())`)
	p, _ := a.card(t)
	_, err := a.app.reviews.Decide(t.Context(), who, review.Decision{ID: "decision-self", Proposal: p.ID, ShownSHA256: p.ShownSHA256,
		Verdict: review.Approve})
	if !fault.Is(err, fault.Refused) {
		t.Errorf("who is the rider approves: %v", err)
	}
	if n := a.count(t, `select count(*) from gavel.act`); n != 0 {
		t.Error("the approval counted all the same")
	}
}

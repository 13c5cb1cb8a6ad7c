package review_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

func TestAnApprovalPlansTheActAndTellsTheWorkflow(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, func(p *review.Proposal) { p.Undo = time.Hour })
	if p.ID != "P-1" || p.State != review.Open {
		t.Fatalf("got %s, %s", p.ID, p.State)
	}
	d := r.answer(p, review.Approve)
	got := r.decide(t, manager, d)
	if got.State != review.Approved || got.FinalArgsSHA256 != p.ArgsSHA256 || got.EndedBy != d.ID {
		t.Fatalf("got %+v", got)
	}
	a, ok := r.act(t, p)
	if !ok || a.State != act.Planned || a.Proposal != p.ID || string(a.Args) != string(p.Args) || a.ByID != manager.ID || a.Agent != agent {
		t.Fatalf("got %+v", a)
	}
	if a.NotBefore == nil || !a.NotBefore.Equal(got.EndedAt.Add(time.Hour)) {
		t.Errorf("it may begin at %v, want an hour after %v", a.NotBefore, got.EndedAt)
	}
	want := review.Decided{Key: p.Key, Proposal: "P-1", Decision: d.ID, State: review.Approved, ArgsSHA256: p.ArgsSHA256,
		NotBefore: a.NotBefore.UTC()}
	if s := r.signals(t); len(s) != 1 || s[0] != want {
		t.Errorf("the workflow is told %+v, want %+v", s, want)
	}
	if recs := r.records(t, audit.Decision); len(recs) != 1 || !strings.Contains(recs[0], p.ShownSHA256) ||
		strings.Contains(recs[0], "rider 1") {
		t.Errorf("the log says %v, want digests and no words", recs)
	}
	entries, err := r.files.Entries(t.Context(), north, r.file.ID, casefile.EntryQuery{})
	if err != nil || entries[0].Kind != "decision" || entries[0].Text != "P-1: approve" || entries[0].ActorID != manager.ID {
		t.Errorf("got %+v, %v", entries, err)
	}
	made, err := r.Decisions(t.Context(), north, p.ID)
	if err != nil || len(made) != 1 || made[0].Opened != string(d.Opened) || made[0].ActorName != manager.Name {
		t.Errorf("got %+v, %v", made, err)
	}
}

func TestWhatDoesNotLeaveTheOrganisationHasNoUndoWindow(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, func(p *review.Proposal) { p.Effect, p.Undo = act.Write, time.Hour })
	r.decide(t, manager, r.answer(p, review.Approve))
	if a, _ := r.act(t, p); a.NotBefore != nil {
		t.Errorf("a write waits until %v", a.NotBefore)
	}
}

func TestNoOtherAnswerPlansAnAct(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for v, want := range map[review.Verdict]review.State{review.Reject: review.Rejected, review.SendBack: review.SentBack} {
		p := r.propose(t)
		if got := r.decide(t, manager, r.answer(p, v)); got.State != want || got.FinalArgsSHA256 != "" {
			t.Errorf("%s: got %+v", v, got)
		}
		if _, ok := r.act(t, p); ok {
			t.Errorf("%s: there is an act", v)
		}
	}
	if s := r.signals(t); len(s) != 2 {
		t.Errorf("the workflow is told %v", s)
	}
	p := r.propose(t, func(p *review.Proposal) { p.Tool, p.Effect = "", "" })
	if got := r.decide(t, manager, r.answer(p, review.Approve)); got.State != review.Approved {
		t.Errorf("got %s", got.State)
	}
	if _, ok := r.act(t, p); ok {
		t.Error("a proposal without a tool became an act")
	}
}

func TestAnEditIsCheckedAskedAboutAndIsWhatIsDone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	bad := r.answer(p, review.Edit)
	bad.Edit = json.RawMessage(`{"whom":"x"}`)
	_, err := r.Decide(t.Context(), manager, bad)
	wantKind(t, "arguments of another form", err, fault.Invalid)
	bad.Edit = json.RawMessage(`{"to":"mayor"}`)
	_, err = r.Decide(t.Context(), manager, bad)
	wantKind(t, "arguments that policy refuses", err, fault.Refused)
	if n := len(r.records(t, audit.Refusal)); n != 1 {
		t.Errorf("%d refusals on record, want 1", n)
	}
	got := r.decide(t, manager, r.answer(p, review.Edit))
	const want = `{"to":"the rider's union"}` // canonical
	if got.State != review.Edited || string(got.FinalArgs) != want || got.ArgsSHA256 != p.ArgsSHA256 {
		t.Fatalf("got %+v", got)
	}
	if a, _ := r.act(t, p); string(a.Args) != want || a.ArgsSHA256 != act.Digest([]byte(want)) {
		t.Errorf("the act is %+v", a)
	}
	_, err = r.acts.Begin(t.Context(), north, p.Key, p.ArgsSHA256, time.Minute)
	wantKind(t, "what was proposed is begun", err, fault.Refused)
}

func TestNothingIsEditedThatNobodyCanCheck(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for name, c := range map[string]review.Config{
		"no kind":   {Recheck: recheck},
		"no check":  {Recheck: recheck, Kinds: []review.Kind{{Name: "call"}}},
		"no policy": {Kinds: []review.Kind{{Name: "call", Check: checkArgs}}},
	} {
		p := r.propose(t)
		_, err := r.with(t, c).Decide(t.Context(), manager, r.answer(p, review.Edit))
		wantKind(t, name, err, fault.Conflict)
	}
}

// TestWhatCannotBeDoneIsNotDecided promises that an approval of what is known not to be
// possible does not count, while a no does; and that it is known of what was edited.
func TestWhatCannotBeDoneIsNotDecided(t *testing.T) {
	r := newRig(t, durable.Clock{})
	var asked []string
	r.Store = r.with(t, review.Config{Recheck: recheck, Kinds: []review.Kind{{Name: "call", Check: checkArgs,
		Foresee: func(_ context.Context, _ pgx.Tx, p review.Proposal, by identity.Actor, _ time.Time) error {
			asked = append(asked, string(p.Args))
			return fault.New(fault.Conflict, "not now, %s", by.ID)
		}}}})
	p := r.propose(t)
	edit := r.answer(p, review.Edit)
	for _, d := range []review.Decision{r.answer(p, review.Approve), edit} {
		_, err := r.Decide(t.Context(), manager, d)
		wantKind(t, string(d.Verdict), err, fault.Conflict)
	}
	wantKind(t, "looked ahead", r.Foresee(t.Context(), manager, p, p.Args), fault.Conflict)
	if len(asked) != 3 || asked[0] != string(p.Args) || asked[1] == asked[0] {
		t.Errorf("asked about %q", asked)
	}
	if _, planned := r.act(t, p); planned {
		t.Error("there is an act")
	}
	if got := r.decide(t, manager, r.answer(p, review.Reject)); got.State != review.Rejected {
		t.Errorf("a no is %s", got.State)
	}
}

func TestWhoMayNotDecideIsRefusedAndRecorded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	approve, own := r.propose(t), r.propose(t, confirm)
	asAgent, asMachine := manager, manager
	asAgent.Kind, asMachine.Kind = identity.Agent, identity.Machine
	refusals := 0
	for _, tt := range []struct {
		name  string
		p     review.Proposal
		actor identity.Actor
		want  fault.Kind
	}{
		{"another role", approve, officer, fault.Refused},
		{"no role", approve, person("p:x"), fault.Refused},
		{"an administrator", approve, person("p:x", identity.OrgAdmin), fault.Refused},
		{"an agent", approve, asAgent, fault.Refused},
		{"a machine", approve, asMachine, fault.Refused},
		{"Gavel itself", approve, identity.Gavel(north), fault.Refused},
		{"who made it", approve, person(author, identity.ProgrammeManager), fault.Refused},
		{"in whose name it was asked for", approve, person(rider, identity.ProgrammeManager), fault.Refused},
		{"who asked for it", approve, person(agent, identity.ProgrammeManager), fault.Refused},
		{"somebody else confirms", own, manager, fault.Refused},
		{"nobody", approve, identity.Actor{}, fault.SignIn},
		{"another organisation", approve, identity.Actor{Kind: identity.Person, ID: "p:s", Org: south, Roles: manager.Roles},
			fault.NotFound},
	} {
		for _, v := range []review.Verdict{review.Approve, review.Reject} {
			_, err := r.Decide(t.Context(), tt.actor, r.answer(tt.p, v))
			wantKind(t, tt.name, err, tt.want)
			if tt.want == fault.Refused {
				refusals++
			}
		}
	}
	if n := len(r.records(t, audit.Refusal)); n != refusals {
		t.Errorf("%d refusals on record, want %d", n, refusals)
	}
	for _, p := range []review.Proposal{approve, own} {
		if got, err := r.Get(t.Context(), identity.Gavel(north), p.ID); err != nil || got.State != review.Open {
			t.Errorf("got %s, %v", got.State, err)
		}
	}
	if got := r.decide(t, person(rider, identity.Analyst), r.answer(own, review.Approve)); got.State != review.Approved {
		t.Errorf("who it is done for confirms: got %s", got.State)
	}
}

func TestAnAnswerThatComesLateOrToSomethingElseDoesNothing(t *testing.T) {
	r := newRig(t, durable.Clock{})
	open := r.propose(t)
	rejected := r.propose(t)
	r.decide(t, manager, r.answer(rejected, review.Reject))
	expired := r.propose(t, in(20*time.Millisecond))
	only := r.propose(t, func(p *review.Proposal) { p.Allowed = []review.Verdict{review.Reject} })
	time.Sleep(40 * time.Millisecond)
	with := func(d review.Decision, edit func(*review.Decision)) review.Decision { edit(&d); return d }
	for _, tt := range []struct {
		name string
		d    review.Decision
		want fault.Kind
	}{
		{"no such proposal", with(r.answer(open, review.Approve), func(d *review.Decision) { d.Proposal = "P-99" }), fault.NotFound},
		{"rejected before", r.answer(rejected, review.Approve), fault.Conflict},
		{"expired", r.answer(expired, review.Approve), fault.Conflict},
		{"shown something else", with(r.answer(open, review.Approve), func(d *review.Decision) { d.ShownSHA256 = expired.ShownSHA256 }),
			fault.Stale},
		{"shown nothing", with(r.answer(open, review.Approve), func(d *review.Decision) { d.ShownSHA256 = "" }), fault.Stale},
		{"a verdict that is not allowed", r.answer(only, review.Approve), fault.Invalid},
		{"no verdict", r.answer(open, ""), fault.Invalid},
		{"an undo", r.answer(open, review.Undo), fault.Invalid},
		{"no reason to reject", with(r.answer(open, review.Reject), func(d *review.Decision) { d.Reason = " \n" }), fault.Invalid},
		{"no reason to send back", with(r.answer(open, review.SendBack), func(d *review.Decision) { d.Reason = "" }), fault.Invalid},
		{"a long reason", with(r.answer(open, review.Reject), func(d *review.Decision) { d.Reason = strings.Repeat("ल", 2001) }),
			fault.TooLarge},
		{"a reason that is no text", with(r.answer(open, review.Reject), func(d *review.Decision) { d.Reason = "a\xff" }), fault.Invalid},
		{"an edit without arguments", with(r.answer(open, review.Edit), func(d *review.Decision) { d.Edit = nil }), fault.Invalid},
		{"arguments without an edit", with(r.answer(open, review.Approve), func(d *review.Decision) { d.Edit = []byte(`{}`) }),
			fault.Invalid},
		{"no id", with(r.answer(open, review.Approve), func(d *review.Decision) { d.ID = "" }), fault.Invalid},
		{"what was opened is no JSON", with(r.answer(open, review.Approve), func(d *review.Decision) { d.Opened = []byte(`{`) }),
			fault.Invalid},
		{"too much was opened", with(r.answer(open, review.Approve), func(d *review.Decision) {
			d.Opened = []byte(`"` + strings.Repeat("x", 16<<10) + `"`)
		}), fault.TooLarge},
	} {
		_, err := r.Decide(t.Context(), manager, tt.d)
		wantKind(t, tt.name, err, tt.want)
	}
	if n := all[int](t, r.db, `select count(*) from gavel.act`); n[0] != 0 {
		t.Errorf("%d acts were planned", n[0])
	}
}

func TestTheSameDecisionTwiceDecidesOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p, other := r.propose(t), r.propose(t)
	d := r.answer(p, review.Approve)
	first := r.decide(t, manager, d)
	again := r.decide(t, manager, d)
	if again.State != first.State || again.EndedBy != d.ID {
		t.Errorf("got %+v", again)
	}
	for name, n := range map[string]int{"signals": len(r.signals(t)), "records": len(r.records(t, audit.Decision))} {
		if n != 1 {
			t.Errorf("%d %s, want 1", n, name)
		}
	}
	elsewhere := d
	elsewhere.Proposal, elsewhere.ShownSHA256 = other.ID, other.ShownSHA256
	_, err := r.Decide(t.Context(), manager, elsewhere)
	wantKind(t, "the same id on another proposal", err, fault.Conflict)
	_, err = r.Decide(t.Context(), second, d)
	wantKind(t, "the same id by another person", err, fault.Conflict)
	changed := d
	changed.Verdict, changed.Reason = review.Reject, "no"
	_, err = r.Decide(t.Context(), manager, changed)
	wantKind(t, "the same id with another answer", err, fault.Conflict)
}

func TestOfManyWhoDecideAtOnceOneDoes(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for range 6 {
		p := r.propose(t)
		yes, no := r.answer(p, review.Approve), r.answer(p, review.Reject)
		var wg sync.WaitGroup
		var mu sync.Mutex
		decided := 0
		for i := range 8 {
			wg.Go(func() {
				who, d := manager, yes
				if i%2 == 1 {
					who, d = second, no
				}
				_, err := r.Decide(t.Context(), who, d) // four times the same, twice over
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					decided++
				} else if !fault.Is(err, fault.Conflict) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		made, err := r.Decisions(t.Context(), north, p.ID)
		_, acted := r.act(t, p)
		if err != nil || len(made) != 1 || decided != 4 || acted != (made[0].Verdict == review.Approve) {
			t.Fatalf("%d decisions, %d answers, an act: %v, %v", len(made), decided, acted, err)
		}
	}
}

func TestSeveralApprovalsAreOfSeveralPeople(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, two)
	if got := r.decide(t, manager, r.answer(p, review.Approve)); got.State != review.Open {
		t.Fatalf("after one of two: %s", got.State)
	}
	if _, ok := r.act(t, p); ok || len(r.signals(t)) != 0 {
		t.Fatal("one of two was enough")
	}
	_, err := r.Decide(t.Context(), manager, r.answer(p, review.Approve))
	wantKind(t, "the same person again", err, fault.Conflict)
	_, err = r.Decide(t.Context(), second, r.answer(p, review.Edit))
	wantKind(t, "an edit of what somebody approved", err, fault.Conflict)
	if got := r.decide(t, second, r.answer(p, review.Approve)); got.State != review.Approved {
		t.Fatalf("after two of two: %s", got.State)
	}
	if _, ok := r.act(t, p); !ok {
		t.Error("there is no act")
	}
	q := r.propose(t, two)
	r.decide(t, manager, r.answer(q, review.Approve))
	if got := r.decide(t, second, r.answer(q, review.Reject)); got.State != review.Rejected {
		t.Errorf("one no: %s", got.State)
	}
	if _, ok := r.act(t, q); ok {
		t.Error("a rejected proposal became an act")
	}
}

func TestNothingIsDecidedInAClosedCase(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, _, err := casefile.Apply(t.Context(), tx, r.file.ID, casefile.Change{Key: "closed", State: casefile.Closed,
			Entry: casefile.Entry{Kind: "closed", At: time.Now(), ActorKind: identity.System, ActorID: "gavel"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Decide(t.Context(), manager, r.answer(p, review.Approve))
	wantKind(t, "approve", err, fault.Conflict)
	got, err := r.Withdraw(t.Context(), identity.Gavel(north), p.ID, review.Withdrawn)
	if err != nil || got.State != review.Withdrawn {
		t.Errorf("got %s, %v: what is left over can be withdrawn", got.State, err)
	}
}

func TestWordGoesToTheCasesOwnWorkflowWhereAProposalNamesNone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	s := r.with(t, review.Config{WakeOf: func(c casefile.Case) (review.Wake, error) {
		return review.Wake{WorkflowID: "general/north/" + c.Key}, nil
	}})
	p := r.propose(t, func(p *review.Proposal) { p.Wake = review.Wake{} })
	if _, err := s.Decide(t.Context(), manager, r.answer(p, review.Approve)); err != nil {
		t.Fatal(err)
	}
	if got := all[string](t, r.db, `select target from gavel.outbox where kind = 'signal'`); len(got) != 1 ||
		got[0] != "general/north/van-14" {
		t.Errorf("told %v", got)
	}
}

func TestAnApprovalCanBeUndoneByAnotherDecisionUntilTheActBegins(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, func(p *review.Proposal) { p.Undo = time.Hour })
	undo := r.answer(p, review.Undo)
	_, err := r.Undo(t.Context(), manager, undo)
	wantKind(t, "before it is approved", err, fault.Conflict)
	r.decide(t, manager, r.answer(p, review.Approve))
	_, err = r.Undo(t.Context(), officer, undo)
	wantKind(t, "another role", err, fault.Refused)
	stale := undo
	stale.ShownSHA256 = p.ArgsSHA256
	_, err = r.Undo(t.Context(), manager, stale)
	wantKind(t, "shown something else", err, fault.Stale)
	for range 2 { // the same one twice undoes once
		if got, err := r.Undo(t.Context(), manager, undo); err != nil || got.State != review.Approved {
			t.Fatalf("got %s, %v", got.State, err)
		}
	}
	if a, _ := r.act(t, p); a.State != act.Undone {
		t.Errorf("the act is %s", a.State)
	}
	s := r.signals(t)
	if len(s) != 2 || s[1].State != review.Undone || s[1].Decision != undo.ID {
		t.Errorf("the workflow is told %+v", s)
	}
	_, err = r.Undo(t.Context(), second, r.answer(p, review.Undo))
	wantKind(t, "again, by another", err, fault.Conflict)
	begun := r.propose(t)
	r.decide(t, manager, r.answer(begun, review.Approve))
	if _, err := r.acts.Begin(t.Context(), north, begun.Key, begun.ArgsSHA256, time.Minute); err != nil {
		t.Fatal(err)
	}
	_, err = r.Undo(t.Context(), manager, r.answer(begun, review.Undo))
	wantKind(t, "after it began", err, fault.Conflict)
}

func TestARefusalOutlivesTheAnswerItRefused(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	d := r.answer(p, review.Approve)
	_, err := r.Decide(context.WithoutCancel(t.Context()), officer, d)
	wantKind(t, "an officer", err, fault.Refused)
	if recs := r.records(t, audit.Refusal); len(recs) != 1 || !strings.Contains(recs[0], officer.ID) || !strings.Contains(recs[0], p.ID) {
		t.Errorf("the log says %v", recs)
	}
	if got := r.decide(t, manager, d); got.State != review.Approved {
		t.Errorf("the id of a refused answer is spent: %s", got.State)
	}
}

package review_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

func TestAnETagNamesWhatOneDecidesOn(t *testing.T) {
	p := review.Proposal{ID: "P-1", ShownSHA256: strings.Repeat("0123456789abcdef", 4), State: review.Open}
	if got, want := p.ETag(), `"0123456789abcdef-1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ended, erased, other := p, p, p
	ended.State = review.Approved
	erased.State, erased.ErasedAt = review.Approved, time.Now()
	other.ShownSHA256 = strings.Repeat("f", 64)
	seen := map[string]bool{}
	for _, p := range []review.Proposal{p, ended, erased, other} {
		if seen[p.ETag()] {
			t.Errorf("%s names two things", p.ETag())
		}
		seen[p.ETag()] = true
	}
	for _, tt := range []struct {
		header string
		want   fault.Kind
	}{{"", fault.Unconfirmed}, {"*", fault.Unconfirmed}, {ended.ETag(), fault.Stale}, {other.ETag(), fault.Stale},
		{"0123456789abcdef-1", fault.Stale}} {
		_, err := p.Confirm(tt.header)
		wantKind(t, tt.header, err, tt.want)
	}
	if shown, err := p.Confirm(p.ETag()); err != nil || shown != p.ShownSHA256 {
		t.Errorf("got %s, %v", shown, err)
	}
}

func TestChangesListEachLeafThatDiffers(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{`{"a":1}`, `{"a":1}`, `null`},
		{`{"a":1}`, `{"a":2}`, `[{"path":"/a","before":1,"after":2}]`},
		{`{"a":1}`, `{"b":1}`, `[{"path":"/a","before":1},{"path":"/b","after":1}]`},
		{`{"a":{"b":[1,2,3]}}`, `{"a":{"b":[1,9]}}`, `[{"path":"/a/b/1","before":2,"after":9},{"path":"/a/b/2","before":3}]`},
		{`{"a/b":"x","c~":true}`, `{"a/b":"y","c~":false}`,
			`[{"path":"/a~1b","before":"x","after":"y"},{"path":"/c~0","before":true,"after":false}]`},
		{`{"a":1}`, `{"a":"1"}`, `[{"path":"/a","before":1,"after":"1"}]`},
		{`{"a":null}`, `{}`, `[{"path":"/a","before":null}]`},
		{`{"a":123456789012345678901}`, `{"a":123456789012345678902}`,
			`[{"path":"/a","before":123456789012345678901,"after":123456789012345678902}]`},
		{`[1]`, `{"a":1}`, `[{"path":"","before":[1],"after":{"a":1}}]`},
	} {
		got, err := review.Changes(json.RawMessage(tt.before), json.RawMessage(tt.after))
		text, _ := json.Marshal(got)
		if err != nil || string(text) != tt.want {
			t.Errorf("%s → %s: got %s, %v, want %s", tt.before, tt.after, text, err, tt.want)
		}
	}
	if _, err := review.Changes(json.RawMessage(`{`), json.RawMessage(`{}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	long := json.RawMessage(`[` + strings.Repeat("1,", 2000) + `1]`)
	if got, err := review.Changes(long, json.RawMessage(`[]`)); err != nil || len(got) != 1000 {
		t.Errorf("%d changes, %v", len(got), err)
	}
}

func TestAnEditKeepsBothFormsAndShowsWhatChanged(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	r.decide(t, manager, r.answer(p, review.Edit))
	got := r.get(t, p.ID)
	if string(got.Args) != string(p.Args) || len(got.Edited()) != 1 || got.Edited()[0].Path != "/to" ||
		string(got.Edited()[0].After) != `"the rider's union"` {
		t.Errorf("got %s, %+v", got.Args, got.Edited())
	}
	if plain := r.propose(t); r.get(t, plain.ID).Edited() != nil {
		t.Error("something changed that nobody edited")
	}
}

func TestAnEditCannotTurnAProposalToWhatTheEditorMade(t *testing.T) {
	r := newRig(t, durable.Clock{})
	makers := func(_ context.Context, _ pgx.Tx, p review.Proposal) ([]string, error) {
		if strings.Contains(string(p.Args), "union") {
			return []string{manager.ID}, nil
		}
		return []string{"p:somebody"}, nil
	}
	s := r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs, Makers: makers}}, Recheck: recheck})
	p, err := s.Propose(t.Context(), r.draft())
	if err != nil || len(p.Makers) != 2 || p.Makers[0] != author || p.Makers[1] != "p:somebody" {
		t.Fatalf("got %v, %v", p.Makers, err)
	}
	_, err = s.Decide(t.Context(), manager, r.answer(p, review.Edit))
	wantKind(t, "who made the other thing", err, fault.Refused)
	r.delegate(t, manager, deputy.ID)
	_, err = s.Decide(t.Context(), deputy, r.answer(p, review.Edit))
	wantKind(t, "in the stead of who made it", err, fault.Refused)
	if got, err := s.Decide(t.Context(), second, r.answer(p, review.Edit)); err != nil || got.State != review.Edited {
		t.Errorf("somebody else: %s, %v", got.State, err)
	}
}

func TestSlotsShowWhoHasSignedAndHowManyMust(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, two)
	want := []string{"", manager.Name, manager.Name + " " + second.Name}
	for i, who := range []identity.Actor{manager, second, {}} {
		made, err := r.Decisions(t.Context(), north, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		slots := review.Slots(p, made)
		for _, s := range slots {
			if s.Signed() {
				names = append(names, s.Name)
			}
		}
		if got := strings.Join(names, " "); len(slots) != 2 || got != want[i] {
			t.Errorf("after %d: %d slots, signed by %q, want %q", i, len(slots), got, want[i])
		}
		if who.Known() {
			r.decide(t, who, r.answer(p, review.Approve))
		}
	}
}

func TestAnApprovedActSaysUntilWhenItIsHeld(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, func(p *review.Proposal) { p.Undo = time.Hour })
	if held := r.get(t, p.ID).HeldUntil(); !held.IsZero() {
		t.Errorf("before it is decided: %v", held)
	}
	got := r.decide(t, manager, r.answer(p, review.Approve))
	if want := got.EndedAt.Add(time.Hour); !got.HeldUntil().Equal(want) {
		t.Errorf("got %v, want %v", got.HeldUntil(), want)
	}
}

func TestRoutineProposalsOfOneKindAreDecidedTogetherEachByItself(t *testing.T) {
	r := newRig(t, durable.Clock{})
	write := func(p *review.Proposal) { p.Effect = act.Write }
	a, b, gone, made := r.propose(t, write), r.propose(t, write), r.propose(t, write),
		r.propose(t, write, func(p *review.Proposal) { p.Makers = []string{manager.ID} })
	mail, other := r.propose(t), r.propose(t, write, func(p *review.Proposal) { p.Tool = "other" })
	r.decide(t, second, r.answer(gone, review.Reject))
	yes := func(ps ...review.Proposal) (all []review.Decision) {
		for _, p := range ps {
			all = append(all, r.answer(p, review.Approve))
		}
		return all
	}
	mixed := append(yes(a), r.answer(b, review.Reject))
	edits := []review.Decision{r.answer(a, review.Edit)}
	for name, tt := range map[string]struct {
		all  []review.Decision
		want fault.Kind
	}{
		"none": {nil, fault.TooLarge}, "far too many": {make([]review.Decision, 101), fault.TooLarge}, "mail": {yes(mail), fault.Conflict},
		"two tools": {yes(a, other), fault.Conflict}, "two answers": {mixed, fault.Invalid}, "edits": {edits, fault.Invalid},
		"one twice": {yes(a, a), fault.Invalid},
	} {
		_, err := r.DecideAll(t.Context(), manager, tt.all)
		wantKind(t, name, err, tt.want)
	}
	_, err := r.DecideAll(t.Context(), identity.Gavel(north), yes(a))
	wantKind(t, "no person", err, fault.Refused)
	stale := yes(a, b, gone, made)
	stale[1].ShownSHA256 = a.ShownSHA256
	got, err := r.DecideAll(t.Context(), manager, append(stale, review.Decision{ID: "decision-none", Proposal: "P-99",
		Verdict: review.Approve}))
	if err != nil || len(got) != 5 {
		t.Fatalf("got %v, %v", got, err)
	}
	if got[0].State != review.Approved || got[0].Err != nil {
		t.Errorf("got %+v", got[0])
	}
	for i, want := range []fault.Kind{fault.Stale, fault.Conflict, fault.Refused, fault.NotFound} {
		wantKind(t, got[i+1].Proposal, got[i+1].Err, want)
	}
	filing := r.with(t, review.Config{Kinds: []review.Kind{{Name: "call",
		Class: func(review.Proposal) review.Class { return review.LegalFiling }}}})
	_, err = filing.DecideAll(t.Context(), manager, yes(b))
	wantKind(t, "a filing", err, fault.Conflict)
}

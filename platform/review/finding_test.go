package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding/findingtest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// finds gives a proposal a finding about somebody.
func finds(name string) func(*review.Proposal) {
	return func(p *review.Proposal) {
		text, _ := json.Marshal(findingtest.About(name))
		p.Shown = fmt.Appendf(nil, `{"args":%s,"finding":%s,"line":"End a membership"}`, p.Args, text)
		p.ShownSHA256, p.Effect = act.Digest(p.Shown), act.Write
	}
}

// TestAListLeadsWithWhatWasFound promises that lists have the finding of each proposal and
// its first line, and that one from before findings were kept has none and keeps its line.
func TestAListLeadsWithWhatWasFound(t *testing.T) {
	r := newRig(t, durable.Clock{})
	found, before := r.propose(t, finds("Ekta Demo")), r.propose(t)
	page, err := r.Inbox(t.Context(), manager, review.InboxQuery{})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("got %+v, %v", page, err)
	}
	for _, it := range page.Items {
		switch it.Proposal.ID {
		case found.ID:
			if it.Finding == nil || it.Finding.First("en") != "Ekta Demo: 4 of 3 allowed" || it.Line != it.Finding.First("en") {
				t.Errorf("got %+v, %q", it.Finding, it.Line)
			}
		case before.ID:
			if it.Finding != nil || it.Line != "Send a letter" {
				t.Errorf("got %+v, %q", it.Finding, it.Line)
			}
		}
	}
	some, err := r.Findings(t.Context(), manager, found.ID, before.ID)
	if err != nil || len(some) != 1 || some[found.ID].Subject.Name != "Ekta Demo" {
		t.Errorf("got %v, %v", some, err)
	}
	_, err = r.Findings(t.Context(), person("p:gate", identity.Gate), found.ID)
	wantKind(t, "somebody who may not read proposals", err, fault.Refused)
}

// TestAChangedFindingIsAnotherProposal promises that the digest of what was shown binds
// the finding: who decides on another one decides nothing.
func TestAChangedFindingIsAnotherProposal(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, finds("Ekta Demo"))
	other := p
	finds("Another Demo")(&other)
	if other.ShownSHA256 == p.ShownSHA256 {
		t.Fatal("another finding has the same digest")
	}
	d := r.answer(p, review.Approve)
	d.ShownSHA256 = other.ShownSHA256
	_, err := r.Decide(t.Context(), manager, d)
	wantKind(t, "a decision on another finding", err, fault.Stale)
}

// TestErasureTakesTheFinding promises that nothing of a finding is left in any column.
func TestErasureTakesTheFinding(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, finds("Ekta Demo"))
	r.decide(t, manager, r.answer(p, review.Reject))
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, _, err := review.Blank(t.Context(), tx, north, string(r.file.ID), time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.get(t, p.ID).Finding(); got != nil {
		t.Errorf("the finding is still there: %+v", got)
	}
	if rows := all[string](t, r.db, `select p::text from gavel.proposal p`); strings.Contains(rows[0], "Ekta") {
		t.Errorf("the row still has it: %s", rows[0])
	}
}

// TestWhatIsWeightyTakesAReasonAndAName promises that something weighty is approved with a
// reason, by itself or with others, and with others only where it says whom it is about.
func TestWhatIsWeightyTakesAReasonAndAName(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.Store = r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs,
		Class: func(review.Proposal) review.Class { return review.Weighty }}}, Recheck: recheck})
	a, b, nobody := r.propose(t, finds("Ekta Demo")), r.propose(t, finds("Ravi Demo")),
		r.propose(t, func(p *review.Proposal) { p.Effect = act.Write })
	_, err := r.Decide(t.Context(), manager, r.answer(a, review.Approve))
	wantKind(t, "without a reason", err, fault.Invalid)
	_, err = r.Decide(t.Context(), manager, r.answer(a, review.Edit))
	wantKind(t, "an edit without a reason", err, fault.Invalid)
	var each []review.Decision
	for _, p := range []review.Proposal{a, b, nobody} {
		d := r.answer(p, review.Approve)
		d.Reason = "Both were asked, and nobody answered."
		each = append(each, d)
	}
	got, err := r.DecideAll(t.Context(), manager, each)
	if err != nil || got[0].State != review.Approved || got[1].State != review.Approved {
		t.Fatalf("got %+v, %v", got, err)
	}
	wantKind(t, "one that names nobody, among several", got[2].Err, fault.Conflict)
	d := r.answer(nobody, review.Approve)
	d.Reason = "The case was read."
	if p := r.decide(t, manager, d); p.State != review.Approved {
		t.Errorf("one that names nobody, by itself: %s", p.State)
	}
}

// TestATestIsNotKnownByItsFinding promises that a proposal which is there to test people
// has a finding where the real one has; one that would not is not put before them.
func TestATestIsNotKnownByItsFinding(t *testing.T) {
	r := newRig(t, durable.Clock{})
	wrong := func(p review.Proposal) review.Proposal {
		p.Args = json.RawMessage(`{"to":"somebody else"}`)
		p.ArgsSHA256 = act.Digest(p.Args)
		return p
	}
	for _, tt := range []struct {
		name  string
		spoil func(review.Proposal) review.Proposal
		tests int
	}{
		{"without a finding", func(p review.Proposal) review.Proposal {
			p = wrong(p)
			p.Shown = json.RawMessage(`{"line":"End a membership"}`)
			p.ShownSHA256 = act.Digest(p.Shown)
			return p
		}, 0},
		{"with one", func(p review.Proposal) review.Proposal { p = wrong(p); finds("Somebody Else")(&p); return p }, 1},
	} {
		made := 0
		s := r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Seeds: review.Seeding{Share: 0.1,
			Spoil: func(p review.Proposal) (review.Proposal, string, bool) {
				made++
				return tt.spoil(p), "it is somebody else", true
			}}}}})
		for made == 0 { // one in ten is joined by a test
			p := r.draft()
			finds("Ekta Demo")(&p)
			p.ExpiresAt = p.CreatedAt.Add(time.Hour)
			err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
				var b pgx.Batch
				if err := s.AskLater(t.Context(), tx, &b, &p); err != nil {
					return err
				}
				return tx.SendBatch(t.Context(), &b).Close()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := all[int](t, r.db, `select count(*)::int from gavel.proposal where truth is not null`)[0]; n != tt.tests {
			t.Errorf("%s: %d tests are before people, want %d", tt.name, n, tt.tests)
		}
	}
	if n := all[int](t, r.db, `select count(*)::int from gavel.proposal where shown not like '%"finding":{%'`)[0]; n != 0 {
		t.Errorf("%d proposals have no finding", n)
	}
}

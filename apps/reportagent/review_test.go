package reportagent_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/apps/reportagent/rule/diff"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// TestASectionIsReviewedAndSignedBySomebodyElse promises: scores of two need a sentence; a note is answered by a change or a reason, and
// its author accepts that; versions differ word by word; who asks for a signature cannot give it; what is signed is locked for people and
// drafts, until a newer run changes a number of it.
func TestASectionIsReviewedAndSignedBySomebodyElse(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	made := r.bring(t, smallOutline, small())
	r.drafted(t, made.ID, map[string]any{})
	at := rest.Base + "/" + made.ID + "/sections/transport"
	first := r.section(t, made.ID, "transport")
	say := func(who, method, path string, body map[string]any, want int) {
		t.Helper()
		if got := r.ask(t, who, method, at+path, body, nil); got != want {
			t.Errorf("%s %s of %s: got %d, want %d", method, path, who, got, want)
		}
	}
	low := map[string]any{"version": 1, "accuracy": 5, "completeness": 2, "clarity": 4, "data_use": 5}
	say("officer", http.MethodPut, "/rating", low, http.StatusUnprocessableEntity)
	low["words"] = "Nothing of trains."
	say("officer", http.MethodPut, "/rating", low, http.StatusNoContent)
	say("auditor", http.MethodPut, "/rating", low, http.StatusForbidden)
	say("officer", http.MethodPost, "/notes", map[string]any{"version": 1, "text": "Say that trains are left out."}, http.StatusCreated)
	say("officer", http.MethodPost, "/notes", map[string]any{"version": 7, "text": "x"}, http.StatusPreconditionFailed)
	say("analyst", http.MethodPost, "/notes/answer", map[string]any{"note": 1, "became": "declined"}, http.StatusUnprocessableEntity)
	say("officer", http.MethodPost, "/notes/verdict", map[string]any{"note": 1, "verdict": "accepted"}, http.StatusConflict)
	say("analyst", http.MethodPut, "", map[string]any{"was": first.Hash, "text": first.Text + "\n\nTrains are left out."}, http.StatusOK)
	say("analyst", http.MethodPost, "/notes/answer", map[string]any{"note": 1, "became": "done"}, http.StatusNoContent)
	say("analyst", http.MethodPost, "/notes/verdict", map[string]any{"note": 1, "verdict": "accepted"}, http.StatusConflict)
	say("officer", http.MethodPost, "/notes/verdict", map[string]any{"note": 1, "verdict": "accepted"}, http.StatusNoContent)
	var seen rest.SectionReviewBody
	r.ask(t, "auditor", http.MethodGet, at+"/review", nil, &seen)
	if len(seen.Versions) != 2 || len(seen.Notes) != 1 || seen.Notes[0].Verdict != "accepted" || *seen.Notes[0].InVersion != 2 ||
		len(seen.Versions[0].Diff) != 2 || seen.Versions[0].Diff[1] != (diff.Piece{Op: diff.Added, Text: "\n\nTrains are left out."}) {
		t.Errorf("got %+v", seen)
	}
	r.signed(t, made.ID)
	now := r.section(t, made.ID, "transport")
	say("analyst", http.MethodPut, "", map[string]any{"was": now.Hash, "text": "Mine."}, http.StatusConflict)
	r.drafted(t, made.ID, map[string]any{})
	if after := r.section(t, made.ID, "transport"); after.Version != 2 || after.Status != report.Kept {
		t.Errorf("drafted again: got %+v", after)
	}
	files := small()
	files["transport/cars.csv"] = bytes.ReplaceAll(files["transport/cars.csv"], []byte("1.0,9.0"), []byte("1.0,7.0"))
	r.ask(t, "analyst", http.MethodPost, rest.Base+"/"+made.ID+"/data", map[string]any{"zip": zipped(t, files)}, new(rest.ModelDataBody))
	r.ask(t, "auditor", http.MethodGet, at+"/review", nil, &seen)
	if why := r.Texts(t, `select why from reportagent.signoff`); seen.Signed != 0 || len(why) != 1 || why[0] == "" {
		t.Errorf("after newer data: signed %d, %v", seen.Signed, why)
	}
}

// signed has the section asked for, and signed by the officer; its author is refused.
func (r rig) signed(t *testing.T, id string) {
	t.Helper()
	var asked rest.AskedBody
	r.ask(t, "analyst", http.MethodPost, rest.Base+"/"+id+"/sections/transport/sign-off", nil, &asked)
	reviews, north := r.Deps.Reviews, postgrestest.North
	omar := platformtest.Person("omar", north, identity.Officer)
	p, err := reviews.Get(t.Context(), omar, asked.Proposal)
	if err != nil {
		t.Fatal(err)
	}
	yes := review.Decision{ID: "decision-1", Proposal: p.ID, Verdict: review.Approve, ShownSHA256: p.ShownSHA256, Reason: "It holds."}
	if _, err := reviews.Decide(t.Context(), platformtest.Person("asha", north, identity.Analyst, identity.Officer), yes); err == nil {
		t.Error("who asked has signed")
	}
	if _, err := reviews.Decide(t.Context(), omar, yes); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the section is signed", func() bool { return r.Number(t, `select count(*)::int from reportagent.signoff`) == 1 })
}

package netra_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// file files a correction as an officer.
func (r *rig) file(t *testing.T, status int, body rest.CorrectionAskBody) (c rest.CorrectionBody) {
	t.Helper()
	got := r.Want(t, status, "officer", http.MethodPost, rest.CorrectionsAddress, body)
	if err := json.Unmarshal([]byte(got.Body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// decide answers the question of a correction's case, as somebody.
func (r *rig) decide(t *testing.T, c rest.CorrectionBody, by, outcome, reason string) error {
	t.Helper()
	who := platformtest.Person(by, postgrestest.North, identity.Officer)
	var open []review.Proposal
	wait.Until(t, "an officer is asked", func() (asked bool) {
		var err error
		open, _, err = r.Deps.Reviews.List(t.Context(), who, review.Query{Case: c.Case, State: review.Open})
		return err == nil && len(open) == 1
	})
	whole, err := r.Deps.Reviews.Get(t.Context(), who, open[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var args map[string]any
	if err := json.Unmarshal(whole.Args, &args); err != nil {
		t.Fatal(err)
	}
	args["outcome"], args["reason"] = outcome, reason
	edit, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Deps.Reviews.Decide(t.Context(), who, review.Decision{ID: "dec-" + rand.Text(), Proposal: open[0].ID,
		ShownSHA256: whole.ShownSHA256, Verdict: review.Edit, Edit: edit, Reason: "decided"})
	return err
}

// ended waits until the case of a correction has ended, and gives the correction as it is then.
func (r *rig) ended(t *testing.T, c rest.CorrectionBody) (now rest.CorrectionBody) {
	t.Helper()
	wait.Until(t, "the case ends", func() bool {
		return r.Texts(t, `select state from gavel.case where id = $1`, c.Case)[0] == "closed"
	})
	got := r.Want(t, http.StatusOK, "analyst", http.MethodGet, rest.CorrectionsAddress+"/"+c.ID, nil)
	if err := json.Unmarshal([]byte(got.Body), &now); err != nil {
		t.Fatal(err)
	}
	return now
}

// sums holds that the sums of a district give what its rows do.
func (r *rig) sums(t *testing.T, lgd int) {
	t.Helper()
	st := store.New()
	st.Open(store.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules})
	who := platformtest.Person("asha", postgrestest.North, identity.Analyst)
	now := st.Now()
	for _, hours := range []int{24, 72, 168} {
		w := bucket.Window{AsOf: now, Span: time.Duration(hours) * time.Hour}
		all, err := st.Signals(t.Context(), who, lgd, now.Add(-w.Span), now, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		want := score.Of(score.V2(), score.Usual(), w, all)
		sums, err := st.Totals(t.Context(), who, store.Question{LGD: []int{lgd}, Windows: []store.Ask{{Window: w}}})
		if err != nil {
			t.Fatal(err)
		}
		got := score.Score(score.V2(), score.Usual(), score.Input{Window: w, Layers: sums[lgd].Layers(0), All: sums[lgd][0][0]})
		if got.Signals != want.Signals || got.Score.Known != want.Score.Known || math.Abs(got.Score.Value-want.Score.Value) > 1e-9 {
			t.Errorf("district %d, %d h: sums give %v of %d, rows %v of %d", lgd, hours, got.Score, got.Signals, want.Score, want.Signals)
		}
	}
}

// TestAnAcceptedCorrectionIsComputedAgainAndTheOldScoresStay promises the whole way for each kind: an officer files, another decides, the
// signal counts no more or elsewhere, sums are those of the rows, what scores were and are is kept, what was given out is untouched, a feed
// that is sent again brings nothing back, and the district's page has it with a mark.
func TestAnAcceptedCorrectionIsComputedAgainAndTheOldScoresStay(t *testing.T) {
	r := newRig(t, func(string) []string { return nil })
	crowd := ""
	for i := range 80 { // an hour with sums of its minutes
		crowd += fmt.Sprintf(`{"event_id":"c%d","source":"desk","event_type":"rumour","timestamp":%q,"district_lgd":272,"severity":1,"event_summary":"A rumour"}`+"\n",
			i, time.Now().Add(-5*time.Hour).Truncate(time.Hour).Add(time.Duration(i)*30*time.Second).Format(time.RFC3339))
	}
	bring := func() platformtest.Answer {
		return r.Want(t, http.StatusCreated, "analyst", http.MethodPost, rest.IngestsAddress,
			rest.BringBody{Format: "ndjson", Lines: crowd})
	}
	bring()
	r.Want(t, http.StatusCreated, "officer", http.MethodPost, rest.ScoresAddress, rest.FreezeBody{})
	frozen := r.Texts(t, `select lgd || ' ' || window_hours || ' ' || coalesce(score::text, '-') from netra.score order by 1`)
	counted := r.Number(t, `select count(*)::int from netra.signal where lgd = 272`)
	for _, tt := range []rest.CorrectionAskBody{{EventID: "e1", Kind: "wrong"}, {EventID: "c1", Kind: "duplicate", Other: "c2"},
		{EventID: "e3", Kind: "district", ToLGD: 273}} {
		tt.LGD, tt.Reason = 272, "The district office has looked."
		c := r.file(t, http.StatusCreated, tt)
		r.Want(t, http.StatusConflict, "analyst", http.MethodPost, rest.CorrectionsAddress, tt)
		if err := r.decide(t, c, "omar", "accept", "I filed it."); err == nil {
			t.Error("who filed it decided it")
		}
		if err := r.decide(t, c, "nisha", "accept", "Confirmed by two desks."); err != nil {
			t.Fatal(err)
		}
		now := r.ended(t, c)
		if now.State != store.CorrectionAccepted || now.DecidedBy != "nisha" || len(now.Recomputed) != 3*(1+min(tt.ToLGD, 1)) {
			t.Errorf("%s: %+v", tt.Kind, now)
		}
		first := now.Recomputed[0]
		if first.Before == nil || first.After == nil || *first.After > *first.Before ||
			*first.After == *first.Before && tt.Kind != "duplicate" { // one of eighty in a full layer moves no hundredth
			t.Errorf("%s: %+v", tt.Kind, first)
		}
		counted--
		if n := r.Number(t, `select count(*)::int from netra.signal where lgd = 272`); n != counted {
			t.Errorf("%s: %d signals count, want %d", tt.Kind, n, counted)
		}
		r.sums(t, 272)
		r.sums(t, 273)
	}
	if got := bring(); got.JSON["taken"] != 0.0 || got.JSON["known"] != 80.0 {
		t.Errorf("sent again: %s", got.Body)
	}
	again := r.Texts(t, `select lgd || ' ' || window_hours || ' ' || coalesce(score::text, '-') from netra.score order by 1`)
	if fmt.Sprint(again) != fmt.Sprint(frozen) {
		t.Errorf("scores that were given out: got %v, want %v", again, frozen)
	}
	r.Get(t, identity.Officer, "/netra/districts/272").Holds(t, 200, "Corrections", "It is a duplicate", "accepted", ">correction</text>")
	if *record {
		r.kept(t)
	}
}

// kept records the history of the first correction.
func (r *rig) kept(t *testing.T) {
	t.Helper()
	id := r.Texts(t, `select case_id from netra.correction order by filed_at limit 1`)[0]
	file, err := r.Deps.Cases.Lookup(t.Context(), postgrestest.North, id)
	if err != nil {
		t.Fatal(err)
	}
	workflow, _, err := r.Deps.Cases.Wake(file)
	if err != nil {
		t.Fatal(err)
	}
	durabletest.Record(t, r.engine, workflow, "testdata/history/correction-1.json")
}

// TestARefusedCorrectionChangesNothing promises that the signal counts as before, with who refused and why; and that a correction has a
// reason that names nobody, a signal that is there, and what its kind asks for.
func TestARefusedCorrectionChangesNothing(t *testing.T) {
	r := newRig(t, func(string) []string { return nil })
	before := r.Texts(t, `select encode(sums, 'hex') from netra.day order by day, lgd, layer`)
	c := r.file(t, http.StatusCreated, rest.CorrectionAskBody{LGD: 272, EventID: "e1", Kind: "wrong", Reason: "The market was open."})
	if err := r.decide(t, c, "nisha", "refuse", "Two desks saw it."); err != nil {
		t.Fatal(err)
	}
	if now := r.ended(t, c); now.State != store.CorrectionRefused || now.Why != "Two desks saw it." || len(now.Recomputed) != 0 {
		t.Errorf("got %+v", now)
	}
	if after := r.Texts(t, `select encode(sums, 'hex') from netra.day order by day, lgd, layer`); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("sums changed")
	}
	for status, all := range map[int][]rest.CorrectionAskBody{
		http.StatusUnprocessableEntity: {{LGD: 272, EventID: "e1", Kind: "wrong", Reason: "Shri Ramesh Kumar says so"},
			{LGD: 272, EventID: "e1", Kind: "duplicate", Reason: "x"}, {LGD: 272, EventID: "e1", Kind: "district", Reason: "x"},
			{LGD: 272, EventID: "e1", Kind: "wrong", Other: "e2", Reason: "x"}, {LGD: 272, EventID: "e1", Kind: "wrong", Reason: " "}},
		http.StatusNotFound: {{LGD: 272, EventID: "nothing", Kind: "wrong", Reason: "x"},
			{LGD: 273, EventID: "e1", Kind: "wrong", Reason: "x"},
			{LGD: 272, EventID: "e1", Kind: "district", ToLGD: 9, Reason: "x"}},
	} {
		for _, body := range all {
			if got := r.Call(t, "analyst", http.MethodPost, rest.CorrectionsAddress, body); got.Status != status {
				t.Errorf("%+v: got %d, want %d: %.300s", body, got.Status, status, got.Body)
			}
		}
	}
	at := "/netra/districts/272/correct?event=e1"
	r.Get(t, identity.Analyst, at).Holds(t, 200, "Correct a signal", `value="e1"`)
	r.Post(t, identity.Analyst, at, url.Values{"event": {"e1"}, "kind": {"wrong"}, "reason": {" "}}).Holds(t, 422, "Give a reason")
	sent := url.Values{"event": {"e2"}, "kind": {"wrong"}, "reason": {"It was a fair."}}
	if got := r.Post(t, identity.Analyst, at, sent); got.Status != 303 {
		t.Errorf("got %d: %.300s", got.Status, got.Body)
	}
	r.Get(t, identity.Auditor, at).Holds(t, 403)
}

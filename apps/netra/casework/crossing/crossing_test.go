package crossing_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/setting"
)

var officer = netratest.Person(identity.Officer)

// TestACrossingIsBroughtBeforeAnOfficerOnce promises: a district that crosses gets one case, whoever looks how often; the officer reads
// first what was found, its number beside the limit; the numbers are facts on the case; and nothing is asked twice.
func TestACrossingIsBroughtBeforeAnOfficerOnce(t *testing.T) {
	r := newRig(t, 3)
	now := r.Store.Now()
	r.hear(t, 1, 2, 1, now.Add(-2*time.Hour))
	if seen := r.look(t, now.Add(-time.Hour)); seen.Districts != 3 || seen.Opened != 0 {
		t.Fatalf("got %+v", seen)
	}
	r.hear(t, 1, 6, 4, now.Add(-30*time.Minute))
	if seen := r.look(t, now.Add(-time.Minute)); seen.Opened != 1 {
		t.Fatalf("got %+v", seen)
	}
	if seen := r.look(t, now.Add(-time.Minute)); seen.Opened != 0 {
		t.Errorf("the same look again opened %d", seen.Opened)
	}
	a := r.one(t)
	if a.LGD != 1 || a.Band != score.Critical || a.From != score.Baseline || len(a.Found.Results) != 3 || a.Found.FallsAt == nil ||
		a.Found.Before.Status != score.NoSignals {
		t.Fatalf("got %+v", a)
	}
	for range 2 {
		if now := r.advance(t, a.Case, r.Store.Now()); now.Ended {
			t.Fatal("the case ended")
		}
	}
	open, _, err := r.Deps.Reviews.List(t.Context(), officer, review.Query{Case: string(a.Case)})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d questions, %v", len(open), err)
	}
	whole, err := r.Deps.Reviews.Get(t.Context(), officer, open[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	f, err := finding.In(whole.Shown)
	if err != nil || f == nil {
		t.Fatal(err)
	}
	lines := strings.Join(f.Lines("en"), "\n")
	for _, want := range []string{"Made-up 1, State 1: score 9", "now in Critical", "crossed from Baseline into Critical",
		"Limit: 90, where Critical begins",
		"“Stones thrown at a market” adds", "If nothing new is heard it is in", "What is usual here is not known yet"} {
		if !strings.Contains(lines, want) {
			t.Errorf("the officer does not read %q:\n%s", want, lines)
		}
	}
	facts, err := r.Deps.Evidence.Book(t.Context(), postgrestest.North, a.Case)
	if err != nil || len(facts.Newest()) < 20 {
		t.Errorf("%d facts, %v", len(facts.Newest()), err)
	}
}

// decide answers the open question of a case.
func (r rig) decide(t *testing.T, a store.Alert, outcome, reason, dissent string) error {
	t.Helper()
	open, _, err := r.Deps.Reviews.List(t.Context(), officer, review.Query{Case: string(a.Case)})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d questions, %v", len(open), err)
	}
	whole, err := r.Deps.Reviews.Get(t.Context(), officer, open[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var args map[string]any
	if err := json.Unmarshal(whole.Args, &args); err != nil {
		t.Fatal(err)
	}
	args["outcome"], args["reason"], args["dissent"] = outcome, reason, dissent
	edit, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Deps.Reviews.Decide(t.Context(), officer, review.Decision{ID: "dec-" + rand.Text(), Proposal: open[0].ID,
		ShownSHA256: whole.ShownSHA256, Verdict: review.Edit, Edit: edit, Reason: "decided"})
	return err
}

// TestAReviewHasAReasonAndNamesNobody promises that nothing is decided without a reason, nor with words that name a person.
func TestAReviewHasAReasonAndNamesNobody(t *testing.T) {
	r := newRig(t, 1)
	now := r.Store.Now()
	r.hear(t, 1, 6, 4, now.Add(-30*time.Minute))
	r.look(t, now.Add(-time.Minute))
	a := r.one(t)
	r.advance(t, a.Case, now)
	for _, words := range [][2]string{{"", ""}, {"Shri Ramesh Kumar is behind it", ""}, {"It is tense.", "Call 9876543210 first"}} {
		if err := r.decide(t, a, "act", words[0], words[1]); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q, %q: got %v", words[0], words[1], err)
		}
	}
	if err := r.decide(t, a, "act", "Two markets are closed.", "The desk is one source."); err != nil {
		t.Error(err)
	}
}

// TestSilenceIsNoCalm promises that a district whose sources fell silent keeps its band and its case, that the board can say so, and
// that the case ends a day after the sources are heard again and are calm.
func TestSilenceIsNoCalm(t *testing.T) {
	r := newRig(t, 1)
	now := r.Store.Now().Truncate(time.Hour)
	began := now.Add(-120 * time.Hour)
	for day := range 20 {
		r.hear(t, 1, 2, 1, began.AddDate(0, 0, -day-1), "a", "b")
	}
	r.hear(t, 1, 8, 5, began.Add(-time.Minute), "a", "b")
	if seen := r.look(t, began); seen.Opened != 1 || seen.Silent != 0 {
		t.Fatalf("got %+v", seen)
	}
	for hour := 1; hour <= 72; hour += 6 { // nothing is heard any more
		if seen := r.look(t, began.Add(time.Duration(hour)*time.Hour)); seen.Ended != 0 || hour > 24 && seen.Silent != 1 {
			t.Fatalf("after %d hours: got %+v", hour, seen)
		}
	}
	all, err := r.Store.Standings(t.Context(), officer)
	if err != nil || !all[1].Silent || all[1].SilentAt == nil || !all[1].Open || all[1].Band == score.Baseline {
		t.Fatalf("got %+v, %v", all[1], err)
	}
	back := began.Add(80 * time.Hour)
	r.hear(t, 1, 2, 1, back, "a", "b")
	r.hear(t, 1, 2, 1, back.Add(24*time.Hour), "a", "b")
	ended := 0
	for hour := 1; hour <= 30; hour += 6 {
		ended += r.look(t, back.Add(time.Duration(hour)*time.Hour)).Ended
	}
	if a := r.one(t); ended != 1 || a.Ended != "calm" {
		t.Errorf("%d ended, %q", ended, a.Ended)
	}
}

// TestHigherIsAnotherCase promises that a district which goes higher gets a case for that, and the one before ends and asks nobody
// any more.
func TestHigherIsAnotherCase(t *testing.T) {
	r := newRig(t, 1)
	now := r.Store.Now()
	r.hear(t, 1, 2, 3, now.Add(-3*time.Hour))
	if seen := r.look(t, now.Add(-2*time.Hour)); seen.Opened != 1 {
		t.Fatalf("got %+v", seen)
	}
	first := r.one(t)
	r.advance(t, first.Case, now.Add(-2*time.Hour))
	r.hear(t, 1, 9, 5, now.Add(-time.Hour))
	r.look(t, now.Add(-time.Minute))
	second := r.one(t)
	if second.Case == first.Case || second.Band <= first.Band || second.From != first.Band {
		t.Fatalf("got %s after %s", second.Band, first.Band)
	}
	if !r.advance(t, first.Case, now).Ended {
		t.Error("the first case goes on")
	}
	open, _, err := r.Deps.Reviews.List(t.Context(), officer, review.Query{Case: string(first.Case)})
	if err != nil || len(open) != 0 {
		t.Errorf("%d questions about the first, %v", len(open), err)
	}
}

// TestLimitsAreSetInVersions promises that where bands begin is set by officers, in versions that a crossing names, with what a change
// would do; and that limits which do not rise are refused.
func TestLimitsAreSetInVersions(t *testing.T) {
	r := newRig(t, 2)
	now := r.Store.Now()
	settings := setting.NewStore(setting.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules,
		Kinds: []setting.Kind{store.LimitsKind, store.ShutdownKind}})
	limits, mark, err := setting.Get[store.Limits](t.Context(), settings, officer, store.LimitsKind, "")
	if err != nil || mark.Version != 0 || limits.Monitoring != 30 || limits.Critical != 90 {
		t.Fatalf("got %+v, %v", limits, err)
	}
	r.hear(t, 1, 1, 2, now.Add(-30*time.Minute))
	seen, err := r.watcher.Look(t.Context(), postgrestest.North, now.Add(-20*time.Minute), true)
	if err != nil || seen.Opened != 0 || seen.Frozen != 6 {
		t.Fatalf("got %+v, %v", seen, err)
	}
	limits.Monitoring = 10
	if p, err := settings.Preview(t.Context(), officer, store.LimitsKind, "", mustJSON(t, limits)); err != nil || len(p.Effects) != 5 ||
		p.Effects[1] != (setting.Effect{Name: "medium", Was: "0", Now: "1"}) {
		t.Errorf("got %+v, %v", p.Effects, err)
	}
	bad := limits
	bad.Senior = 50
	if _, _, err := setting.Put(t.Context(), settings, officer, store.LimitsKind, "", bad, 0); !fault.Is(err, fault.Invalid) {
		t.Errorf("limits that do not rise: %v", err)
	}
	if _, _, err := setting.Put(t.Context(), settings, netratest.Person(identity.Analyst), store.LimitsKind, "", limits, 0); !fault.Is(err,
		fault.Refused) {
		t.Errorf("an analyst: %v", err)
	}
	if _, _, err := setting.Put(t.Context(), settings, officer, store.LimitsKind, "", limits, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := setting.Put(t.Context(), settings, officer, store.ShutdownKind, "order-7", store.Shutdown{State: "State 1", LGD: 1,
		From: now.Add(-time.Hour).Format(time.RFC3339), Order: "Home 7/2026"}, 0); err != nil {
		t.Fatal(err)
	}
	if seen := r.look(t, now.Add(-time.Minute)); seen.Opened != 1 {
		t.Fatalf("got %+v", seen)
	}
	a := r.one(t)
	if a.Settings != 1 || a.Found.Thresholds[0] != 10 || a.Found.ShutAt == nil || a.Found.Shutdown != "Home 7/2026" {
		t.Errorf("got %+v", a)
	}
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestACrossingIsDueByItsBand promises that the hours which are set for a band are those in which an officer is asked to decide: the
// question is due then, they are reminded at half of it, it goes on when it is over, and what they read says it.
func TestACrossingIsDueByItsBand(t *testing.T) {
	r := newRig(t, 1)
	r.SetLimits(t, func(l *store.Limits) { l.DueCritical = 3 })
	now := r.Store.Now()
	r.hear(t, 1, 6, 4, now.Add(-30*time.Minute))
	r.look(t, now.Add(-time.Minute))
	a := r.one(t)
	if a.Band != score.Critical || a.Found.DueHours != 3 {
		t.Fatalf("got %s, due in %d hours", a.Band, a.Found.DueHours)
	}
	r.advance(t, a.Case, now)
	open, _, err := r.Deps.Reviews.List(t.Context(), officer, review.Query{Case: string(a.Case)})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d questions, %v", len(open), err)
	}
	q, err := r.Deps.Reviews.Get(t.Context(), officer, open[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for what, at := range map[string][2]time.Duration{"due": {q.DueAt.Sub(q.CreatedAt), 3 * time.Hour},
		"reminded": {q.RemindAt.Sub(q.CreatedAt), 90 * time.Minute}, "handed on": {q.EscalateAt.Sub(q.CreatedAt), 3 * time.Hour}} {
		if got, want := at[0].Round(time.Second), at[1]; got != want {
			t.Errorf("it is %s after %s, want %s", what, got, want)
		}
	}
	f, err := finding.In(q.Shown)
	if err != nil || !strings.Contains(f.Plain.En, "Decide within 3 hours.") || !strings.Contains(f.Plain.Hi, "3 घंटे के भीतर") {
		t.Errorf("got %q, %v", f.Plain, err)
	}
}

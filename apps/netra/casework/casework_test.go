package casework_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pii"
)

var analyst = netratest.Person(identity.Analyst)

// TestEveryLineIsAccountedFor promises that of a feed each line was taken, known, refused or stopped, and that what was stopped
// is in no table.
func TestEveryLineIsAccountedFor(t *testing.T) {
	r := newRig(t, 3)
	now := r.Store.Now()
	body := lines(t, 0, 5, now) + lines(t, 0, 2, now) + // two are told again
		line(t, "late", 1, now.AddDate(-3, 0, 0), "Old news") + line(t, "ahead", 1, now.Add(time.Hour), "Tomorrow's news") +
		line(t, "far", 99, now, "Nowhere") + "nonsense\n" +
		line(t, "hit", 1, now, "Call Shri Ramesh Kumar at 9876543210")
	i, err := r.desk.Take(t.Context(), analyst, casework.Bundle{Name: "a.ndjson", Format: feed.NDJSON, Body: []byte(body), Before: 100})
	if err != nil || i.Lines != 12 || i.Taken != 5 || i.Known != 2 || i.Refused != 4 || i.Quarantined != 1 || len(i.Reasons) != 4 {
		t.Fatalf("got %+v, %v", i, err)
	}
	_, held, err := r.Store.Ingest(t.Context(), analyst, i.ID, 10)
	if err != nil || len(held) != 1 || held[0].Line != 112 || held[0].Kinds[pii.Mobile] != 1 || held[0].Kinds[pii.Name] != 1 {
		t.Errorf("got %+v, %v", held, err)
	}
	for _, table := range []string{"signal", "ingest", "quarantine"} {
		for _, row := range r.Texts(t, `select to_json(x)::text from netra.`+table+` x`) {
			if strings.Contains(row, "Ramesh") || strings.Contains(row, "98765") || strings.Contains(row, `"hit"`) {
				t.Errorf("%s holds what was stopped: %s", table, row)
			}
		}
	}
}

// TestParametersOfAScore promises that a score is asked for a moment that can be answered for, and of a district that there is.
func TestParametersOfAScore(t *testing.T) {
	r := newRig(t, 3)
	now := r.Store.Now()
	if _, err := r.desk.Take(t.Context(), analyst, casework.Bundle{Name: "a", Format: feed.NDJSON,
		Body: []byte(lines(t, 0, 30, now))}); err != nil {
		t.Fatal(err)
	}
	all, err := r.desk.Score(t.Context(), analyst, casework.Ask{Windows: casework.Windows(), Profile: score.V2(), Named: true})
	if err != nil || len(all) != 3 || len(all[0].Results) != 3 {
		t.Fatalf("got %+v, %v", all, err)
	}
	for _, s := range all {
		if r := s.Results[0]; r.Signals != 10 || !r.Score.Known || r.Primary != "physical" || len(r.Top) != 3 ||
			s.Told[r.Top[0].ID].Summary == "" {
			t.Errorf("got %+v", r)
		}
	}
	if all[2].Results[0].Score.Value <= all[0].Results[0].Score.Value {
		t.Error("a border district weighs no more")
	}
	for name, a := range map[string]casework.Ask{
		"ahead":     {Windows: casework.Windows(), AsOf: now.Add(time.Hour), Profile: score.V2()},
		"too old":   {Windows: casework.Windows(), AsOf: now.Add(-store.SignalsKept), Profile: score.V2()},
		"no window": {Profile: score.V2()},
		"too long":  {Windows: []time.Duration{32 * 24 * time.Hour}, Profile: score.V2()},
		"no hours":  {Windows: []time.Duration{90 * time.Minute}, Profile: score.V2()},
	} {
		if _, err := r.desk.Score(t.Context(), analyst, a); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := r.desk.Score(t.Context(), analyst, casework.Ask{LGD: []int{99}, Windows: casework.Windows(),
		Profile: score.V2()}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no such district: got %v", err)
	}
}

// TestAScoreOfThePastStaysWhatItWas promises that "as of" a moment of the past does not see what came later, and that what was
// frozen is kept.
func TestAScoreOfThePastStaysWhatItWas(t *testing.T) {
	r := newRig(t, 1)
	now := r.Store.Now()
	one := func(asOf time.Time) score.Result {
		all, err := r.desk.Score(t.Context(), analyst, casework.Ask{Windows: casework.Windows()[:1], AsOf: asOf, Profile: score.V2()})
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Results[0]
	}
	bring := func(id string, at time.Time) {
		b := casework.Bundle{Name: "a", Format: feed.NDJSON, Body: []byte(line(t, id, 1, at, "Stones thrown"))}
		if _, err := r.desk.Take(t.Context(), analyst, b); err != nil {
			t.Fatal(err)
		}
	}
	bring("first", now.Add(-10*time.Hour))
	before := one(now.Add(-5 * time.Hour))
	bring("second", now.Add(-time.Hour))
	if after := one(now.Add(-5 * time.Hour)); after.Score != before.Score || after.Signals != 1 {
		t.Errorf("got %+v, want %+v", after, before)
	}
	if one(time.Time{}).Signals != 2 {
		t.Error("what came later does not count now")
	}
	if _, n, err := r.desk.Freeze(t.Context(), analyst, score.V2()); err != nil || n != 3 {
		t.Errorf("got %d, %v, want three windows of one district", n, err)
	}
	frozen, err := r.Store.History(t.Context(), analyst, store.HistoryQuery{WindowHours: 24, Limit: 10})
	if err != nil || len(frozen) != 1 || frozen[0].Score == nil || frozen[0].Profile != score.V2Name {
		t.Errorf("got %+v, %v", frozen, err)
	}
}

// TestNobodyIsKeptWaitingForEver promises back-pressure: who comes while enough others are at it is sent away for a moment.
func TestNobodyIsKeptWaitingForEver(t *testing.T) {
	r := newRig(t, 3)
	hold := r.lock(t)
	results := make(chan error, 3)
	for i := range 3 {
		go func() {
			_, err := r.desk.Take(t.Context(), analyst, casework.Bundle{Name: "a", Format: feed.NDJSON,
				Body: []byte(lines(t, i*10, 10, r.Store.Now()))})
			results <- err
		}()
	}
	if err := <-results; !fault.Is(err, fault.TooMany) {
		t.Errorf("the third: got %v, want to be sent away", err)
	}
	hold()
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

package survey

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/setting"
)

// TestThresholdsArePreviewedAndThenHold promises that a change of thresholds is previewed on
// what was scanned, that the scan after it finds what the preview said, and that answers
// before and after name their version.
func TestThresholdsArePreviewedAndThenHold(t *testing.T) {
	r, o := newRig(t), laketest.Surge(t)
	officer := airshedtest.Person(identity.Officer)
	r.hand(t, "one", o)
	high, rare := analysis.Usual(), analysis.Usual()
	high.SurgeIndex, rare.CircleKM = 499, 1
	kind := r.store.ThresholdKind()
	preview := func(to analysis.Thresholds) (was, now string) {
		t.Helper()
		value, _ := json.Marshal(to)
		err := r.store.In(t.Context(), officer.Org, func(tx pgx.Tx) error {
			p, err := setting.PreviewIn(t.Context(), tx, kind, officer.Org, "", value)
			for _, e := range p.Effects {
				if e.Name == "episodes" {
					was, now = e.Was, e.Now
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return was, now
	}
	set := func(to analysis.Thresholds) {
		t.Helper()
		value, _ := json.Marshal(to)
		err := r.store.In(t.Context(), officer.Org, func(tx pgx.Tx) error {
			_, err := setting.Write(t.Context(), tx, kind, value, setting.Change{Actor: officer, Seen: setting.AnyVersion,
				At: r.store.Now(), Proposal: "prop_made_up"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if was, now := preview(high); was != "1" || now != "0" {
		t.Fatalf("the preview says %s, then %s", was, now)
	}
	if was, now := preview(rare); was != "1" || now != "1" {
		t.Fatalf("a circle opens episodes: %s, then %s", was, now)
	}
	answer := func(n int) []byte {
		t.Helper()
		all, err := r.store.Episodes(t.Context(), officer, store.Cursor{}, 10)
		if err != nil || len(all) != 1 || all[0].Answers != n {
			t.Fatalf("%v: %+v", err, all)
		}
		_, body, err := r.store.AnswerBytes(t.Context(), officer, all[0].Key, n)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	if bytes.Contains(answer(1), []byte(`"thresholds"`)) {
		t.Error("thresholds that nobody set are named")
	}
	set(rare)
	o.Time = o.Time.Add(time.Minute)
	if again := r.hand(t, "two", o); again.Found != 1 {
		t.Fatalf("got %+v", again)
	}
	if named := (analysis.Set{Thresholds: rare, Version: 1}).Name(); !bytes.Contains(answer(2), []byte(named)) {
		t.Errorf("the second answer does not name %s", named)
	}
	if was, now := preview(high); was != "1" || now != "0" {
		t.Fatalf("the preview says %s, then %s", was, now)
	} else {
		set(high)
		o.Time = o.Time.Add(time.Minute)
		if after := r.hand(t, "three", o); strconv.Itoa(after.Found) != now {
			t.Errorf("the preview said %s, and the scan found %d", now, after.Found)
		}
	}
}

package survey

import (
	"bytes"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestAnEpisodeKeepsTheMethodItWasFoundWith promises that a change of the method is for
// episodes that are found after it: one that goes on is answered as it was, by newer data
// too, and what is kept is byte for byte what the terminal gives by that method.
func TestAnEpisodeKeepsTheMethodItWasFoundWith(t *testing.T) {
	methods := []analysis.Method{analysis.Demands, analysis.Statements}
	for i, first := range methods {
		t.Run(string(first), func(t *testing.T) {
			r, o := newRig(t), laketest.Surge(t)
			r.Choose(t, first)
			r.hand(t, "one", o)
			r.Choose(t, methods[1-i])
			o.Time = o.Time.Add(time.Minute)
			if again := r.hand(t, "two", o); again.Found != 1 || again.Fresh != 0 {
				t.Fatalf("newer data: %+v", again)
			}
			officer := airshedtest.Person(identity.Officer)
			all, err := r.store.Episodes(t.Context(), officer, store.Cursor{}, 10)
			if err != nil || len(all) != 1 || all[0].Method != first || all[0].Answers != 2 {
				t.Fatalf("%v: %+v", err, all)
			}
			_, body, err := r.store.AnswerBytes(t.Context(), officer, all[0].Key, 2)
			if err != nil || !bytes.Equal(body, offlineBytes(t, o, first)) {
				t.Errorf("%v: not the bytes that the terminal gives by %s", err, first)
			}
		})
	}
}

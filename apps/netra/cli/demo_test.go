package cli

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/page"
	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/rule/demo"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// TestTheDemonstrationGoesByTheAPI promises what there is to try, on the real addresses: districts of which some are raised, one without
// a score because only the police speak, lines that were stopped, scores that were written down, and more as the days go by.
func TestTheDemonstrationGoesByTheAPI(t *testing.T) {
	r := netratest.New(t)
	r.App.Messages = page.Messages()
	answers := rest.New(r.Store, casework.New(r.Store), analyst.New(r.Store, casework.New(r.Store)),
		correction.New(r.Store, casework.New(r.Store)))
	answers.Open(nil)
	server := r.Serve(t, platformtest.Serves{API: []api.Part{answers}, Routes: answers.Routes, As: map[string]identity.Actor{
		string(identity.Analyst): netratest.Person(identity.Analyst), string(identity.Officer): netratest.Person(identity.Officer)}})
	over := errors.New("over")
	turns, looks := 0, 0
	stage := platform.Stage{
		Call: func(_ context.Context, as identity.Role, method, path string, body, out any) error {
			got := server.Call(t, string(as), method, path, body)
			if got.Status >= 300 {
				return fault.New(fault.Internal, "%s %s: %s", method, path, got.Body)
			}
			if out == nil {
				return nil
			}
			return json.Unmarshal([]byte(got.Body), out)
		},
		Wait: func(_ context.Context, d time.Duration) error {
			if d == demoLook {
				looks++
				return nil
			}
			if turns++; d != demoEvery || turns > 2 {
				return over
			}
			return nil
		},
	}
	if err := loadDemo(t.Context(), stage); err != nil {
		t.Fatal(err)
	}
	if err := playDemo(t.Context(), stage); !errors.Is(err, over) {
		t.Fatal(err)
	}
	var scores struct{ Items []rest.ScoreBody }
	var ingests struct{ Items []rest.SignalIngestBody }
	var frozen struct{ Items []rest.HistoryBody }
	for path, to := range map[string]any{rest.ScoresAddress + "?page_size=100": &scores, rest.IngestsAddress: &ingests,
		rest.HistoryAddress: &frozen} {
		if err := stage.Call(t.Context(), identity.Analyst, "GET", path, nil, to); err != nil {
			t.Fatal(err)
		}
	}
	var schedule rest.LookPauseBody
	if err := stage.Call(t.Context(), identity.Officer, "GET", rest.ScheduleAddress, nil, &schedule); err != nil || looks != 1 ||
		!schedule.Paused {
		t.Errorf("districts were looked at %d times, and that is paused: %t; %v", looks, schedule.Paused, err)
	}
	raised, police := 0, ""
	for _, s := range scores.Items {
		if s.Label != "BASELINE" {
			raised++
		}
		if s.LGD == demo.Police {
			police = string(s.Status)
		}
	}
	if len(scores.Items) != 24 || raised == 0 || police != "only_enforcement" || len(frozen.Items) == 0 {
		t.Errorf("%d districts, %d raised, the police's is %s, %d scores are written down", len(scores.Items), raised, police,
			len(frozen.Items))
	}
	first, last := ingests.Items[len(ingests.Items)-1], ingests.Items[0]
	if len(ingests.Items) != 3 || first.Quarantined == 0 || first.Refused != 0 || last.Known == 0 {
		t.Errorf("it brought in %+v", ingests.Items)
	}
}

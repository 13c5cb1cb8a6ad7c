package reportagent_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/apps/reportagent/rule/demo"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// stage is the demonstration as the application sees it, on the test's addresses.
func (r rig) stage(t *testing.T) platform.Stage {
	t.Helper()
	return platform.Stage{
		Call: func(_ context.Context, as identity.Role, method, path string, body, out any) error {
			got := r.Call(t, string(as), method, path, body)
			if got.Status >= 300 {
				return fault.New(fault.Internal, "%s %s: %d %s", method, path, got.Status, got.Body)
			}
			if out == nil {
				return nil
			}
			return json.Unmarshal([]byte(got.Body), out)
		},
		Wait: func(ctx context.Context, _ time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second): // it looks 240 times: on a busy machine a draft takes minutes
				return nil
			}
		},
	}
}

// TestTheDemonstrationGoesByTheAPI promises what there is to try, on the real addresses and with the script's own words: sections that the
// scripted model worded and code took, one without data, one that waits for a signature, a score, a note, a person's words, and a newer
// run that turns a conclusion. Every page to try opens for its role.
func TestTheDemonstrationGoesByTheAPI(t *testing.T) {
	file, err := os.Open("demo/script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	script, err := scripted.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, true)
	r.thinkBy(t, scripted.Config{Script: scripted.Script{Agents: map[string][]scripted.Rule{
		"reportagent/report_writer": script.Agents["report_writer"]}}})
	if err := r.App.Demo.Load(t.Context(), r.stage(t)); err != nil {
		t.Fatal(err)
	}
	id := r.Texts(t, `select id from reportagent.report`)[0]
	worded := r.Number(t, `select count(*)::int from reportagent.wording where became = 'worded'`)
	if worded < 5 {
		t.Errorf("code took %d sections as the script worded them: %v", worded,
			r.Texts(t, `select section || ' ' || became from reportagent.wording order by 1`))
	}
	if s := r.section(t, id, demo.Edited); s.How != store.Person || !strings.Contains(s.Text, "who owns the trucks") ||
		len(s.Findings) > 0 {
		t.Errorf("got %+v", s)
	}
	var seen rest.SectionReviewBody
	r.ask(t, "auditor", "GET", rest.Base+"/"+id+"/sections/"+demo.Noted+"/review", nil, &seen)
	if len(seen.Notes) != 1 {
		t.Errorf("got %+v", seen)
	}
	if n := r.Number(t, `select count(*)::int from gavel.proposal where state = 'open'`); n != 1 {
		t.Errorf("%d signatures are asked for", n)
	}
	for _, one := range r.App.Demo.Try {
		if !strings.HasPrefix(one.Path, "/reportagent/") {
			continue // the inbox is the console's
		}
		to := r.Get(t, one.As, one.Path)
		if at := to.Header.Get("Location"); to.Status != 303 || !strings.HasPrefix(at, "/reportagent/reports/"+id) {
			t.Errorf("%s: got %d, %s", one.Path, to.Status, at)
		} else {
			r.Get(t, one.As, at).Holds(t, 200, "Harbour")
		}
	}
	r.Get(t, identity.Analyst, "/reportagent/reports/"+id+"/changes").Holds(t, 200, "Conclusions that turn", "Net emissions")
	r.Get(t, identity.Auditor, "/reportagent/reports/"+id+"?state=blocked").Holds(t, 200, "Tidal lagoons")
}

package program

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestLongWorkIsCancelled promises, with a server, a worker and the engine, that who may begin
// long work sees how far it is and cancels it, on its page and by command, once however
// often that is done; that who may only read cannot; that the work stops before its next
// step and says who wanted that; and that another can be begun.
func TestLongWorkIsCancelled(t *testing.T) {
	w := feedtest.New(t)
	_, env := withEngine(t, settingsFor(t, postgrestest.New(t, builtIn().migrations()...)))
	env = append(env, outside(t, w)...)
	served := start(t, env, "serve")
	t.Cleanup(func() { served.ends(t, errTerminated) })
	base := fmt.Sprint("http://", served.said(t, "listening")["address"])
	awaitReady(t, base)
	as := func(role identity.Role) setup {
		return setup{environ: append(slices.Clone(env), "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, role))}
	}
	analyst, auditor := as(identity.Analyst), as(identity.Auditor)
	id := strings.TrimSpace(analyst.run(t, "airshed", "ingest", "-o", "name").out)
	if again := strings.TrimSpace(analyst.run(t, "airshed", "ingest", "-o", "name").out); id == "" || again != id {
		t.Fatalf("began %q and %q, want one ingest", id, again)
	}
	if got := auditor.run(t, "job", "show", id, "--jq",
		`.state + " " + .kind + " " + .links.page`); got.out != "running ingest "+base+"/airshed/ingests/"+id+"\n" {
		t.Errorf("an auditor sees %+v", got)
	}
	if got := auditor.run(t, "job", "cancel", id); got.code != 5 {
		t.Errorf("an auditor cancels: %+v", got)
	}
	if status, at := pressed(t, base+"/jobs/"+id+"/cancel"); status != http.StatusSeeOther || at != "/airshed/ingests/"+id {
		t.Errorf("the page's button: %d to %s", status, at)
	}
	by := ""
	for range 2 {
		got := analyst.run(t, "job", "cancel", id, "-o", "json")
		var j struct {
			State string `json:"state"`
			By    string `json:"cancelled_by"`
		}
		if err := json.Unmarshal([]byte(got.out), &j); err != nil || got.code != 0 || j.State != "running" || j.By == "" {
			t.Fatalf("%v: got %+v", err, got)
		}
		by = j.By
	}
	worked := start(t, env, "worker")
	t.Cleanup(func() { worked.ends(t, errTerminated) })
	if got := auditor.run(t, "job", "show", id, "--wait"); got.code != 6 ||
		!strings.Contains(got.talk, id+" was cancelled: "+by+" called it off") {
		t.Errorf("waiting for it: %+v", got)
	}
	if n := w.Asked(feedtest.Index); n != 0 {
		t.Errorf("the air was asked for %d times", n)
	}
	if got := analyst.run(t, "job", "cancel", id); got.code != 6 || !strings.Contains(got.talk, "has ended") {
		t.Errorf("cancelling what has ended: %+v", got)
	}
	if got := analyst.run(t, "airshed", "ingest", "--wait", "--jq", ".state"); got.out != "done\n" {
		t.Errorf("another: %+v", got)
	}
}

// pressed sends a form without fields as an analyst, and says where that leads.
func pressed(t *testing.T, address string) (status int, at string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+devToken(t, identity.Analyst))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode, res.Header.Get("Location")
}

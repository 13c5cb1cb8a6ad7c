package reportagent_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent"
	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var record = flag.Bool("record", false, "write histories that are replayed")

// A rig is the whole application on a database of its own, with its addresses on a server.
type rig struct {
	*platformtest.Installation
	*platformtest.Server
}

// newRig makes it; settings are names and values.
func newRig(t *testing.T, routed bool, settings ...string) rig {
	t.Helper()
	app := reportagent.New()
	i := platformtest.New(t, app).Keep(t).Ask(t)
	i.Deps.Routed = func(string) bool { return routed }
	i.Deps.Settings = map[string]string{}
	for n := 0; n+1 < len(settings); n += 2 {
		i.Deps.Settings[settings[n]] = settings[n+1]
	}
	if err := app.Open(i.Deps); err != nil {
		t.Fatal(err)
	}
	who := map[string]identity.Actor{"analyst": platformtest.Person("asha", postgrestest.North, identity.Analyst),
		"officer": platformtest.Person("omar", postgrestest.North, identity.Officer),
		"editor":  platformtest.Person("devi", postgrestest.North, identity.Analyst, identity.Officer),
		"asker":   platformtest.Person("kiran", postgrestest.North, identity.Analyst, identity.Officer),
		"auditor": platformtest.Person("ravi", postgrestest.North, identity.Auditor),
		"guard":   platformtest.Person("gita", postgrestest.North, identity.Gate),
		"other":   platformtest.Person("sita", postgrestest.South, identity.Analyst)}
	jobs := &api.Jobs{Desk: job.NewDesk(i.Deps.DB, i.Deps.Clock, i.Deps.Rules, app.Jobs...)}
	return rig{i, i.Serve(t, platformtest.Serves{API: append(slices.Clone(app.API), jobs), Routes: app.Routes, As: who})}
}

// ask asks the server, as somebody, and reads what it answers.
func (r rig) ask(t *testing.T, who, method, path string, body, into any) int {
	t.Helper()
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		sent = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL+path, sent)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("As", who)
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if into == nil {
		return resp.StatusCode
	}
	if err := json.Unmarshal(text, into); err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %d, %v\n%s", method, path, resp.StatusCode, err, text)
	}
	return resp.StatusCode
}

// zipped is files as they are sent.
func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// small is a run of two charts.
func small() map[string][]byte {
	return map[string][]byte{
		"energy/use_by_fuel.csv": []byte("scen,fuel,unit,2025,2030,2050\n" +
			"Deep,Gas,PJ,100.0,80.0,10.0\nDeep,Oil,PJ,50.0,45.0,5.5\nMild,Gas,PJ,100.0,90.0,60.0\nMild,Oil,PJ,50.0,48.0,40.0\n"),
		"transport/cars.csv": []byte("scen,kind,unit,2025,2050\nDeep,Electric,million,1.0,9.0\nMild,Electric,million,1.0,5.0\n"),
	}
}

const smallOutline = "# Results\n<!-- Section instructions: overview -->\n\n## Energy\n<!-- Section instructions: energy use by fuel -->\n" +
	"<!-- Review comments: -->\n\n## Transport\n\n"

// bring brings a report in.
func (r rig) bring(t *testing.T, outline string, files map[string][]byte) rest.DraftedReportBody {
	t.Helper()
	var made rest.DraftedReportBody
	r.ask(t, "analyst", http.MethodPost, rest.Base, map[string]any{"title": "Outlook", "outline": outline, "name": "first",
		"zip": zipped(t, files)}, &made)
	return made
}

// drafted has sections drafted, and waits until they are.
func (r rig) drafted(t *testing.T, id string, body map[string]any) string {
	t.Helper()
	var j rest.DraftingBody
	r.ask(t, "analyst", http.MethodPost, rest.Base+"/"+id+"/drafts", body, &j)
	wait.Until(t, "the drafts are written", func() bool {
		return r.Number(t, `select count(*)::int from gavel.job where id = $1 and state <> 'running'`, j.Job) == 1
	})
	if got := r.Texts(t, `select state || ' ' || reason from gavel.job where id = $1`, j.Job)[0]; got != "done " {
		t.Fatalf("the drafting ended as %s", got)
	}
	return j.Job
}

// section reads a section.
func (r rig) section(t *testing.T, id, name string) (b rest.ReportSectionBody) {
	t.Helper()
	r.ask(t, "analyst", http.MethodGet, rest.Base+"/"+id+"/sections/"+name, nil, &b)
	return b
}

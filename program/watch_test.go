package program

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/program/config"
)

// get fetches a page of a process under test.
func get(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// awaitMetric polls a metrics page until it holds a text.
func awaitMetric(t *testing.T, address, want string) {
	t.Helper()
	var code int
	var text string
	if wait.Holds(1, func() bool {
		code, text = get(t, address)
		return code == http.StatusOK && strings.Contains(text, want)
	}) {
		return
	}
	t.Errorf("%s never showed %q: %d\n%s", address, want, code, text)
}

func TestAServersMetricsShowWhatWaitsForTheEngine(t *testing.T) {
	environ := withoutEngine(t)
	p := start(t, environ, "serve")
	base := fmt.Sprint("http://", p.said(t, "listening")["address"])
	awaitReady(t, base)
	person := setup{environ: append(environ, "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, identity.Officer))}
	if opened := person.run(t, "case", "open", "--title", "Smoke over Jind"); opened.code != 0 {
		t.Fatalf("open: got %+v", opened)
	}
	awaitMetric(t, base+"/metrics", "\ngavel_outbox_waiting{lane=\"start\"} 1\n")
	awaitMetric(t, base+"/metrics", "\ntemporal_") // the engine's SDK counts what it tried
	if code := p.ends(t, errTerminated); code != 0 {
		t.Errorf("got code %d\n%s", code, p.log)
	}
}

func TestAWorkerServesItsMetricsWhereItIsTold(t *testing.T) {
	p := start(t, append(withoutEngine(t), "GAVEL_WORKER_METRICS_LISTEN=127.0.0.1:0"), "worker")
	address := fmt.Sprint("http://", p.said(t, "metrics are served")["address"])
	awaitMetric(t, address+"/metrics", "\ntemporal_")
	if code := p.ends(t, errTerminated); code != 0 {
		t.Errorf("got code %d\n%s", code, p.log)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	got := setup{environ: append(withoutEngine(t), "GAVEL_WORKER_METRICS_LISTEN="+taken.Addr().String())}.run(t, "worker")
	if got.code != 2 || !strings.Contains(got.talk, taken.Addr().String()+" cannot be listened on") {
		t.Errorf("an address in use: got %+v", got)
	}
}

// behind makes an address of PostgreSQL lead through another, on which nobody
// listens until relay is called.
func behind(t *testing.T, environ []string) (through []string, relay func()) {
	t.Helper()
	const name = "GAVEL_DATABASE_URL="
	for i, entry := range environ {
		if !strings.HasPrefix(entry, name) {
			continue
		}
		u, err := url.Parse(strings.TrimPrefix(entry, name))
		if err != nil {
			t.Fatal(err)
		}
		real, door := u.Host, ownDoor(t)
		u.Host = door
		environ[i] = name + u.String()
		return environ, func() { forward(t, door, real) }
	}
	t.Fatal("no database among the settings")
	return nil, nil
}

// ownDoor is an address on which nobody listens, of a part of loopback that nobody
// else uses: it is still free when it is needed.
func ownDoor(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.77.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// forward lets whoever comes to one address speak to another.
func forward(t *testing.T, from, to string) {
	t.Helper()
	l, err := net.Listen("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); out.Close() }() // until either leaves
			go func() { _, _ = io.Copy(in, out); in.Close() }()
		}
	}()
}

func TestAWorkerTakesNoWorkBeforeTheDatabaseAnswers(t *testing.T) {
	environ, relay := behind(t, withoutEngine(t))
	p := start(t, environ, "worker")
	p.said(t, "waiting for the database")
	if strings.Contains(p.log.String(), "waiting for the engine") {
		t.Errorf("it went on without the database:\n%s", p.log)
	}
	relay()
	p.said(t, "waiting for the engine")
	if code := p.ends(t, errTerminated); code != 0 {
		t.Errorf("got code %d\n%s", code, p.log)
	}
	patient := start(t, append(withoutEngine(t), "GAVEL_DATABASE_URL=postgres://gavel_app:x@"+absentPort(t)+"/gavel"), "worker")
	patient.said(t, "waiting for the database")
	if code := patient.ends(t, errInterrupted); code != 130 {
		t.Errorf("interrupted while waiting: got code %d, want 130\n%s", code, patient.log)
	}
}

// terminate starts a workflow that nobody works, and ends it.
func terminate(t *testing.T, cfg durable.Config) {
	t.Helper()
	c, err := durable.Dial(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "nobody"}, "Nothing")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.TerminateWorkflow(t.Context(), run.GetID(), run.GetRunID(), "a test"); err != nil {
		t.Fatal(err)
	}
}

func TestWorkflowsThatEndedBadlyAreCounted(t *testing.T) {
	engine := durabletest.Own(t)
	cfg := loadConfig(t, "GAVEL_TEMPORAL_ADDRESS="+engine.Address, "GAVEL_TEMPORAL_NAMESPACE="+engine.Namespace)
	check := endedCheck(t, cfg)
	count := func() (n int) {
		got := examine(t, check)
		if got.Status == doctor.Warn {
			_, _ = fmt.Sscanf(got.Detail, "%d ended by failure", &n) // 0 where it says something else
		}
		return n
	}
	before := count()
	terminate(t, engine)
	wait.Until(t, "the count follows", func() bool { return count() > before })
	if got := count(); got != before+1 {
		t.Errorf("got %d after %d and one more: %+v", got, before, examine(t, check))
	}
	if got := examine(t, check); !strings.Contains(got.Fix, "temporal workflow list --namespace "+engine.Namespace) {
		t.Errorf("got the fix %q", got.Fix)
	}
	away := loadConfig(t, "GAVEL_TEMPORAL_ADDRESS="+absentPort(t))
	if got := examine(t, endedCheck(t, away)); got.Status != doctor.Warn || !strings.Contains(got.Detail, "not checked") {
		t.Errorf("an engine that is away: got %+v", got)
	}
}

func endedCheck(t *testing.T, cfg *config.Config) doctor.Check {
	t.Helper()
	for _, c := range (&cli{apps: builtIn()}).checks(cfg) {
		if c.Name == "workflows end well" {
			return c
		}
	}
	t.Fatal("the doctor does not look at how workflows end")
	return doctor.Check{}
}

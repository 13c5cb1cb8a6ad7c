package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

const testKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// A stream is a buffer that one goroutine writes while another looks.
type stream struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A process is a long-running command, run here.
type process struct {
	log  *stream
	stop context.CancelCauseFunc
	done chan int
}

func start(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	p := &process{log: &stream{}, stop: cancel, done: make(chan int, 1)}
	c := &cli{apps: builtIn(), in: strings.NewReader(""), out: p.log, talk: p.log, environ: environ}
	go func() { p.done <- c.run(ctx, args) }()
	return p
}

// said waits for a line of the log with a message and returns its fields.
func (p *process) said(t *testing.T, message string) map[string]any {
	t.Helper()
	var found map[string]any
	wait.Try(t, func() error {
		for line := range strings.Lines(p.log.String()) {
			var fields map[string]any
			if json.Unmarshal([]byte(line), &fields) == nil && fields["msg"] == message {
				found = fields
				return nil
			}
		}
		return fmt.Errorf("it has not said %q:\n%s", message, p.log)
	})
	return found
}

func (p *process) ends(t *testing.T, cause error) int {
	t.Helper()
	p.stop(cause)
	select {
	case code := <-p.done:
		return code
	case <-time.After(wait.Patience()):
		t.Fatalf("it did not end:\n%s", p.log)
		return -1
	}
}

// absentPort is a loopback address that nobody listens on, nor is given to anybody
// who asks for a free one.
func absentPort(*testing.T) string { return "127.0.0.1:1" }

// withoutEngine is the settings of an installation whose engine is away.
func withoutEngine(t *testing.T) []string {
	t.Helper()
	return settingsFor(t, postgrestest.New(t, builtIn().migrations()...))
}

// settingsFor is the settings of an installation on a database, without an engine.
func settingsFor(t *testing.T, db *postgrestest.Database) []string {
	t.Helper()
	logKey, _, err := audit.NewKey("gavel.invalid/test")
	if err != nil {
		t.Fatal(err)
	}
	return []string{"GAVEL_MODE=test", "GAVEL_LISTEN=127.0.0.1:0", "GAVEL_DATABASE_URL=" + db.AppURL,
		"GAVEL_DATABASE_SYSTEM_URL=" + db.SystemURL, "GAVEL_DATABASE_OWNER_URL=" + db.OwnerURL,
		"GAVEL_TEMPORAL_ADDRESS=" + absentPort(t), "GAVEL_PAYLOAD_KEYS=test:" + testKey, "GAVEL_DEV_TOKEN_KEY=" + testKey,
		"GAVEL_LOG_KEY=" + logKey, "GAVEL_SEAL_KEYS=test:" + testKey, "GAVEL_BLOB_URL=file://" + t.TempDir()}
}

// withEngine is settings that lead to the dev stack's engine, in a namespace that is the
// test's own: installations have queues and cases of the same names.
func withEngine(t *testing.T, environ []string) (durable.Config, []string) {
	t.Helper()
	engine := durabletest.Own(t)
	return engine, lastOfEach(append(environ, "GAVEL_TEMPORAL_ADDRESS="+engine.Address, "GAVEL_TEMPORAL_NAMESPACE="+engine.Namespace))
}

// lastOfEach leaves of settings that are there twice the last.
func lastOfEach(env []string) (out []string) {
	seen := map[string]bool{}
	for i := len(env) - 1; i >= 0; i-- {
		name, _, _ := strings.Cut(env[i], "=")
		if !seen[name] {
			out = append(out, env[i])
		}
		seen[name] = true
	}
	return out
}

func devToken(t *testing.T, role identity.Role) string {
	t.Helper()
	return devTokenOf(t, postgrestest.North, role)
}

func devTokenOf(t *testing.T, org identity.Org, role identity.Role) string {
	t.Helper()
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i) // testKey is the base64 of these
	}
	token, err := signin.DevToken(key, org, role)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestAServerWorksWhileTheEngineIsAway(t *testing.T) {
	environ := withoutEngine(t)
	p := start(t, environ, "serve")
	base := fmt.Sprint("http://", p.said(t, "listening")["address"])
	awaitReady(t, base)
	client := setup{environ: append(environ, "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, identity.Officer))}
	opened := client.run(t, "case", "open", "--title", "Smoke over Jind")
	if opened.code != 0 || !strings.Contains(opened.out, "PAGE  "+base+"/cases/case_") {
		t.Errorf("open: got %+v", opened)
	}
	if again := client.run(t, "case", "open", "--title", "Smoke over Jind"); again.out != opened.out || !strings.Contains(again.talk,
		"open already") {
		t.Errorf("open again: got %+v, want the same case", again)
	}
	auditor := setup{environ: append(environ, "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, identity.Auditor))}
	if got := auditor.run(t, "case", "open", "--title", "x"); got.code != 5 {
		t.Errorf("an auditor opened a case: got %+v, want code 5", got)
	}
	if got := auditor.run(t, "case", "list", "-o", "csv"); got.code != 0 || strings.Count(got.out, "\n") != 2 {
		t.Errorf("list: got %+v, want one case", got)
	}
	if code := p.ends(t, errTerminated); code != 0 {
		t.Errorf("asked to end: got code %d, want 0\n%s", code, p.log)
	}
	if strings.Contains(p.log.String(), testKey) {
		t.Error("a key is in the log")
	}
}

func awaitReady(t *testing.T, base string) {
	t.Helper()
	wait.Until(t, base+" is ready", func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

func TestAWorkerWaitsForTheEngineAndEndsWhenAskedTo(t *testing.T) {
	environ := withoutEngine(t)
	for _, tt := range []struct {
		cause error
		want  int
	}{{errTerminated, 0}, {errInterrupted, 130}} {
		p := start(t, environ, "worker")
		p.said(t, "waiting for the engine")
		if got := p.ends(t, tt.cause); got != tt.want {
			t.Errorf("%v: got code %d, want %d\n%s", tt.cause, got, tt.want, p.log)
		}
	}
}

// TestNothingStartsWithARoleThatPassesTheWalls promises that servers and workers do
// not begin where one organisation could read another's rows, and say what to do.
func TestNothingStartsWithARoleThatPassesTheWalls(t *testing.T) {
	db := postgrestest.New(t, builtIn().migrations()...)
	for name, url := range map[string]string{"the system role": db.SystemURL, "a superuser": db.AdminURL} {
		environ := lastOfEach(append(settingsFor(t, db), "GAVEL_DATABASE_URL="+url))
		for _, command := range []string{"serve", "worker"} {
			p, code := start(t, environ, command), -1
			wait.Until(t, "it has ended, or begun", func() bool {
				select {
				case code = <-p.done:
					return true
				default:
					return strings.Contains(p.log.String(), `"msg":"listening"`) || strings.Contains(p.log.String(),
						"waiting for the engine")
				}
			})
			if code != 5 || !strings.Contains(p.log.String(), "alter role gavel_app nosuperuser nobypassrls") ||
				strings.Contains(p.log.String(), "listening") {
				t.Errorf("%s as %s: got code %d (-1: it began) and %.400s", command, name, code, p.log)
			}
			if code == -1 {
				p.ends(t, errTerminated)
			}
		}
	}
}

func TestAnAddressInUseIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := setup{environ: withoutEngine(t)}.run(t, "serve", "--listen", l.Addr().String())
	if got.code != 2 || !strings.Contains(got.talk, l.Addr().String()+" cannot be listened on") {
		t.Errorf("got %+v", got)
	}
}

func TestMigrationsAreRunOnceAndTheirStateIsTold(t *testing.T) {
	s := setup{environ: []string{"GAVEL_MODE=test", "GAVEL_DATABASE_OWNER_URL=" + postgrestest.New(t).OwnerURL}}
	pending := s.run(t, "migrate", "status", "--json")
	var waiting []migration
	if err := json.Unmarshal([]byte(pending.out), &waiting); err != nil || len(waiting) == 0 || pending.code != 8 {
		t.Fatalf("status before: got %+v %v, want code 8 and what is pending", pending, err)
	}
	if done := s.run(t, "migrate", "--json"); done.code != 0 || done.out != pending.out {
		t.Errorf("migrate: got %+v, want what was pending", done)
	}
	if again := s.run(t, "migrate", "up"); again.code != 0 || again.out != "" || !strings.Contains(again.talk, "nothing to do") {
		t.Errorf("again: got %+v", again)
	}
	if after := s.run(t, "migrate", "status", "--json"); after != (ran{0, "[]\n", ""}) {
		t.Errorf("status after: got %+v", after)
	}
}

func TestAnInterruptedMigrationEndsWith130(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := start(t, []string{"GAVEL_DATABASE_OWNER_URL=postgres://gavel_owner:x@" + l.Addr().String() + "/gavel?sslmode=disable"}, "migrate")
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := p.ends(t, errInterrupted); got != 130 || !strings.Contains(p.log.String(), "gavel: interrupted") {
		t.Errorf("got code %d and %s", got, p.log)
	}
}

package program

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/program/config"
)

// readyServer finds itself ready, or not.
func readyServer(t *testing.T, status int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"checks":[{"name":"PostgreSQL for requests","ok":false,"error":"the database does not answer"}]}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func settingsFile(t *testing.T, mode os.FileMode, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gavel.env")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
	return path
}

func TestDoctorEndsWithWhatItFound(t *testing.T) {
	for _, tt := range []struct {
		name   string
		mode   os.FileMode
		ready  int
		args   []string
		code   int
		golden string
	}{
		{"well", 0o600, 200, nil, 0, "doctor/well.golden"},
		{"well and strict", 0o600, 200, []string{"--strict"}, 0, ""},
		{"a warning", 0o644, 200, nil, 0, "doctor/warn.golden"},
		{"a warning and strict", 0o644, 200, []string{"--strict"}, 8, ""},
		{"a failure", 0o600, 503, nil, 1, "doctor/fail.golden"},
		{"a failure and strict", 0o644, 503, []string{"--strict"}, 1, ""},
	} {
		server := readyServer(t, tt.ready)
		path := settingsFile(t, tt.mode, "GAVEL_SERVER="+server.URL, "GAVEL_TOKEN=x")
		args := append([]string{"doctor", "--config", path}, tt.args...)
		got := setup{}.run(t, args...)
		if got.code != tt.code || got.talk != "" {
			t.Errorf("%s: got code %d and %q, want %d", tt.name, got.code, got.talk, tt.code)
		}
		if tt.golden != "" {
			golden(t, tt.golden, steady(got.out, server.URL, path))
		}
		asJSON := setup{}.run(t, append(args, "-o", "json")...)
		var findings []doctor.Finding
		if err := json.Unmarshal([]byte(asJSON.out), &findings); err != nil || asJSON.code != tt.code || len(findings) < 4 {
			t.Errorf("%s in JSON: got code %d, %d findings, %v", tt.name, asJSON.code, len(findings), err)
		}
	}
}

// steady puts names in the place of what differs between machines.
func steady(out, url, path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(out, url, "http://server"), path, "gavel.env")
}

func loadConfig(t *testing.T, environ ...string) *config.Config {
	t.Helper()
	cfg, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func examine(t *testing.T, c doctor.Check) doctor.Finding {
	t.Helper()
	return doctor.Run(t.Context(), []doctor.Check{c}, time.Minute)[0]
}

func TestAServerWithoutItsPartsConfiguredIsUnwell(t *testing.T) {
	failed := map[string]string{}
	for _, f := range doctor.Run(t.Context(), (&cli{apps: builtIn()}).checks(loadConfig(t)), time.Minute) {
		if f.Status == doctor.Fail {
			failed[f.Group] = f.Detail + " / " + f.Fix
		}
	}
	for group, want := range map[string]string{"PostgreSQL": "GAVEL_DATABASE_URL", "Engine": "GAVEL_TEMPORAL_ADDRESS",
		"Server": "gavel serve"} {
		if !strings.Contains(failed[group], want) {
			t.Errorf("%s: got %q, want %s named", group, failed[group], want)
		}
	}
	broken := examine(t, settingsValid(loadConfig(t, "GAVEL_MODE=prod", "GAVEL_LISTEN=x")))
	if broken.Status != doctor.Fail || !strings.Contains(broken.Detail, "GAVEL_MODE") || !strings.Contains(broken.Detail, "GAVEL_LISTEN") {
		t.Errorf("got %+v, want both refused settings named", broken)
	}
}

// TestTheDoctorSaysWhyADatabaseNeedNotProveItsName promises that who let it be so is
// held to the reason, at every look.
func TestTheDoctorSaysWhyADatabaseNeedNotProveItsName(t *testing.T) {
	named := func(environ ...string) (all []doctor.Check) {
		for _, c := range (&cli{}).checks(loadConfig(t, environ...)) {
			if c.Name == "database proves its name" {
				all = append(all, c)
			}
		}
		return all
	}
	checks := named("GAVEL_DATABASE_URL=postgres://a:b@db.internal/gavel?sslmode=require",
		"GAVEL_DATABASE_TLS_WHY=its certificate names no host until May")
	if len(checks) != 1 {
		t.Fatalf("got %d lines, want one", len(checks))
	}
	if got := checks[0].Run(t.Context()); got.Status != doctor.Warn || !strings.Contains(got.Detail,
		"db.internal need not, because: its certificate names no host until May") || !strings.Contains(got.Fix, "verify-full") {
		t.Errorf("got %+v", got)
	}
	if got := named("GAVEL_DATABASE_URL=postgres://a:b@db.internal/gavel?sslmode=verify-full"); len(got) != 0 {
		t.Errorf("got %v, want no line where it is proved", got)
	}
}

func TestTheBlobStoreIsProvedByWriting(t *testing.T) {
	folder := t.TempDir()
	for range 2 { // the second time the object is there already
		if got := examine(t, blobCheck(loadConfig(t, "GAVEL_BLOB_URL=file://"+folder))); got.Status != doctor.OK {
			t.Errorf("a folder: got %+v", got)
		}
	}
	s3 := []string{"GAVEL_MODE=demo", "GAVEL_BLOB_URL=s3://evidence?endpoint=http://127.0.0.1:1&region=us-east-1",
		"GAVEL_BLOB_ACCESS_KEY=a", "GAVEL_BLOB_SECRET_KEY=hunter2"}
	got := examine(t, blobCheck(loadConfig(t, s3...)))
	if got.Status != doctor.Fail || !strings.Contains(got.Detail, "http://127.0.0.1:1") ||
		got.Fix != "go run ./devstack/cmd/devstack up s3" {
		t.Errorf("an absent store: got %+v", got)
	}
	if got := examine(t, blobCheck(loadConfig(t))); got.Status != doctor.OK || got.Detail != "not configured" {
		t.Errorf("no store: got %+v", got)
	}
}

func TestAWorkerCountsWhileItLives(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, identity string
		ago            time.Duration
		want           bool
	}{
		{"this process", fmt.Sprintf("%d@%s@", os.Getpid(), host), time.Second, true},
		{"a process that is gone", fmt.Sprintf("%d@%s@", 1<<22+1, host), time.Second, false}, // above the largest pid
		{"one on another machine", "1234@elsewhere@", time.Minute, true},
		{"one that has been silent", "1234@elsewhere@", 2 * time.Minute, false},
		{"one with a name of its own", "worker-7", time.Second, true},
	} {
		p := &taskqueuepb.PollerInfo{Identity: tt.identity, LastAccessTime: timestamppb.New(time.Now().Add(-tt.ago))}
		if got := polls(p); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestMetricsAreForOperatorsAndForThisMachine(t *testing.T) {
	h := metrics(policy.Standard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "up 1") }))
	for _, tt := range []struct {
		name, remote, host, header string
		role                       identity.Role
		ok                         bool
	}{
		{"this machine", "127.0.0.1:5000", "127.0.0.1:8080", "", "", true},
		{"this machine over IPv6", "[::1]:5000", "[::1]:8080", "", "", true},
		{"through a proxy on this machine", "127.0.0.1:5000", "127.0.0.1:8080", "X-Forwarded-For", "", false},
		{"through a proxy of another kind", "127.0.0.1:5000", "127.0.0.1:8080", "X-Real-Ip", "", false},
		{"through a proxy that says nothing", "127.0.0.1:5000", "gavel.example.org", "", "", false},
		{"elsewhere", "10.0.0.9:5000", "127.0.0.1:8080", "", "", false},
		{"an operator elsewhere", "10.0.0.9:5000", "gavel.example.org", "X-Forwarded-For", identity.Operator, true},
		{"an officer elsewhere", "10.0.0.9:5000", "gavel.example.org", "", identity.Officer, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		r.RemoteAddr, r.Host = tt.remote, tt.host
		if tt.header != "" {
			r.Header.Set(tt.header, "10.0.0.9")
		}
		if tt.role != "" {
			r = r.WithContext(signin.As(r.Context(), identity.Actor{Kind: identity.Person, ID: "p", Org: "north",
				Roles: []identity.Role{tt.role}}))
		}
		err := h(httptest.NewRecorder(), r)
		if (err == nil) != tt.ok || err != nil && !fault.Is(err, fault.Refused) {
			t.Errorf("%s: got %v, want ok %v", tt.name, err, tt.ok)
		}
	}
}

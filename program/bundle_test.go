package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// newStage is an installation in small, with the tables of every section that
// this program exports.
func newStage(t testing.TB) *bundletest.Stage {
	t.Helper()
	return bundletest.NewOn(t, []postgres.MigrationSet{agent.Migrations(), idempotency.Migrations()})
}

// save writes a bundle and its key into a folder of their own.
func save(t testing.TB, data []byte, key string) (zip, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	zip, keyFile = filepath.Join(dir, "case.zip"), filepath.Join(dir, "key.txt")
	for name, body := range map[string][]byte{zip: data, keyFile: []byte(key + "\n")} {
		if err := os.WriteFile(name, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return zip, keyFile
}

func TestVerifyAndReperformNeedAFileAndNothingElse(t *testing.T) {
	s := newStage(t)
	data := s.Export(t, s.Case(t, 7))
	good, key := save(t, data, string(s.Public))
	bad, _ := save(t, append(bytes.Clone(data), "more"...), "")
	half, _ := save(t, data[:len(data)/2], "")
	text, _ := save(t, []byte("root:x:0:0\n"), "")
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"half a download", []string{"verify", half, "--key", key}, 2, ""},
		{"something else", []string{"verify", text}, 2, ""},
		{"something else, as JSON", []string{"verify", text, "-o", "json"}, 2, ""},
		{"numbers of something else", []string{"reperform", text}, 2, ""},
		{"with a key", []string{"verify", good, "--key", string(s.Public)}, 0, "GENUINE"},
		{"with a file of keys", []string{"verify", good, "--key", key}, 0, "22 of 22 checks hold"},
		{"explained", []string{"verify", good, "--key", key, "--explain"}, 0, "does not prove that the key was never lent or stolen"},
		{"without a key", []string{"verify", good}, 8, "UNPROVEN"},
		{"without a key, on purpose", []string{"verify", good, "--any-signer"}, 0, "UNPROVEN"},
		{"altered", []string{"verify", bad, "--key", key}, 8, "something was put beside the files"},
		{"altered, whoever signed", []string{"verify", bad, "--any-signer"}, 8, "ALTERED"},
		{"as CSV", []string{"verify", good, "--key", key, "-o", "csv"}, 0, "log,every record is in the log,holds"},
		{"no such file", []string{"verify", good + "x"}, 3, ""},
		{"a folder", []string{"verify", filepath.Dir(good)}, 2, ""},
		{"no key", []string{"verify", good, "--key", "nothing"}, 2, ""},
		{"half a key", []string{"verify", good, "--key", "a+b+c"}, 2, ""},
		{"key and any signer", []string{"verify", good, "--key", key, "--any-signer"}, 2, ""},
		{"no file", []string{"verify"}, 2, ""},
		{"numbers", []string{"reperform", good}, 0, "8 done again: 6 pass, 0 fail, 2 stated by a person, 0 unread"},
		{"numbers as CSV", []string{"reperform", good, "-o", "csv"}, 0, "facts,F1@1,observed,pass,120,120,"},
		{"numbers of an altered bundle", []string{"reperform", bad}, 8, "PASS"},
		{"numbers of no file", []string{"reperform", good + "x"}, 3, ""},
	} {
		got := setup{}.run(t, tt.args...)
		if got.code != tt.code || !strings.Contains(got.out, tt.says) {
			t.Errorf("%s: got code %d and\n%s%s\nwant code %d and %q", tt.name, got.code, got.out, got.talk, tt.code, tt.says)
		}
		if tt.says == "" && got.out != "" {
			t.Errorf("%s: printed %q, want nothing but the error", tt.name, got.out)
		}
	}
}

func TestVerifyTellsProgramsTheSame(t *testing.T) {
	s := newStage(t)
	file, key := save(t, s.Export(t, s.Case(t, 7)), string(s.Public))
	var rep struct {
		Verdict, Case, Signer string
		Checks                []struct {
			Name, Outcome, Proves string
			DoesNot               string `json:"does_not_prove"`
		}
	}
	got := setup{}.run(t, "verify", file, "--key", key, "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &rep); err != nil || got.code != 0 {
		t.Fatalf("got code %d, %v: %s", got.code, err, got.out)
	}
	if rep.Verdict != "genuine" || rep.Signer != string(s.Public) || len(rep.Checks) != 22 || rep.Checks[0].DoesNot == "" {
		t.Errorf("got %+v", rep)
	}
	var done struct {
		Verdict string
		Done    []struct{ Name, Outcome string }
	}
	got = setup{}.run(t, "reperform", file, "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &done); err != nil || got.code != 0 || len(done.Done) != 8 || done.Verdict != "unproven" {
		t.Errorf("got code %d, %v: %s", got.code, err, got.out)
	}
}

// hall is a server that answers for cases and their bundles.
func hall(t *testing.T, s *bundletest.Stage, actor identity.Actor) setup {
	t.Helper()
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: policy.Standard().May})
	if err != nil {
		t.Fatal(err)
	}
	c := &cli{cfg: &config.Config{LogKey: config.Secret(s.Secret)}}
	exporter, err := c.newExporter(&parts{db: s.DB.App, cases: s.Cases, rules: policy.Standard()}, s.DB.System, s.Blobs, s.Evidence,
		s.Vault)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = ticking(ctx, audit.Interval, s.Log.Run)
	}()
	t.Cleanup(func() { stop(); <-ended })
	mux := web.NewMux(site)
	api.New(mux, api.Config{PublicURL: "https://gavel.example", Keys: idempotency.NewStore(s.DB.App)}).Routes(
		&api.Cases{Cases: s.Cases, PublicURL: "https://gavel.example"},
		&api.Subjects{Cases: s.Cases, Vault: s.Vault},
		&api.Bundles{Exporter: exporter})
	as := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(signin.As(r.Context(), actor)))
		})
	}
	srv := httptest.NewServer(site.Handler(mux, as))
	t.Cleanup(srv.Close)
	return setup{environ: []string{"GAVEL_SERVER=" + srv.URL, "GAVEL_TOKEN=good"}}
}

func TestABundleIsExportedIntoAFileThatVerifies(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 7)
	at := hall(t, s, bundletest.Auditor)
	dir := t.TempDir()
	file := filepath.Join(dir, "case.zip")
	got := at.run(t, "bundle", "export", string(id), "-f", file, "--to", "the tribunal's office", "-o", "json")
	var said struct {
		File, Case, SHA256, Record string
		Size                       int64
	}
	if err := json.Unmarshal([]byte(got.out), &said); err != nil || got.code != 0 {
		t.Fatalf("got code %d, %v: %s%s", got.code, err, got.out, got.talk)
	}
	if said.File != file || said.Case != string(id) || said.Size == 0 || !strings.HasPrefix(said.Record, "rec_") {
		t.Errorf("got %+v", said)
	}
	if got := (setup{}).run(t, "verify", file, "--key", string(s.Public)); got.code != 0 || !strings.Contains(got.out, said.SHA256) {
		t.Errorf("the file does not verify: code %d\n%s", got.code, got.out)
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"over a file that is there", []string{string(id), "-f", file}, 6},
		{"into a folder that is not there", []string{string(id), "-f", filepath.Join(dir, "no", "case.zip")}, 2},
		{"of a case that is not there", []string{"case_01ARZ3NDEKTSV4RRFFQ69G5FAV", "-f", filepath.Join(dir, "b.zip")}, 3},
		{"of nothing", nil, 2},
	} {
		if got := at.run(t, append([]string{"bundle", "export"}, tt.args...)...); got.code != tt.code {
			t.Errorf("%s: got code %d (%s), want %d", tt.name, got.code, got.talk, tt.code)
		}
	}
	piped := at.run(t, "bundle", "export", string(id), "-f", "-")
	if !strings.HasPrefix(piped.out, "PK") || piped.code != 0 {
		t.Errorf("into a pipe: got code %d and %.20q", piped.code, piped.out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".gavel*")); len(left) != 0 {
		t.Errorf("drafts are left behind: %v", left)
	}
}

func TestWhoMayNotExportGetsNoFile(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 7)
	operator := identity.Actor{Kind: identity.Person, ID: "p:operator", Org: bundletest.Auditor.Org,
		Roles: []identity.Role{identity.Operator}}
	dir := t.TempDir()
	got := hall(t, s, operator).run(t, "bundle", "export", string(id), "-f", filepath.Join(dir, "case.zip"))
	if got.code != 5 || !strings.Contains(got.talk, "next: Ask") {
		t.Errorf("got code %d: %s; want a refusal that says whom to ask", got.code, got.talk)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left behind", left)
	}
}

func TestABundleThatIsChangedOnItsWayIsThrownAway(t *testing.T) {
	s := newStage(t)
	id := string(s.Case(t, 7))
	inner := hall(t, s, bundletest.Auditor)
	base := strings.TrimPrefix(inner.environ[0], "GAVEL_SERVER=")
	meddler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, _ := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.Path, r.Body)
		out.Header = r.Header.Clone()
		resp, err := http.DefaultClient.Do(out)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			w.Header()[k] = v
		}
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		data := body.Bytes()
		if resp.Header.Get("Content-Type") == "application/zip" {
			data[len(data)/2] ^= 1
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = w.Write(data)
	}))
	defer meddler.Close()
	dir := t.TempDir()
	at := setup{environ: []string{"GAVEL_SERVER=" + meddler.URL, "GAVEL_TOKEN=good"}}
	got := at.run(t, "bundle", "export", id, "-f", filepath.Join(dir, "case.zip"))
	if got.code != 1 || !strings.Contains(got.talk, "changed on its way") {
		t.Errorf("got code %d: %s", got.code, got.talk)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left behind", left)
	}
}

func TestWaitingForTheLogEndsWithTheCaller(t *testing.T) {
	if err := pause(t.Context(), time.Millisecond); err != nil {
		t.Errorf("got %v, want none", err)
	}
	ctx, leave := context.WithCancelCause(t.Context())
	leave(errInterrupted)
	if err := pause(ctx, time.Hour); !errors.Is(err, errInterrupted) {
		t.Errorf("got %v, want the reason for leaving", err)
	}
}

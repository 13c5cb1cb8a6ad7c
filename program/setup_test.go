package program

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/program/config"
)

// cluster is a PostgreSQL of the test's own: making roles would change the passwords that
// everybody else's tests sign in with.
func cluster(t *testing.T) *devstack.Stack {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel-setup-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience())
	defer cancel()
	_, err = devstack.Up(ctx, devstack.Options{Dir: dir, InMemory: true, Parts: []devstack.Part{devstack.Postgres}})
	stack, openErr := devstack.Open(dir) // also when Up was interrupted, so that what it started is removed
	if openErr != nil {
		t.Fatal(errors.Join(err, openErr))
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait.Patience())
		defer cancel()
		if err := stack.Remove(ctx); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return stack
}

// surroundings are the parts that an installation finds where it is set up, but for
// PostgreSQL, as NAME=VALUE.
func surroundings(t *testing.T) map[config.Name]string {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	s := stack.Settings()
	all := map[config.Name]string{config.NameListen: "127.0.0.1:0", config.NameBlobURL: "file://" + t.TempDir(),
		config.NameTemporalNamespace: "t-" + strings.ToLower(rand.Text()[:16])}
	for _, name := range []config.Name{config.NamePublicURL, config.NameTemporalAddress, config.NameSMTPAddress, config.NameMailFrom,
		config.NameMailDomain, config.NameOIDCIssuer, config.NameOIDCClientID, config.NameOIDCClientSecret} {
		if all[name] = s[string(name)]; all[name] == "" {
			t.Fatalf("the dev stack has no %s", name)
		}
	}
	return all
}

func arguments(settings map[config.Name]string) (args []string) {
	for name, value := range settings {
		args = append(args, string(name)+"="+value)
	}
	return args
}

// TestFromNothingToTheFirstAdministratorsPage walks the guide "Install" on real parts: an
// empty cluster, an engine without the namespace, an office; four commands, and who runs
// the office is in.
func TestFromNothingToTheFirstAdministratorsPage(t *testing.T) {
	t.Parallel()
	there, dir := surroundings(t), filepath.Join(t.TempDir(), "etc")
	server, owner := filepath.Join(dir, "gavel.env"), filepath.Join(dir, "owner.env")
	args := append([]string{"setup", "--no-input", "--to", dir, "--superuser", cluster(t).AdminURL()}, arguments(there)...)
	did := setup{}.run(t, args...)
	if did.code != exitOK {
		t.Fatalf("setup: got %+v", did)
	}
	for _, want := range []string{"made the database gavel", "made the namespace", there[config.NamePublicURL] + "/auth/callback",
		"gavel migrate --config " + owner, "gavel serve --config " + server} {
		if !strings.Contains(did.talk, want) {
			t.Errorf("setup said %s, want %q in it", did.talk, want)
		}
	}
	holdsItsSecrets(t, did.talk, server, owner)
	for _, args := range [][]string{{"migrate", "--config", owner},
		{"org", "add", "north", "--title", "North Commission", "--config", server}} {
		if got := (setup{}).run(t, args...); got.code != exitOK {
			t.Fatalf("%v: got %+v", args, got)
		}
	}
	serve := start(t, nil, "serve", "--config", server)
	t.Cleanup(func() { serve.ends(t, errTerminated) })
	worker := start(t, nil, "worker", "--config", server)
	t.Cleanup(func() { worker.ends(t, errTerminated) })
	at := "http://" + serve.said(t, "listening")["address"].(string)
	worker.said(t, "worker ready")

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := visitor{t, &http.Client{Jar: jar, Timeout: 2 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, at, there[config.NamePublicURL]}
	if status, _, body := browser.ask("GET", "/auth", nil); status != http.StatusNotFound && strings.Contains(body, "Demo org admin") {
		t.Errorf("a stranger is somebody: %s", body)
	}
	browser.signIn("org-admin@north.example")
	status, to, body := browser.ask("GET", "/", nil)
	for n := 0; n < 3 && status/100 == 3; n++ {
		status, to, body = browser.ask("GET", strings.TrimPrefix(to, there[config.NamePublicURL]), nil)
	}
	if status != http.StatusOK || !strings.Contains(body, "Demo org admin (north)") || !strings.Contains(body, "North Commission") {
		t.Errorf("the first page: got %d and %s", status, body)
	}
	isWell(t, server)
	before, _ := os.ReadFile(server)
	if got := (setup{}).run(t, args...); got.code != exitConflict || !strings.Contains(got.talk, "is there already") {
		t.Errorf("again: got %+v", got)
	}
	if after, err := os.ReadFile(server); err != nil || string(after) != string(before) {
		t.Errorf("again: the settings changed (%v)", err)
	}
}

// holdsItsSecrets makes sure that the files are their owner's, that only one holds the
// owner's address, and that no secret was said.
func holdsItsSecrets(t *testing.T, said string, files ...string) {
	t.Helper()
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%s: got %v and %v, want mode 0600", file, info, err)
		}
		cfg, err := config.Load(config.Sources{File: file, Apps: builtIn().settings()})
		if err != nil || len(cfg.Problems()) > 0 {
			t.Errorf("%s: got %v and %v", file, err, cfg.Problems())
		}
		if isOwners := strings.HasSuffix(file, ownerFile); cfg.IsSet(config.NameDatabaseOwner) != isOwners {
			t.Errorf("%s: the owner's address is there: %v", file, !isOwners)
		}
		for _, row := range cfg.List() {
			if value := cfg.Given()[row.Name]; row.Secret && value != "" && strings.Contains(said, value) {
				t.Errorf("setup said the value of %s", row.Name)
			}
		}
	}
}

// isWell has the doctor look at it. Only the address that people use leads elsewhere in a
// test.
func isWell(t *testing.T, file string) {
	t.Helper()
	got := setup{}.run(t, "doctor", "--config", file, "-o", "json")
	var found struct{ Items []doctor.Finding }
	if err := json.Unmarshal([]byte(got.out), &found); err != nil || len(found.Items) < 20 {
		var all []doctor.Finding
		if err := json.Unmarshal([]byte(got.out), &all); err != nil || len(all) < 20 {
			t.Fatalf("got %+v: %v", got, err)
		}
		found.Items = all
	}
	for _, f := range found.Items {
		if f.Status == doctor.Fail && f.Group != "Server" {
			t.Errorf("%s: %s: %s (%s)", f.Group, f.Name, f.Detail, f.Fix)
		}
	}
}

// TestSetupAsksAgainWhereAnAnswerIsNotSo promises that who mistypes an address is told at
// once what is wrong with it, and need not begin again.
func TestSetupAsksAgainWhereAnAnswerIsNotSo(t *testing.T) {
	db, there, dir := postgrestest.Empty(t), surroundings(t), t.TempDir()
	blobs, namespace := "file://"+filepath.Join(dir, "blob"), there[config.NameTemporalNamespace]
	answers := []string{
		"gavel.example.org",         // no address
		there[config.NamePublicURL], //
		strings.Replace(db.SystemURL, "gavel_system", "gavel_sistem", 1), // nobody is called so
		db.SystemURL,
		absentPort(t), namespace, // nobody listens
		there[config.NameTemporalAddress], namespace,
		blobs,
		"",                                        // no mail
		"http://" + absentPort(t), "", "mistaken", // no office there
		there[config.NameOIDCIssuer], "", there[config.NameOIDCClientSecret],
	}
	asked := setup{terminal: true, in: strings.Join(answers, "\n") + "\n"}
	got := asked.run(t, "setup", "--to", dir, string(config.NameDatabase)+"="+db.AppURL, string(config.NameDatabaseOwner)+"="+db.OwnerURL)
	if got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	for _, want := range []string{"GAVEL_PUBLIC_URL (flag): \"gavel.example.org\" is not valid", "refuses: password authentication failed for user \"gavel_sistem\"",
		"Temporal at " + absentPort(t) + " does not answer", "the issuer at http://" + absentPort(t) + " does not answer",
		"[127.0.0.1:7233]", "well: namespace exists"} {
		if !strings.Contains(got.talk, want) {
			t.Errorf("got %s, want %q in it", got.talk, want)
		}
	}
	cfg, err := config.Load(config.Sources{File: filepath.Join(dir, "gavel.env"), Apps: builtIn().settings()})
	if err != nil {
		t.Fatal(err)
	}
	given := cfg.Given()
	for name, want := range map[config.Name]string{config.NameDatabaseSystem: db.SystemURL, config.NameBlobURL: blobs,
		config.NameTemporalAddress: there[config.NameTemporalAddress], config.NameOIDCIssuer: there[config.NameOIDCIssuer],
		config.NameOIDCClientID: "gavel", config.NameOIDCClientSecret: there[config.NameOIDCClientSecret], config.NameSMTPAddress: "",
		config.NameOldPayloads: "refuse", config.NameMode: "production"} {
		if given[name] != want {
			t.Errorf("%s is %q, want %q", name, given[name], want)
		}
	}
	short := setup{terminal: true, in: "https://gavel.example.org\n"}
	if got := short.run(t, "setup", "--to", filepath.Join(dir, "other")); got.code != exitUsage ||
		!strings.Contains(got.talk, "the answers ended") {
		t.Errorf("who leaves: got %+v", got)
	}
}

func TestSetupRefusesWhatIsNotWhole(t *testing.T) {
	used, empty, there := postgrestest.New(t, builtIn().migrations()...), postgrestest.Empty(t), surroundings(t)
	addresses := func(db *postgrestest.Database) map[config.Name]string {
		return map[config.Name]string{config.NameDatabase: db.AppURL, config.NameDatabaseSystem: db.SystemURL,
			config.NameDatabaseOwner: db.OwnerURL}
	}
	for _, tt := range []struct {
		name   string
		db     *postgrestest.Database
		change map[config.Name]string // an empty value leaves it out
		code   int
		want   string
	}{
		{"a value that can't be meant", empty, map[config.Name]string{config.NameListen: "nonsense"}, exitUsage, "GAVEL_LISTEN"},
		{"a name that is none", empty, map[config.Name]string{"GAVEL_LISTN": "x"}, exitUsage, "GAVEL_LISTN"},
		{"plain http to people", empty, map[config.Name]string{config.NamePublicURL: "http://gavel.example.org"}, exitUsage, "https://"},
		{"nobody says where it is", empty, map[config.Name]string{config.NamePublicURL: ""}, exitUsage, "gavel setup GAVEL_PUBLIC_URL=…"},
		{"a database with somebody's data, and new keys", used, nil, exitConflict, "set up already"},
		{"no database", empty, map[config.Name]string{config.NameDatabase: "", config.NameDatabaseSystem: "", config.NameDatabaseOwner: ""},
			exitUsage, "--superuser"},
		{"an engine that does not answer", empty, map[config.Name]string{config.NameTemporalAddress: absentPort(t)}, exitFailed,
			"start Temporal"},
		{"mail from nobody", empty, map[config.Name]string{config.NameMailFrom: ""}, exitUsage, "GAVEL_MAIL_FROM"},
		{"an office that does not answer", empty, map[config.Name]string{config.NameOIDCIssuer: "http://" + absentPort(t)}, exitFailed,
			"start the issuer"},
		{"an office without our secret", empty, map[config.Name]string{config.NameOIDCClientSecret: ""}, exitUsage,
			"GAVEL_OIDC_CLIENT_SECRET"},
	} {
		dir := filepath.Join(t.TempDir(), "etc")
		settings := addresses(tt.db)
		for _, more := range []map[config.Name]string{there, tt.change} {
			for name, value := range more {
				if settings[name] = value; value == "" {
					delete(settings, name)
				}
			}
		}
		got := setup{}.run(t, append([]string{"setup", "--to", dir}, arguments(settings)...)...)
		if got.code != tt.code || !strings.Contains(got.talk, tt.want) || !strings.Contains(got.talk, "next: ") {
			t.Errorf("%s: got %+v, want code %d, %q and what to do next", tt.name, got, tt.code, tt.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: it wrote %v", tt.name, left)
		}
	}
}

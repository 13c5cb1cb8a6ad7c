package program

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

// A visitor is a browser that reaches a server under its public address, which is
// the one the office knows, wherever it really listens.
type visitor struct {
	t      *testing.T
	client *http.Client
	at     string // where it listens
	public string
}

func (v visitor) ask(method, path string, form url.Values) (status int, location, body string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.at+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Location"), string(text)
}

// signIn goes all the way through the office.
func (v visitor) signIn(email string) {
	v.t.Helper()
	_, office, body := v.ask("GET", "/auth/start", nil)
	home, err := devstack.Visit(v.t.Context(), office, v.public, email)
	if err != nil {
		v.t.Fatalf("%v\n%s", err, body)
	}
	if status, _, body := v.ask("GET", strings.TrimPrefix(home, v.public), nil); status != http.StatusSeeOther {
		v.t.Fatalf("%s got %d: %s", email, status, body)
	}
}

// served is a server with the office's sign-in, and what a command line needs to
// reach it: a home of its own and no token.
func served(t *testing.T) (visitor, setup) {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	s := stack.Settings()
	environ := append(withoutEngine(t), "GAVEL_PUBLIC_URL="+s["GAVEL_PUBLIC_URL"], "GAVEL_OIDC_ISSUER="+s["GAVEL_OIDC_ISSUER"],
		"GAVEL_OIDC_CLIENT_ID="+s["GAVEL_OIDC_CLIENT_ID"], "GAVEL_OIDC_CLIENT_SECRET="+s["GAVEL_OIDC_CLIENT_SECRET"])
	p := start(t, environ, "serve")
	t.Cleanup(func() { p.ends(t, errTerminated) })
	at := "http://" + p.said(t, "listening")["address"].(string)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 2 * time.Minute, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return visitor{t, client, at, s["GAVEL_PUBLIC_URL"]}, setup{environ: []string{"HOME=" + t.TempDir(), "GAVEL_SERVER=" + at}}
}

var shownCode = regexp.MustCompile(`type +([0-9A-Z]{4}-[0-9A-Z]{4})`)

func TestAPersonActsFromATerminalAsThemselves(t *testing.T) {
	browser, shell := served(t)
	browser.signIn("org-admin@north.example")

	out, talk := &stream{}, &stream{}
	done := make(chan int, 1)
	go func() {
		c := &cli{apps: builtIn(), in: strings.NewReader(""), out: out, talk: talk, environ: shell.environ}
		done <- c.run(t.Context(), []string{"login", "--name", "test terminal", "-o", "json"})
	}()
	var code []string
	wait.Try(t, func() error {
		if code = shownCode.FindStringSubmatch(talk.String()); code == nil {
			return fmt.Errorf("login shows no code:\n%s", talk)
		}
		return nil
	})
	if status, _, body := browser.ask("POST", "/terminal", url.Values{"code": {code[1]}}); status != 200 ||
		!strings.Contains(body, "test terminal") {
		t.Errorf("the page got %d:\n%s", status, body)
	}
	if status, _, _ := browser.ask("POST", "/terminal/confirm", url.Values{"code": {code[1]}}); status != 200 {
		t.Errorf("confirming got %d", status)
	}
	if got := <-done; got != exitOK {
		t.Fatalf("login ended with %d:\n%s", got, talk)
	}
	kept, err := os.Stat(filepath.Join(strings.TrimPrefix(shell.environ[0], "HOME="), ".config", "gavel", "logins.json"))
	if err != nil || kept.Mode().Perm() != 0o600 {
		t.Errorf("the sign-in is kept as %v, %v", kept, err)
	}
	var me struct{ Kind, Name, Org, Session string }
	if got := shell.run(t, "whoami", "-o", "json"); json.Unmarshal([]byte(got.out), &me) != nil || me.Kind != "person" ||
		me.Org != "north" || me.Name != "Demo org admin (north)" || me.Session == "" {
		t.Errorf("whoami says %+v: %s%s", me, got.out, got.talk)
	}
	administers(t, shell)
	program := usesTools(t, shell)
	if got := shell.run(t, "logout"); got.code != exitOK {
		t.Errorf("logout: %+v", got)
	}
	if got := shell.run(t, "whoami"); got.code == exitOK {
		t.Errorf("after logout whoami says %s", got.out)
	}
	if got := program.run(t, "whoami"); got.code != exitCodeOfSignIn {
		t.Errorf("after logout the program is still in: %+v", got)
	}
}

// administers uses what an administrator has on the command line.
func administers(t *testing.T, shell setup) {
	t.Helper()
	if got := shell.run(t, "people", "list"); got.code != exitOK || !strings.Contains(got.out, "org-admin@north.example") {
		t.Errorf("people list: %+v", got)
	}
	var tok struct{ ID, Token string }
	got := shell.run(t, "token", "create", "--name", "reports", "--scope", "read:cases", "--days", "7", "--reason", "figures", "-o", "json")
	if json.Unmarshal([]byte(got.out), &tok) != nil || !strings.HasPrefix(tok.Token, "gvt_north.") {
		t.Fatalf("token create: %+v", got)
	}
	machine := setup{environ: append([]string{"GAVEL_TOKEN=" + tok.Token}, shell.environ...)}
	if got := machine.run(t, "case", "list", "-o", "json"); got.code != exitOK {
		t.Errorf("the machine cannot list cases: %+v", got)
	}
	if got := machine.run(t, "token", "list"); got.code != exitCodeOfRefused {
		t.Errorf("the machine lists tokens: %+v", got)
	}
	if got := shell.run(t, "token", "list"); !strings.Contains(got.out, tok.ID) || strings.Contains(got.out, tok.Token) {
		t.Errorf("token list: %+v", got)
	}
	if got := shell.run(t, "token", "revoke", tok.ID); got.code != exitOK {
		t.Errorf("token revoke: %+v", got)
	}
	if got := machine.run(t, "case", "list"); got.code != exitCodeOfSignIn {
		t.Errorf("the revoked token got %+v", got)
	}
	if got := shell.run(t, "device", "pair", "Gate 2", "-o", "json"); got.code != exitOK || !strings.Contains(got.out, `"north-`) {
		t.Errorf("device pair: %+v", got)
	}
	if got := shell.run(t, "device", "list", "-o", "json"); got.code != exitOK {
		t.Errorf("device list: %+v", got)
	}
}

const (
	exitCodeOfRefused = 5
	exitCodeOfSignIn  = 4
)

func TestOrganisationsAreAddedOnTheDatabase(t *testing.T) {
	environ := withoutEngine(t)
	shell := setup{environ: environ}
	if got := shell.run(t, "org", "add", "east", "--title", "East Office"); got.code != exitOK ||
		!strings.Contains(got.talk, "gavel/east/org_admin") {
		t.Errorf("org add: %+v", got)
	}
	if got := shell.run(t, "org", "list"); !strings.Contains(got.out, "East Office") ||
		!strings.Contains(got.out, "North Test Commission") {
		t.Errorf("org list: %+v", got)
	}
	if got := shell.run(t, "org", "add", "No!", "--title", "x"); got.code != 2 {
		t.Errorf("a bad name: %+v", got)
	}
}

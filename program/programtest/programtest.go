// Package programtest starts an installation for the test of an application: a server and
// a worker of the program on the dev stack's parts, with a database and a namespace of the
// engine that are the test's own, and the scripted model of the application's
// demonstration. What it does it does as people and programs do: through commands and
// pages.
package programtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/program"
	"github.com/gavelhq/gavel/program/demo"
)

// An Installation runs one application until its test ends.
type Installation struct {
	Base string // its address

	t       *testing.T
	app     func() platform.App
	key     []byte // of development tokens
	environ []string
}

// Start starts one. A server and a worker have an application each, as two machines would.
func Start(t *testing.T, app func() platform.App) *Installation {
	t.Helper()
	g := &Installation{t: t, app: app, key: make([]byte, 32)}
	_, _ = rand.Read(g.key) // never fails
	db, engine := postgrestest.New(t, platform.Migrations(app())...), durabletest.Own(t)
	logKey, _, err := audit.NewKey("gavel.invalid/test")
	if err != nil {
		t.Fatal(err)
	}
	key := base64.StdEncoding.EncodeToString(g.key)
	g.environ = []string{"GAVEL_MODE=test", "GAVEL_LISTEN=127.0.0.1:0", "GAVEL_DATABASE_URL=" + db.AppURL,
		"GAVEL_DATABASE_SYSTEM_URL=" + db.SystemURL, "GAVEL_DATABASE_OWNER_URL=" + db.OwnerURL,
		"GAVEL_TEMPORAL_ADDRESS=" + engine.Address, "GAVEL_TEMPORAL_NAMESPACE=" + engine.Namespace,
		"GAVEL_PAYLOAD_KEYS=test:" + key, "GAVEL_DEV_TOKEN_KEY=" + key, "GAVEL_LOG_KEY=" + logKey,
		"GAVEL_SEAL_KEYS=test:" + key, "GAVEL_BLOB_URL=file://" + t.TempDir(), "GAVEL_MODELS=" + g.model()}
	server := g.start("serve")
	g.start("worker")
	g.Base = "http://" + server.said(t, "listening")
	wait.Until(t, "the server is ready", func() bool {
		res, err := http.Get(g.Base + "/readyz")
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	})
	return g
}

// model starts the scripted model, and is the file that says where it is.
func (g *Installation) model() string {
	g.t.Helper()
	routes := filepath.Join(g.t.TempDir(), "models.yaml")
	end, err := demo.Model(routes, g.app())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = end() })
	return routes
}

// start runs a command that goes on until the test ends.
func (g *Installation) start(command string) *stream {
	ctx, stop := context.WithCancel(context.Background())
	said, done := &stream{}, make(chan int, 1)
	call := g.call(command)
	call.Out, call.Talk = said, said
	go func() { done <- program.Run(ctx, call) }()
	g.t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 || g.t.Failed() {
			g.t.Logf("%s ended with code %d, having said\n%s", command, code, said.last())
		}
	})
	return said
}

func (g *Installation) call(args ...string) program.Call {
	return program.Call{Apps: []platform.App{g.app()}, Args: args, Environ: g.environ, In: strings.NewReader("")}
}

// token lets a test act in a role of the first organisation.
func (g *Installation) token(as identity.Role) string {
	g.t.Helper()
	token, err := signin.DevToken(g.key, postgrestest.North, as)
	if err != nil {
		g.t.Fatal(err)
	}
	return token
}

// Try runs a command as somebody, and is what it printed, or what it said when it failed.
func (g *Installation) Try(as identity.Role, args ...string) (printed string, err error) {
	g.t.Helper()
	var out, talk bytes.Buffer
	call := g.call(args...)
	call.Environ = append([]string{"GAVEL_SERVER=" + g.Base, "GAVEL_TOKEN=" + g.token(as)}, g.environ...)
	call.Out, call.Talk = &out, &talk
	if code := program.Run(g.t.Context(), call); code != 0 {
		return "", fmt.Errorf("gavel %s, as %s: code %d: %s%s", strings.Join(args, " "), as, code, out.String(), talk.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// Run is Try of what must not fail.
func (g *Installation) Run(as identity.Role, args ...string) string {
	g.t.Helper()
	printed, err := g.Try(as, args...)
	if err != nil {
		g.t.Fatal(err)
	}
	return printed
}

// Page is a page as somebody sees it.
func (g *Installation) Page(as identity.Role, at string) string {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.Base+at, http.NoBody)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Authorization", "Bearer "+g.token(as))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		g.t.Fatalf("%s answers %s: %v\n%.2000s", at, res.Status, err, text)
	}
	return string(text)
}

// Waits waits until something waits for somebody's decision, and is the first proposal.
func (g *Installation) Waits(as identity.Role) (proposal string) {
	g.t.Helper()
	wait.Until(g.t, "something waits for a decision", func() bool {
		proposal = g.Run(as, "inbox", "--jq", ".[0].proposal.id // empty")
		return proposal != ""
	})
	return proposal
}

// Verify waits until a case has come to rest, takes it out of the house, and fails unless
// a stranger finds it genuine. The case is named by its id or the address of its page.
func (g *Installation) Verify(id string) {
	g.t.Helper()
	file := filepath.Join(g.t.TempDir(), "case.zip")
	wait.Try(g.t, func() error {
		_, err := g.Try(identity.Auditor, "bundle", "export", path.Base(id), "-f", file, "--to", "a stranger")
		return err
	})
	var unproven struct{ Signer string }
	looked, err := g.outside("verify", file, "--any-signer", "-o", "json") // ends as unproven: nobody has said whose key it is
	if json.Unmarshal([]byte(looked), &unproven) != nil {
		g.t.Fatalf("look at the bundle: %v: %s", err, looked)
	}
	if said, err := g.outside("verify", file, "--key", unproven.Signer); err != nil {
		g.t.Errorf("the bundle of %s is not genuine: %v: %s", id, err, said)
	}
}

// outside runs a command as somebody who knows nothing of the installation.
func (g *Installation) outside(args ...string) (string, error) {
	var out bytes.Buffer
	call := g.call(args...)
	call.Environ, call.Out, call.Talk = nil, &out, io.Discard
	if code := program.Run(g.t.Context(), call); code != 0 {
		return out.String(), fmt.Errorf("code %d", code)
	}
	return out.String(), nil
}

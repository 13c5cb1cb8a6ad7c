package program

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A patrol is a programme whose worker is a process of its own, so that it can be
// killed.
type patrol struct {
	*programme

	clock durable.Clock
	env   []string
	all   *pgxpool.Pool // sees past every wall

	binary string
	crash  sync.Mutex // guards what follows
	worker *exec.Cmd
	kills  int
}

// newPatrol builds one that sends its mail to an SMTP server, from an address of
// its own, on a clock on which a day takes so long, and has no records yet.
func newPatrol(t *testing.T, smtp, from string, day time.Duration) *patrol {
	t.Helper()
	var err error
	p := &patrol{programme: &programme{t: t, db: postgrestest.New(t, builtIn().migrations()...),
		token: devToken(t, identity.ProgrammeManager)}}
	if p.all, err = pgxpool.New(t.Context(), p.db.AdminURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.all.Close)
	if p.clock, err = durable.NewClock(time.Now().UTC().Truncate(time.Second), float64(24*time.Hour)/float64(day), true); err != nil {
		t.Fatal(err)
	}
	secret := webhook.NewSecret()
	p.secret = webhook.Keys{{Secret: secret}}
	p.engine, p.env = withEngine(t, settingsFor(t, p.db))
	p.env = append(p.env, "GAVEL_CLOCK_EPOCH="+p.clock.Epoch.Format(time.RFC3339), fmt.Sprint("GAVEL_CLOCK_SPEED=", p.clock.Speed),
		"GAVEL_SMTP_ADDRESS="+smtp, "GAVEL_MAIL_DOMAIN=mail.example.org", "GAVEL_MAIL_FROM="+from,
		"GAVEL_MAIL_INBOUND_DOMAIN=in.example.org", "GAVEL_MAIL_KEYS=k1:"+testKey, "GAVEL_MAIL_ORG=north",
		"GAVEL_MAIL_AUTH_SERVER=mx.example.org", "GAVEL_MAIL_WEBHOOK_SECRETS="+secret.Reveal())
	served := start(t, p.env, "serve")
	t.Cleanup(func() { served.ends(t, errTerminated) })
	p.base = fmt.Sprint("http://", served.said(t, "listening")["address"])
	awaitReady(t, p.base)
	p.build()
	return p
}

// build makes the program and starts its worker.
func (g *patrol) build() {
	g.t.Helper()
	g.binary = filepath.Join(g.t.TempDir(), "gavel")
	if out, err := exec.CommandContext(g.t.Context(), "go", "build", "-o", g.binary, "../cmd/gavel").CombinedOutput(); err != nil {
		g.t.Fatalf("%v: %s", err, out)
	}
	g.startWorker()
	g.t.Cleanup(func() {
		g.crash.Lock()
		defer g.crash.Unlock()
		_ = g.worker.Process.Kill()
		_ = g.worker.Wait()
		if text, err := os.ReadFile(g.binary + ".log"); err == nil && g.t.Failed() {
			g.t.Logf("the worker's log ends with\n%s", text[max(0, len(text)-6000):])
		}
	})
}

func (g *patrol) startWorker() {
	g.t.Helper()
	out, err := os.OpenFile(g.binary+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		g.t.Fatal(err)
	}
	defer out.Close()
	g.worker = exec.Command(g.binary, "worker")
	g.worker.Stdout, g.worker.Stderr = out, out
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "GAVEL_") {
			g.worker.Env = append(g.worker.Env, line)
		}
	}
	g.worker.Env = append(g.worker.Env, g.env...)
	if err := g.worker.Start(); err != nil {
		g.t.Fatal(err)
	}
}

// kill ends the worker as a crash would, in the middle of whatever it does, and
// starts another.
func (g *patrol) kill() {
	g.t.Helper()
	g.crash.Lock()
	defer g.crash.Unlock()
	_ = g.worker.Process.Kill()
	_ = g.worker.Wait()
	g.kills++
	g.startWorker()
}

// asks runs a query that sees every row and returns its lines.
func (g *patrol) asks(query string, args ...any) []string {
	g.t.Helper()
	rows, _ := g.all.Query(g.t.Context(), query, args...)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil && g.t.Context().Err() == nil {
		g.t.Errorf("%s: %v", query, err)
	}
	return lines
}

// does runs a statement that sees every row.
func (g *patrol) does(statement string, args ...any) {
	g.t.Helper()
	if _, err := g.all.Exec(g.t.Context(), statement, args...); err != nil && g.t.Context().Err() == nil {
		g.t.Errorf("%s: %v", statement, err)
	}
}

// eventually waits so many patiences until something holds, and reports whether it
// came to before the test was over.
func (g *patrol) eventually(patiences int, holds func() bool) bool {
	over := func() bool { return g.t.Context().Err() != nil }
	return wait.Holds(patiences, func() bool { return over() || holds() }) && !over()
}

// delivers brings a mail as the mail service's webhook does, again and again until
// it is taken.
func (g *patrol) delivers(raw []byte) {
	g.t.Helper()
	status := 0
	taken := g.eventually(1, func() bool {
		h, err := g.secret.Sign("msg_"+rand.Text(), time.Now(), raw)
		if err != nil {
			g.t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.base+mailDoorPath, bytes.NewReader(raw))
		if err != nil {
			g.t.Fatal(err)
		}
		req.Header = h
		req.Header.Set("Content-Type", "message/rfc822")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		status = res.StatusCode
		return status == http.StatusNoContent
	})
	if !taken && g.t.Context().Err() == nil {
		g.t.Errorf("a mail is never taken: %d", status)
	}
}

// A card is something that waits for a person about a van.
type card struct {
	id, tool, etag string
	args           map[string]any
}

// cards are those that are open about a van.
func (g *patrol) cards(van string) (open []card) {
	g.t.Helper()
	const query = `select p.id from gavel.proposal p join poolpatrol.case c on c.org = p.org and c.id = p.case_id where c.vanpool_id = $1
		and p.state = 'open' and p.kind = 'call' order by p.n`
	for _, id := range g.asks(query, van) {
		if c, ok := g.card(id); ok {
			open = append(open, c)
		}
	}
	return open
}

// card is one as a programme manager is shown it.
func (g *patrol) card(id string) (card, bool) {
	g.t.Helper()
	var shown struct {
		Tool string
		Args map[string]any
	}
	status, _, header := g.send("GET", "/v1/proposals/"+id, nil, &shown)
	return card{id, shown.Tool, header.Get("ETag"), shown.Args}, status == http.StatusOK
}

// answers decides a card as somebody and returns what the server said to it.
func (g *patrol) answers(token string, c card, verdict, reason string, edit map[string]any) int {
	g.t.Helper()
	as := *g.programme
	as.token = token
	body := map[string]any{"verdict": verdict}
	if reason != "" {
		body["reason"] = reason
	}
	if edit != nil {
		body["edit"] = edit
	}
	status, _, _ := as.send("POST", "/v1/proposals/"+c.id+"/decisions", body, nil, "If-Match", c.etag, "Idempotency-Key", rand.Text())
	return status
}

// twice are the ids of what a server took more than once.
func twice(mails []notifytest.Taken) (ids []string) {
	seen := map[string]int{}
	for _, m := range mails {
		if seen[m.ID()]++; seen[m.ID()] == 2 {
			ids = append(ids, m.ID())
		}
	}
	return ids
}

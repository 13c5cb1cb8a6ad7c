package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web"
)

// uncounted are the tables that following a link may change, each for a reason.
var uncounted = map[string]string{
	"gavel.session":           "when somebody was last seen",
	"gavel_sys.log_published": "the log shows its newest checkpoint from time to time",
	"gavel.outbox":            "the dispatcher tries again and again, since this server has no engine",
}

// digests are the rows of every table and a digest of what they say.
func digests(t *testing.T, ownerURL string) map[string]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), ownerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, _ := conn.Query(t.Context(), `select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, org := range []identity.Org{postgrestest.North, postgrestest.South} { // the walls hold for the owner, too
		if _, err := conn.Exec(t.Context(), `select set_config('gavel.org', $1, false)`, org); err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			if _, skip := uncounted[table]; skip {
				continue
			}
			var sum string
			all := fmt.Sprintf(`select count(*) || ' rows ' || coalesce(md5(string_agg(x::text, '' order by x::text)), '') from %s x`, table)
			if err := conn.QueryRow(t.Context(), all).Scan(&sum); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			found[string(org)+" "+table] = sum
		}
	}
	return found
}

var linked = regexp.MustCompile(`(?:href|src|action|data-src|hx-get|data-live-src)="([^"#]+)`)

// A crawler follows every link that one person sees.
type crawler struct {
	t     *testing.T
	base  *url.URL
	token string
	seen  map[string]bool
	todo  []string
}

// mostPages bounds a crawl; a site that leads to more is a site that leads
// nowhere.
const mostPages = 600

func (c *crawler) add(from *url.URL, link string) {
	u, err := from.Parse(html.UnescapeString(link))
	if err != nil || u.Host != c.base.Host || strings.HasPrefix(u.Path, "/static/") || u.Path == "/live" || u.Path == "/v1/events" {
		return
	}
	if at := u.String(); !c.seen[at] {
		c.seen[at] = true
		c.todo = append(c.todo, at)
	}
}

// follow asks for an address with GET and with HEAD, and notes where it leads.
func (c *crawler) follow(at string) {
	c.t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
		req, err := http.NewRequestWithContext(ctx, method, at, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		req.Header.Set("Accept", "text/html,application/json")
		req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: c.token})
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			c.t.Fatal(err)
		}
		body, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
		_ = res.Body.Close()
		cancel()
		if err != nil || res.StatusCode >= http.StatusInternalServerError {
			c.t.Errorf("%s %s answered %d, %v", method, at, res.StatusCode, err)
		}
		if to := res.Header.Get("Location"); to != "" {
			c.add(req.URL, to)
		}
		for _, m := range linked.FindAllStringSubmatch(string(body), -1) {
			c.add(req.URL, m[1])
		}
	}
}

// TestFollowingLinksChangesNothing sends a crawler, as a mail's scanner is one,
// after every link that people of each role see, and after every address of a
// decision with words in it that look like one: nothing in the database changes.
func TestFollowingLinksChangesNothing(t *testing.T) {
	k := newCounter(t)
	open, decided := k.propose(), k.propose()
	if got := k.as(identity.Officer).run(t, "reject", decided, "--reason", "not him", "--yes"); got.code != 0 {
		t.Fatalf("reject: %+v", got)
	}
	base, err := url.Parse(k.base)
	if err != nil {
		t.Fatal(err)
	}
	settled(t, k)
	before, pages := digests(t, k.db.OwnerURL), 0
	for _, role := range []identity.Role{identity.Officer, identity.Auditor, identity.OrgAdmin, identity.Operator, identity.GateSupervisor} {
		c := &crawler{t: t, base: base, token: devToken(t, role), seen: map[string]bool{}}
		starts := []string{"/"}
		if role == identity.Officer {
			for _, id := range []string{open, decided} {
				starts = append(starts, web.ProposalLink(k.base, id), web.ProposalPath(id, "decisions")+"?verdict=approve", web.ProposalPath(id, "undo")+"?reason=x",
					web.ProposalPath(id, "")+"?verdict=approve&decision=d-12345678", "/v1/proposals/"+id+"/decisions?verdict=approve", "/v1/proposals/"+id)
			}
		}
		for _, s := range starts {
			c.add(base, s)
		}
		for len(c.todo) > 0 && len(c.seen) < mostPages {
			at := c.todo[0]
			c.todo = c.todo[1:]
			c.follow(at)
			pages++
		}
		if len(c.seen) >= mostPages {
			t.Errorf("%s: over %d addresses, of which not all were followed", role, mostPages)
		}
	}
	settled(t, k)
	after := digests(t, k.db.OwnerURL)
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if before[table] != after[table] {
			t.Errorf("%s changed: %s, then %s", table, before[table], after[table])
		}
	}
	if pages < 50 {
		t.Errorf("only %d addresses were followed: the crawler does not find its way", pages)
	}
	t.Logf("%d addresses followed, %d tables of two organisations as they were", pages, len(before)/2)
}

// settled waits until the log has taken in every record.
func settled(t *testing.T, k *counter) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), k.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for range 100 {
		waiting := 0
		if err := conn.QueryRow(t.Context(), `select count(*) from gavel_sys.log_queue`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the log does not take in what was recorded")
}

package program

import (
	"context"
	"encoding/json"
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

	"github.com/gavelhq/gavel/devstack/wait"
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
			all := fmt.Sprintf(`select count(*) || ' rows ' || coalesce(md5(string_agg(x::text, '' order by x::text)), '')
				from %s x`, table)
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
const mostPages = 900

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

// browsers is what they take.
const browsers = "text/html,application/json"

// follow asks for an address with GET and with HEAD, and notes where it leads.
func (c *crawler) follow(at, accept string) {
	c.t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
		req, err := http.NewRequestWithContext(ctx, method, at, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
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

// addDecisions adds addresses of decisions with words in them that look like one.
func (c *crawler) addDecisions(proposals ...string) {
	for _, id := range proposals {
		for _, at := range []string{web.ProposalLink(c.base.String(), id), web.ProposalPath(id, "decisions") + "?verdict=approve",
			web.ProposalPath(id, "undo") + "?reason=x",
			web.ProposalPath(id, "") + "?verdict=approve&decision=d-12345678", "/v1/proposals/" + id + "/decisions?verdict=approve",
			"/v1/proposals/" + id} {
			c.add(c.base, at)
		}
	}
}

// crawl follows everything there is to follow, and returns how much that was.
func (c *crawler) crawl(who string) (pages int) {
	c.t.Helper()
	for len(c.todo) > 0 && len(c.seen) < mostPages {
		at := c.todo[0]
		c.todo = c.todo[1:]
		c.follow(at, browsers)
		pages++
	}
	if len(c.seen) >= mostPages {
		c.t.Errorf("%s: over %d addresses, of which not all were followed", who, mostPages)
	}
	return pages
}

// crawled are roles that see different things.
func crawled() []identity.Role {
	return []identity.Role{identity.Officer, identity.Auditor, identity.OrgAdmin, identity.Operator, identity.GateSupervisor,
		identity.ProgrammeManager}
}

// TestFollowingLinksChangesNothing sends a crawler, as a mail's scanner is one,
// after every link that people of each role see, after every address of a
// decision with words in it that look like one, and after every list of the API as
// a file: nothing in the database changes.
func TestFollowingLinksChangesNothing(t *testing.T) {
	k := newCounter(t)
	open, decided := k.propose(), k.propose()
	pass, _ := k.fleet()
	if got := k.as(identity.Officer).run(t, "reject", decided, "--reason", "not him", "--yes"); got.code != 0 {
		t.Fatalf("reject: %+v", got)
	}
	base, err := url.Parse(k.base)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[identity.Role][]string{}
	for _, role := range crawled() {
		lists[role] = apiLists(t, k, pass, devToken(t, role))
	}
	settled(t, k)
	before, pages := digests(t, k.db.OwnerURL), 0
	for _, role := range crawled() {
		c := &crawler{t: t, base: base, token: devToken(t, role), seen: map[string]bool{}}
		c.add(base, "/")
		if role == identity.Officer {
			c.addDecisions(open, decided)
		}
		for _, list := range lists[role] {
			c.follow(k.base+list, "text/csv")
			c.add(base, list+"?format=csv")
		}
		pages += c.crawl(string(role)) + len(lists[role])
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

// apiLists are the addresses of the API's lists that somebody may read, those of
// a case and of a pass with the counter's own. They are asked for once before anything is
// counted, because a refusal is on record.
func apiLists(t *testing.T, k *counter, pass, token string) (may []string) {
	t.Helper()
	get := func(path string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, k.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	var doc struct {
		Paths map[string]map[string]struct{ Parameters []struct{ Name string } }
	}
	if err := json.NewDecoder(get("/openapi.json").Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for _, p := range methods["get"].Parameters {
			at := strings.ReplaceAll(strings.ReplaceAll(path, "passes/{id}", "passes/"+pass), "{id}", k.file)
			if p.Name == "page_token" && get(at).StatusCode == http.StatusOK {
				may = append(may, at)
			}
		}
	}
	if len(may) == 0 {
		t.Fatal("there is no list: the crawler does not find its way")
	}
	return may
}

// settled waits until the log has taken in every record.
func settled(t *testing.T, k *counter) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), k.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	wait.Until(t, "the log has taken in what was recorded", func() bool {
		waiting := 0
		if err := conn.QueryRow(t.Context(), `select count(*) from gavel_sys.log_queue`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting == 0
	})
}

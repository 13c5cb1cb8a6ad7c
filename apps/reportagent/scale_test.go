package reportagent_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A counter stands between the application and its database and counts the statements that pass.
type counter struct {
	n  atomic.Int64
	to string
}

// counting has the application ask its database through a counter.
func (r rig) counting(t *testing.T) *counter {
	t.Helper()
	u, err := url.Parse(r.DB.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{to: u.Host}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			go c.pass(conn)
		}
	}()
	u.Host = listener.Addr().String()
	db, err := postgres.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		_ = listener.Close()
	})
	deps := r.Deps
	deps.DB = db
	if err := r.App.Open(deps); err != nil {
		t.Fatal(err)
	}
	return c
}

// pass hands on what either side says. Every statement is bound once, or sent in one message.
func (c *counter) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(client, server) }()
	from := bufio.NewReader(client)
	for begun := false; ; begun = true {
		head := make([]byte, 4)
		if begun { // the first message has no kind
			head = make([]byte, 5)
		}
		if _, err := io.ReadFull(from, head); err != nil {
			return
		}
		if begun && (head[0] == 'B' || head[0] == 'Q') {
			c.n.Add(1)
		}
		body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		if _, err := server.Write(slices.Concat(head, body)); err != nil {
			return
		}
	}
}

// sized is an outline of so many sections below one, and a run of so many charts.
func sized(sections, charts int) (string, map[string][]byte) {
	var b strings.Builder
	b.WriteString("# Results\n")
	for i := range sections - 1 {
		fmt.Fprintf(&b, "\n## Part %d\n<!-- Section instructions: use of fuel %d -->\n", i, i)
	}
	files := map[string][]byte{}
	for i := range charts {
		files[fmt.Sprintf("group%d/use_of_fuel_%d.csv", i%50, i)] = fmt.Appendf(nil,
			"scen,fuel,unit,2025,2030,2050\nDeep,Gas,PJ,%d.0,80.0,10.5\nDeep,Oil,PJ,50.0,45.0,5.5\nMild,Gas,PJ,%d.0,90.0,60.0\n",
			100+i, 100+i)
	}
	return b.String(), files
}

// grown brings such a report in, has one section drafted, and gives all others what that one says.
func (r rig) grown(t *testing.T, sections, charts int) string {
	t.Helper()
	outline, files := sized(sections, charts)
	made := r.bring(t, outline, files)
	r.drafted(t, made.ID, map[string]any{"section": "part-0"})
	const all = `insert into reportagent.version (org, report, section, n, how, made_by, job, asked_by, run, dataset, hash, body,
			entry, made_at)
		select org, report, 'part-' || i, n, how, made_by, job, asked_by, run, dataset, hash, body,
			replace(entry::text, '"part-0"', '"part-' || i || '"')::jsonb, made_at
		from reportagent.version, generate_series(1, $2 - 2) i where report = $1`
	r.Set(t, all, made.ID, sections)
	return made.ID
}

// TestFiveHundredSectionsAreAskedForAtOnce promises, with 500 sections and 5,000 charts, that pages and addresses ask the database as many
// times as for a small report: no question per section or chart. They are quick, and bounded.
func TestFiveHundredSectionsAreAskedForAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it brings 5,000 charts in")
	}
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	small, big := r.grown(t, 20, 40), r.grown(t, 500, 5000)
	asked := r.counting(t)
	look := func(path string) (n int64, took time.Duration, size int) {
		t.Helper()
		for range 2 { // the first reads the run's files, and prepares statements
			before, began := asked.n.Load(), time.Now()
			resp, err := r.send(t, "analyst", path)
			if err != nil {
				t.Fatal(err)
			}
			n, took, size = asked.n.Load()-before, time.Since(began), resp
		}
		return n, took, size
	}
	for name, path := range map[string]string{"page of the report": "/reportagent/reports/%s",
		"what moves of it":  "/reportagent/reports/%s/now",
		"page of a section": "/reportagent/reports/%s/sections/part-3", "report": rest.Base + "/%s",
		"section": rest.Base + "/%s/sections/part-3", "review of a section": rest.Base + "/%s/sections/part-3/review"} {
		few, _, _ := look(fmt.Sprintf(path, small))
		many, took, size := look(fmt.Sprintf(path, big))
		if many > few || few == 0 {
			t.Errorf("%s: %d statements for 500 sections, %d for 20", name, many, few)
		}
		if size > 1<<20 {
			t.Errorf("%s: %d kB for 500 sections", name, size>>10)
		}
		wait.Within(t, "the "+name+" of 500 sections", took, time.Second)
	}
}

// send asks for a page or an answer, and is how large it is.
func (r rig) send(t *testing.T, who, path string) (int, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("As", who)
	resp, err := r.Client().Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %d: %.300s", path, resp.StatusCode, body)
	}
	return len(body), err
}

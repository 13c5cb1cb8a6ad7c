package console

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const sourcesPath = "/sources"

// snapshotsPerPage is how many snapshots stand on a page.
const snapshotsPerPage = 50

// sourceRoutes registers the pages of sources. What came is shown to readers of
// cases only: it may name people.
func (c *Console) sourceRoutes(m *web.Mux) {
	m.Handle("GET "+sourcesPath, c.sources, web.Needs("source.read"))
	m.Handle("GET "+sourcesPath+"/{source}", c.source, web.Needs("source.read"))
	m.Handle("GET "+sourcesPath+"/{source}/{snapshot}", c.snapshot, web.Needs("case.read"))
}

// A sourcesView is where data comes from, and how current it is.
type sourcesView struct {
	state evidence.Standard // empty for all
	all   int
	list  []evidence.Standing
	count map[evidence.Standard]int
}

// sources is the page of all sources.
func (c *Console) sources(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.sourceReader(r)
	if err != nil {
		return err
	}
	v := sourcesView{state: evidence.Standard(r.URL.Query().Get("state")), count: map[evidence.Standard]int{}}
	found, err := c.Evidence.Standings(r.Context(), actor.Org)
	if err != nil {
		return err
	}
	v.all = len(found)
	for _, s := range found {
		v.count[s.Is()]++
		if v.state == "" || s.Is() == v.state {
			v.list = append(v.list, s)
		}
	}
	p := c.sourcesPage(r)
	return c.site.Render(w, r, http.StatusOK, p, sourcesBody(p, v))
}

func (c *Console) sourcesPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("sources.title"), "sources"
	return p
}

func (c *Console) sourceReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err == nil && c.Evidence == nil {
		err = fault.New(fault.Unavailable, "evidence is not set up on this server").Because("not_set_up")
	}
	return actor, err
}

// A sourceView is one source, with what came from it.
type sourceView struct {
	evidence.Standing
	snapshots []evidence.Snapshot
	before    evidence.SnapshotID
	next      evidence.SnapshotID
	opens     bool // the reader may see what came
}

// source is the page of one source.
func (c *Console) source(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.sourceReader(r)
	if err != nil {
		return err
	}
	v := sourceView{before: evidence.SnapshotID(r.URL.Query().Get("before"))}
	if len(v.before) > maxFilter {
		return noPageAt(v.before)
	}
	if v.Standing, err = c.standing(r, actor); err != nil {
		return err
	}
	v.snapshots, err = c.Evidence.Snapshots(r.Context(), actor.Org, evidence.SnapshotQuery{Source: v.Source.Name, Before: v.before,
		Limit: snapshotsPerPage + 1})
	if err != nil {
		return err
	}
	if len(v.snapshots) > snapshotsPerPage {
		v.snapshots = v.snapshots[:snapshotsPerPage]
		v.next = v.snapshots[snapshotsPerPage-1].ID
	}
	p := c.sourcesPage(r)
	p.Title, v.opens = v.Source.Title, p.May("case.read")
	return c.site.Render(w, r, http.StatusOK, p, sourceBody(p, v))
}

// standing is how the source in the address stands.
func (c *Console) standing(r *http.Request, actor identity.Actor) (evidence.Standing, error) {
	name := r.PathValue("source")
	all, err := c.Evidence.Standings(r.Context(), actor.Org)
	for _, s := range all {
		if s.Source.Name == name {
			return s, nil
		}
	}
	if err == nil {
		err = fault.New(fault.NotFound, "no source is called %.60q", name).Because("nothing_called", "id", name)
	}
	return evidence.Standing{}, err
}

// A snapshotView is what came once, and rows of it.
type snapshotView struct {
	evidence.Snapshot
	source  evidence.Source
	from    int
	excerpt *selector.Excerpt // nil where its rows cannot be shown
	more    bool
	why     string // why there are no rows: the end of a message key
	fault   error
}

// snapshot is the page of one receipt of bytes, with rows that have addresses of
// their own.
func (c *Console) snapshot(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.sourceReader(r)
	if err != nil {
		return err
	}
	v := snapshotView{from: 1}
	if v.Snapshot, err = c.Evidence.Snapshot(r.Context(), actor.Org, evidence.SnapshotID(r.PathValue("snapshot"))); err != nil {
		return err
	}
	var known bool
	if v.source, known = c.Evidence.Source(v.Source); !known || v.Source != r.PathValue("source") {
		return fault.New(fault.NotFound, "no snapshot of %.60q is called %.60q", r.PathValue("source"), v.ID).
			Because("nothing_called", "id", string(v.ID))
	}
	if row := r.URL.Query().Get("row"); row != "" {
		if v.from, err = strconv.Atoi(row); err != nil {
			return fault.New(fault.Invalid, "row %.20q is no number", row).Because("no_number", "value", row)
		}
	}
	status, err := c.readRows(r, actor, &v)
	if err != nil {
		return err
	}
	p := c.sourcesPage(r)
	p.Title = p.T("snapshot.title", "source", v.source.Title, "time", p.Moment(v.FetchedAt))
	return c.site.Render(w, r, status, p, snapshotBody(p, v))
}

// readRows reads a part of a table. Sealed bytes are opened on the case they belong
// to, where that has a reason, and not here.
func (c *Console) readRows(r *http.Request, actor identity.Actor, v *snapshotView) (status int, err error) {
	switch {
	case v.Sealed():
		v.why = "sealed"
		return http.StatusOK, nil
	case v.Detected != "text/csv":
		v.why = "no_rows"
		return http.StatusOK, nil
	}
	v.excerpt, v.more, v.fault = c.Evidence.Rows(r.Context(), actor.Org, v.SHA256, v.from)
	switch {
	case v.fault == nil:
		return http.StatusOK, nil
	case mendable(v.fault), fault.Is(v.fault, fault.NotFound):
		return web.Status(fault.KindOf(v.fault)), nil
	}
	return 0, v.fault
}

func sourceAddress(name string) string { return sourcesPath + "/" + url.PathEscape(name) }

func snapshotAddress(s evidence.Snapshot, row int) string {
	at := sourceAddress(s.Source) + "/" + url.PathEscape(string(s.ID))
	if row > 1 {
		at += "?row=" + strconv.Itoa(row)
	}
	return at
}

// sourceLook is the badge of how a source stands.
func sourceLook(s evidence.Standard) (look, icon string) {
	switch s {
	case evidence.Fresh:
		return "ok", "check"
	case evidence.Late:
		return "bad", "late"
	case evidence.Never:
		return "plain", "ring"
	}
	return "plain", "clock"
}

// silentLook is the look of that a source is silent: one that was never used raises no alarm.
func silentLook(s evidence.Standing) string {
	if s.Overdue() {
		return "warn"
	}
	return "info"
}

// silentWords say that a source is silent, and what that means.
func silentWords(p *web.Page, s evidence.Standing) (said, means string) {
	if s.Last.IsZero() {
		return p.T("sources.never_came"), p.T("sources.never_text")
	}
	return lastWords(p, s), p.T("sources.silent_text")
}

// lastWords says when a source last spoke.
func lastWords(p *web.Page, s evidence.Standing) string {
	if s.Last.IsZero() {
		return p.T("sources.never")
	}
	return p.T("sources.last_at", "time", p.Moment(s.Last), "age", p.Span(p.Now.Sub(s.Last)))
}

// everyWords says how often a source should speak.
func everyWords(p *web.Page, s evidence.Source) string {
	if s.ExpectedEvery == 0 {
		return p.T("sources.unscheduled")
	}
	return p.Span(s.ExpectedEvery)
}

// delayWords says how late the next fetch is.
func delayWords(p *web.Page, s evidence.Standing) string {
	if s.Delay == 0 {
		return "–"
	}
	return p.Span(s.Delay)
}

// factWords is how many facts rest on a source.
func factWords(n int64) string {
	if n >= evidence.MostFacts {
		return web.Numeral(evidence.MostFacts) + "+"
	}
	return web.Numeral(n)
}

// byteWords is a size as people write it.
func byteWords(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MB"
}

package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// An inboxLine is one row of an inbox in a file. Moments are in UTC, as RFC 3339
// writes them.
type inboxLine struct {
	Proposal  string       `json:"proposal"`
	What      string       `json:"what"`
	App       string       `json:"app"`
	Kind      string       `json:"kind"`
	Class     review.Class `json:"class"`
	CaseRef   string       `json:"case_ref"`
	Case      string       `json:"case"`
	CaseTitle string       `json:"case_title"`
	Why       review.Why   `json:"why"`
	InStead   string       `json:"in_stead_of"`
	State     review.State `json:"state"`
	Group     review.Group `json:"group"`
	DueAt     string       `json:"due_at"`
	Signed    int          `json:"signed"`
	Required  int          `json:"required"`
	Verdict   string       `json:"decided_as"`
	DecidedAt string       `json:"decided_at"`
	CreatedAt string       `json:"created_at"`
}

// exportInbox is the filtered rows as a file, CSV or JSON. That it leaves is on
// record, with its digest, before its first byte goes out, which is why it is
// asked for with POST.
func (c *Console) exportInbox(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	f, err := readFilter(r.PostForm)
	if err != nil {
		return err
	}
	format := r.PostForm.Get("format")
	if format != "csv" && format != "json" {
		return fault.New(fault.Invalid, "a list is taken out as csv or json, not as %.20q", format).Because("no_choice", "value", format)
	}
	p := c.site.Page(r)
	lines, whole, err := c.inboxLines(r.Context(), p, actor, f)
	if err != nil {
		return err
	}
	file, kind, err := writeLines(format, lines, whole)
	if err != nil {
		return err
	}
	if c.Log != nil {
		_, err = c.Log.NoteExport(r.Context(), actor, p.Now, audit.Departure{File: "inbox", Subject: "inbox", SHA256: blob.Sum(file),
			Size: int64(len(file)), Rows: len(lines)})
		if err != nil {
			return err
		}
	}
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", `attachment; filename="gavel-inbox.`+format+`"`)
	_, _ = w.Write(file) //nolint:gosec // a file with its own type and name, never shown as a page; the reader may have gone
	return nil
}

// inboxLines reads every row under a filter, at most maxRows, and whether that is
// all of them.
func (c *Console) inboxLines(ctx context.Context, p *web.Page, actor identity.Actor,
	f inboxFilter) (lines []inboxLine, whole bool, err error) {
	ask := f.query(p)
	ask.Limit = recordsAtOnce
	for len(lines) < maxRows {
		page, err := c.Reviews.Inbox(ctx, actor, ask)
		if err != nil {
			return nil, false, err
		}
		for _, it := range page.Items {
			lines = append(lines, lineOf(p, it))
		}
		if ask.After = page.Next; page.Next == "" {
			return lines, true, nil
		}
	}
	return lines, false, nil
}

func lineOf(p *web.Page, it review.Item) inboxLine {
	one := it.Proposal
	return inboxLine{Proposal: one.ID, What: itemTitle(p, it), App: one.App, Kind: one.Kind, Class: it.Class, CaseRef: it.CaseRef,
		Case: one.Case, CaseTitle: it.Case,
		Why: it.Why, InStead: it.For, State: one.State, Group: it.Group, DueAt: rfc(it.DueAt), Signed: it.Signed,
		Required: max(one.Required, 1), Verdict: string(it.Verdict), DecidedAt: rfc(it.DecidedAt), CreatedAt: rfc(one.CreatedAt)}
}

// rfc is a moment in a file; empty for none.
func rfc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// notAll is the last line of a file that stops before the end.
const notAll = "not complete: more rows follow; narrow the list"

// writeLines makes the file. One that does not hold every row says so: nobody
// takes a part for the whole.
func writeLines(format string, lines []inboxLine, whole bool) (file []byte, kind string, err error) {
	if format == "json" {
		file, err = json.MarshalIndent(struct {
			Items    []inboxLine `json:"items"`
			Complete bool        `json:"complete"`
		}{append([]inboxLine{}, lines...), whole}, "", "  ")
		return append(file, '\n'), "application/json", err
	}
	rows := [][]string{{"proposal", "what", "app", "kind", "class", "case_ref", "case", "case_title", "why", "in_stead_of", "state",
		"group", "due_at", "signed", "required", "decided_as", "decided_at", "created_at"}}
	for _, l := range lines {
		rows = append(rows, []string{l.Proposal, l.What, l.App, l.Kind, string(l.Class), l.CaseRef, l.Case, l.CaseTitle, string(l.Why),
			l.InStead, string(l.State), string(l.Group), l.DueAt, strconv.Itoa(l.Signed), strconv.Itoa(l.Required), l.Verdict, l.DecidedAt,
			l.CreatedAt})
	}
	if !whole {
		rows = append(rows, append([]string{notAll}, make([]string, len(rows[0])-1)...))
	}
	return web.CSV(rows), "text/csv; charset=utf-8", nil
}

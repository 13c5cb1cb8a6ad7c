package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// recordsPerPage is how many records the explorer shows at once.
const recordsPerPage = 50

// maxFilter bounds each filter in the address, in bytes.
const maxFilter = 200

// A logView is the explorer as it is shown.
type logView struct {
	audit.Page
	want  audit.Query
	typed string // the subject as it was typed, which may be a case's short name
	state audit.State
	names map[string]string                 // what people call those who did it
	cases map[casefile.CaseID]casefile.Case // those that records are about, for readers of cases
}

func (v logView) filtered() bool {
	return v.want.Kind != "" || v.want.App != "" || v.want.Actor != "" || v.want.Subject != ""
}

// recordKinds are the kinds that the filter offers; the address takes any.
func recordKinds() []audit.Kind {
	return []audit.Kind{audit.CaseStep, evidence.RecordEvidence, evidence.RecordFacts, audit.Snapshot, audit.Decision, audit.Act,
		audit.Policy, agent.RulesRecord, audit.Refusal, audit.Export, audit.ModelCall, agent.OrderRecord, agent.AskAgainRecord,
		agent.WordsShown,
		audit.Erasure, "legal_hold", audit.LogKey}
}

// log is the page of an organisation's records, newest first.
func (c *Console) log(w http.ResponseWriter, r *http.Request) error {
	v, actor, err := c.readQuery(r)
	if err != nil {
		return err
	}
	v.want.Limit = recordsPerPage
	if v.Page, err = c.Log.Page(r.Context(), actor.Org, v.want); err != nil {
		return err
	}
	if v.state, err = c.Log.State(r.Context(), actor.Org); err != nil {
		return err
	}
	if err := c.readNamed(r.Context(), actor, &v); err != nil {
		return err
	}
	p := c.logPage(r)
	return c.site.Render(w, r, http.StatusOK, p, logBody(p, v))
}

// who is what people call somebody who is on record; empty where only the id is known.
func (v logView) who(p *web.Page, id string) string {
	if strings.HasPrefix(id, "concerned:") {
		return p.T("audit.concerned")
	}
	if name := v.names[id]; name != id {
		return name
	}
	return ""
}

// readNamed finds what people call whom and what the records have by their ids.
func (c *Console) readNamed(ctx context.Context, actor identity.Actor, v *logView) (err error) {
	v.names = map[string]string{}
	var ids []casefile.CaseID
	for _, e := range v.Entries {
		if by := e.Record.Actor; by.Kind == identity.Person && v.names[by.ID] == "" {
			v.names[by.ID] = c.nameOf(ctx, actor.Org, by.ID)
		}
		if strings.HasPrefix(e.Record.Subject, "case_") {
			ids = append(ids, casefile.CaseID(e.Record.Subject))
		}
	}
	if c.Rules.May(actor, "case.read") == nil && len(ids) > 0 {
		v.cases, err = c.cases.Some(ctx, actor.Org, ids)
	}
	return err
}

func (c *Console) logPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("console.audit"), "audit"
	return p
}

// logReader is who asks, and may read the log.
func (c *Console) logReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return actor, err
	}
	if err := c.Rules.May(actor, "audit.read"); err != nil {
		return actor, err
	}
	if c.Log == nil {
		return actor, fault.New(fault.Unavailable, "the audit log is not set up on this server").Because("not_set_up")
	}
	return actor, nil
}

// readQuery reads the filters in the address.
func (c *Console) readQuery(r *http.Request) (logView, identity.Actor, error) {
	actor, err := c.logReader(r)
	if err != nil {
		return logView{}, actor, err
	}
	q := r.URL.Query()
	for _, name := range []string{"kind", "app", "actor", "subject", "before"} {
		if value := q.Get(name); len(value) > maxFilter || strings.ContainsRune(value, 0) {
			return logView{}, actor, longFilter(name)
		}
	}
	field := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	v := logView{typed: field("subject"), want: audit.Query{Kind: audit.Kind(field("kind")), App: appNamed(field("app")),
		Actor:   field("actor"),
		Subject: field("subject"), Before: audit.RecordID(field("before"))}}
	if v.want.Before != "" && !strings.HasPrefix(string(v.want.Before), "rec_") {
		return logView{}, actor, noPageAt(v.want.Before)
	}
	v.want.Subject = c.subject(r, actor, v.typed)
	return v, actor, nil
}

// appNamed is the name that records have for an application that was typed as people
// write it: "Pool Patrol" is poolpatrol.
func appNamed(typed string) string { return strings.ToLower(strings.ReplaceAll(typed, " ", "")) }

// subject is what records call a thing: a case is known to people by its ref.
func (c *Console) subject(r *http.Request, actor identity.Actor, typed string) string {
	if typed == "" || strings.Contains(typed, "_") || c.Rules.May(actor, "case.read") != nil {
		return typed
	}
	if one, err := c.cases.Lookup(r.Context(), actor.Org, typed); err == nil {
		return string(one.ID)
	}
	return typed
}

// address is a page of the explorer under the same filters.
func (v logView) address(path string, before audit.RecordID) string {
	q := url.Values{}
	for name, value := range map[string]string{"kind": string(v.want.Kind), "app": v.want.App, "actor": v.want.Actor,
		"subject": v.typed, "before": string(before)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return withQuery(path, q.Encode())
}

// A recordView is one record with its checks.
type recordView struct {
	audit.Verification
	key     string       // the key that the reader was given; may be empty
	badKey  error        // what is wrong with it
	pending error        // why it is not checked yet
	damaged *fault.Error // why it cannot be shown at all
}

// record is the page of one record. Checking changes nothing, so opening the
// page checks.
func (c *Console) record(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.logReader(r)
	if err != nil {
		return err
	}
	id := audit.RecordID(r.PathValue("record"))
	v := recordView{key: strings.TrimSpace(r.URL.Query().Get("key"))}
	trusted, err := parseKey(v.key)
	if err != nil {
		v.badKey, v.key = err, clipped(v.key, maxKey)
	}
	status := http.StatusOK
	v.Verification, err = c.Log.Verify(r.Context(), actor.Org, id, trusted)
	switch f, damaged := damage(err); {
	case damaged:
		v.damaged, v.Entry.ID = f, id
	case fault.Is(err, fault.Unavailable) && v.Entry.ID != "": // it is there, and not in the tree yet
		v.pending = err
	case err != nil:
		return err
	}
	if v.badKey != nil {
		status = http.StatusUnprocessableEntity
	}
	p := c.logPage(r)
	p.Title = p.T("record.title", "id", string(v.Entry.ID))
	return c.site.Render(w, r, status, p, recordBody(p, v))
}

// maxKey bounds a public key that is pasted, in bytes.
const maxKey = 400

// parseKey reads a public key that a person was given; none is no key.
func parseKey(text string) ([]audit.Verifier, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) <= maxKey {
		if key, err := bundle.ParseKey(text); err == nil {
			return []audit.Verifier{key}, nil
		}
	}
	return nil, fault.New(fault.Invalid, "this is not a public key of a log; one looks like gavel.example.org/log+1a2b3c4d+AbCd…").
		Because("no_public_key", "form", "gavel.example.org/log+1a2b3c4d+AbCd…")
}

func clipped(s string, most int) string {
	if len(s) > most {
		return s[:most]
	}
	return s
}

// held reports whether the checks ran and every one held.
func (v recordView) held() bool { return len(v.Steps) > 0 && v.pending == nil && v.OK() }

// damage is what an error says about a log that contradicts itself. Such a text
// is kept from people elsewhere; here it is what they came for.
func damage(err error) (*fault.Error, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	return f, ok && f.Kind == fault.Internal
}

// second is a moment to the second, in the page's zone.
func second(p *web.Page, t time.Time) string {
	return p.Day(t) + " " + t.In(p.Org.Zone).Format("15:04:05")
}

// did says what a record is about: its kind and, where it says so, which step of a
// case, which answer, what became of an act, or what was done to a thing.
func did(p *web.Page, rec audit.Record) string {
	kind := p.Word("record.kind.", string(rec.Kind))
	var body struct{ Step, Verdict, Event string }
	raw, _ := rec.Body.(json.RawMessage)
	if json.Unmarshal(raw, &body) != nil {
		return kind // it speaks of something else
	}
	what, words := cmp.Or(body.Step, body.Verdict, body.Event), "did."
	if rec.Kind == audit.CaseStep {
		what, words = body.Step, "step."
	}
	said, ok := spoken(p, words+what)
	switch {
	case ok:
		return kind + ": " + said
	case rec.Kind == audit.CaseStep && what != "":
		return kind + ": " + p.Word("entry.", what) // in its application's words
	}
	return kind
}

// subjectLink is where a reader finds what a record is about; empty where there
// is no page, or none for this reader.
func subjectLink(p *web.Page, rec audit.Record) string {
	if !strings.HasPrefix(rec.Subject, "case_") || !p.May("case.read") {
		return ""
	}
	return "/cases/" + url.PathEscape(rec.Subject)
}

// pretty is a record's JSON with line breaks, for people; the bytes that are
// hashed have none.
func pretty(text string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if enc.Encode(json.RawMessage(text)) != nil {
		return text
	}
	return out.String()
}

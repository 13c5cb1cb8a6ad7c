package console

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of an inbox's page.
const (
	inboxPerPage = 50
	maxChips     = 3  // of what can be undone, above the list; the rest is under Done today
	maxRecent    = 20 // of the reader's own decisions, looked through for those
)

// inboxViews are the parts of an inbox, the first as it opens.
func inboxViews() []review.View {
	return []review.View{review.NeedsMe, review.Waiting, review.Snoozed, review.Done}
}

// inboxGroups are the parts of what needs the reader.
func inboxGroups() []review.Group { return []review.Group{review.Overdue, review.Today, review.Later} }

// An inboxFilter is what a list of the inbox is narrowed to. Its address is the
// filter: a link reproduces the list.
type inboxFilter struct {
	view  review.View
	group review.Group // of what needs the reader; empty for all
	app   string       // empty for all
	kind  string       // empty for all
}

// readFilter takes a filter from an address. What the store would refuse it
// refuses itself.
func readFilter(q url.Values) (f inboxFilter, err error) {
	for _, name := range []string{"view", "group", "app", "kind", "after", "open", "did", "answer"} {
		if v := q.Get(name); len(v) > maxFilter || strings.ContainsRune(v, 0) {
			return f, longFilter(name)
		}
	}
	f = inboxFilter{view: review.View(q.Get("view")), group: review.Group(q.Get("group")), app: q.Get("app"), kind: q.Get("kind")}
	if f.view == "" {
		f.view = review.NeedsMe
	}
	if !slices.Contains(inboxViews(), f.view) {
		return f, fault.New(fault.Invalid, "no view of an inbox is called %.20q", f.view).Because("no_choice", "value", string(f.view))
	}
	if f.group != "" && (f.view != review.NeedsMe || !slices.Contains(inboxGroups(), f.group)) {
		return f, fault.New(fault.Invalid, "no part of this list is called %.20q", f.group).Because("no_choice", "value", string(f.group))
	}
	return f, nil
}

// values is the filter as an address has it, without what goes without saying.
func (f inboxFilter) values() url.Values {
	q := url.Values{}
	for _, one := range []struct{ name, value string }{{"view", string(f.view)}, {"group", string(f.group)}, {"app", f.app},
		{"kind", f.kind}} {
		if one.value != "" && one.value != string(review.NeedsMe) {
			q.Set(one.name, one.value)
		}
	}
	return q
}

// address is a path under the same filter; more are names and values to go along.
func (f inboxFilter) address(path string, more ...string) string {
	q := f.values()
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return withQuery(path, q.Encode())
}

// with is the filter turned to another view.
func (f inboxFilter) with(view review.View) inboxFilter {
	f.view, f.group = view, ""
	return f
}

// of is the filter turned to one part of what needs the reader.
func (f inboxFilter) of(group review.Group) inboxFilter {
	f.view, f.group = review.NeedsMe, group
	return f
}

// narrowed reports whether there may be more without the filter.
func (f inboxFilter) narrowed() bool { return f.app != "" || f.kind != "" || f.group != "" }

// query is what the store is asked: the day is the organisation's.
func (f inboxFilter) query(p *web.Page) review.InboxQuery {
	today := time.Date(p.Now.Year(), p.Now.Month(), p.Now.Day(), 0, 0, 0, 0, p.Now.Location())
	return review.InboxQuery{View: f.view, Group: f.group, App: f.app, Kind: f.kind, Since: today, EndOfDay: today.AddDate(0, 0, 1),
		Limit: inboxPerPage}
}

// readInbox reads the list: a page of it, and how much is in all of it.
func (c *Console) readInbox(r *http.Request) (in inbox, err error) {
	actor, err := c.proposalReader(r)
	if err != nil {
		return in, err
	}
	q := r.URL.Query()
	if in.inboxFilter, err = readFilter(q); err != nil {
		return in, err
	}
	in.after = q.Get("after")
	ask := in.query(c.site.Page(r))
	ask.After = in.after
	if in.look, err = c.Reviews.InboxLook(r.Context(), actor, ask); err != nil {
		return in, err
	}
	if in.look.Counts.NeedsMe == 0 && !in.narrowed() && in.view == review.NeedsMe {
		if in.moving, err = c.cases.Moving(r.Context(), actor.Org); err != nil {
			return in, err
		}
	}
	return in, c.readMarks(r.Context(), actor, &in)
}

// readMarks reads what a row says beside the proposal itself: what code found,
// whether the person concerned objected, and whether the evidence has changed since.
func (c *Console) readMarks(ctx context.Context, actor identity.Actor, in *inbox) error {
	if len(in.look.Items) == 0 {
		return nil
	}
	ids := make([]string, len(in.look.Items))
	since := map[casefile.CaseID]time.Time{} // of each case its oldest proposal here
	for i, it := range in.look.Items {
		ids[i] = it.Proposal.ID
		one := casefile.CaseID(it.Proposal.Case)
		if at, there := since[one]; it.Proposal.State == review.Open && (!there || it.Proposal.CreatedAt.Before(at)) {
			since[one] = it.Proposal.CreatedAt
		}
	}
	in.names = c.namesOf(ctx, actor.Org, in.look.Items)
	if c.Rules.May(actor, "proposal.read") == nil {
		found, err := c.Reviews.Verdicts(ctx, actor, ids...)
		if err != nil {
			return err
		}
		in.verdicts = verdictsOf(found)
	}
	if len(since) == 0 {
		return nil
	}
	var err error
	if in.objected, err = c.objected(ctx, actor, slices.Collect(maps.Keys(since))...); err != nil || c.Evidence == nil {
		return err
	}
	in.changed, err = c.Evidence.ChangedSince(ctx, actor.Org, since)
	return err
}

// namesOf are what people call those in whose stead the reader would decide.
func (c *Console) namesOf(ctx context.Context, org identity.Org, items []review.Item) map[string]string {
	names := map[string]string{}
	for _, it := range items {
		if _, asked := names[it.For]; it.For == "" || asked || c.Setup.Name == nil {
			continue
		}
		names[it.For] = c.Setup.Name(ctx, org, it.For)
	}
	return names
}

func verdictsOf(found map[string]json.RawMessage) map[string]*Verdict {
	all := make(map[string]*Verdict, len(found))
	for id, text := range found {
		if v := readVerdict(text); v != nil {
			all[id] = v
		}
	}
	return all
}

// openPane reads the proposal that the pane shows: the one that the address names,
// or the first of the list.
func (c *Console) openPane(r *http.Request, in *inbox) error {
	named := r.URL.Query().Get("open")
	id, at := named, in.at(named)
	if id == "" && len(in.look.Items) > 0 {
		id, at = in.look.Items[0].Proposal.ID, 0
	}
	if id == "" {
		return nil
	}
	if at >= 0 && at+1 < len(in.look.Items) {
		in.next = in.look.Items[at+1].Proposal.ID
	}
	v, err := c.readToDecide(r, id)
	if fault.Is(err, fault.Refused) && named == "" {
		return nil // who may have an inbox and not read proposals sees the list
	}
	if err != nil {
		return err
	}
	v.back, v.next = in.address(inboxPath, "after", in.after), in.next
	in.open, in.chosen = &v, named != ""
	if c.Evidence == nil {
		return nil
	}
	pieces, err := c.Evidence.Pieces(r.Context(), v.Org, v.one.ID)
	in.ground = footingOf(pieces)
	return err
}

// readBeside reads what stands around list and pane.
func (c *Console) readBeside(r *http.Request, in *inbox) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	p := c.site.Page(r)
	done := inboxFilter{view: review.Done}.query(p)
	done.Limit, done.Since = maxRecent, p.Now.AddDate(0, 0, -1) // what was decided before midnight can be undone after it
	recent, err := c.Reviews.Inbox(r.Context(), actor, done)
	if err != nil {
		return err
	}
	in.once = rand.Text()
	in.recall(p, recent.Items, r.URL.Query().Get("did"))
	if in.did != nil {
		if in.onRecord, err = c.made(r, in.did.Proposal.ID); err != nil {
			return err
		}
	}
	if done := r.URL.Query().Get("done"); slices.Contains(attended(), done) {
		in.attended = done
	}
	if in.saved, err = c.Reviews.Views(r.Context(), actor); err != nil {
		return err
	}
	in.apps = c.appsFor(in.app)
	if c.Concerns != nil && c.Rules.May(actor, "case.link") == nil {
		if in.unheard, in.unheardAll, err = c.Concerns.Unanswered(r.Context(), actor); err != nil {
			return err
		}
	}
	if c.Rules.May(actor, "health.read") != nil {
		return nil
	}
	health, err := c.readOperations(r, p, actor)
	in.health = &health
	return err
}

// appsFor are the applications that a list can be narrowed to, with the one that
// it is.
func (c *Console) appsFor(chosen string) []string {
	all := slices.Clone(c.Apps)
	if chosen != "" && !slices.Contains(all, chosen) {
		all = append(all, chosen)
	}
	return all
}

// recall finds, among the reader's newest decisions, the one just made and those
// that can still be undone.
func (in *inbox) recall(p *web.Page, recent []review.Item, did string) {
	for _, it := range recent {
		if in.did == nil && it.Proposal.ID == did {
			in.did = &it
		}
		undone := slices.ContainsFunc(recent, func(o review.Item) bool {
			return o.Proposal.ID == it.Proposal.ID &&
				o.Verdict == review.Undo
		})
		if len(in.undo) < maxChips && undoOffered(p, it) && !undone && it.Verdict != review.Undo {
			in.undo = append(in.undo, it)
		}
	}
}

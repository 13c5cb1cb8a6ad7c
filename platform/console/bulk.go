package console

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

const bulkPath = inboxPath + "/bulk"

// A bulkSheet is several proposals about to be decided the same way, or decided:
// every item is listed, and nothing is done to one that is not.
type bulkSheet struct {
	verdict review.Verdict
	back    string
	once    string    // what the ids of the decisions begin with
	seen    time.Time // when the person had the list before them
	reason  string
	items   []bulkItem
	fault   error // why nothing was done
	done    bool
}

// A bulkItem is one of them. shown is the digest of what the person had before
// them when they ticked it.
type bulkItem struct {
	id, shown string
	proposal  review.Proposal
	class     review.Class
	skip      string // why it is left out, as the end of a message's key; empty if it is not
	result    *review.Result
}

// Why an item is left out that could have been decided a moment ago. It is sent
// along all the same: the store says what it is now, and knows its own answer to
// the same form sent twice.
const (
	skipDecided = "decided"
	skipChanged = "changed"
)

// sent reports whether the store is asked about an item.
func (b bulkItem) sent() bool { return b.skip == "" || b.skip == skipDecided || b.skip == skipChanged }

// tickedIn reads what was ticked: a proposal and the digest of what was shown, with
// a point between.
func tickedIn(values []string) ([]bulkItem, error) {
	if len(values) > review.MostAtOnce {
		return nil, fault.New(fault.TooLarge, "at most %d proposals are decided at once, not %d", review.MostAtOnce, len(values)).
			WithNext("tick fewer").Because("too_many_ticked", "n", strconv.Itoa(review.MostAtOnce))
	}
	var all []bulkItem
	for _, v := range values {
		id, shown, _ := strings.Cut(v, ".")
		if !proposalForm.MatchString(id) || len(shown) > 64 || strings.ContainsRune(shown, 0) {
			return nil, fault.New(fault.Invalid, "%.40q is no proposal that can be ticked", v).Because("no_choice", "value", v)
		}
		if !slices.ContainsFunc(all, func(b bulkItem) bool { return b.id == id }) {
			all = append(all, bulkItem{id: id, shown: shown})
		}
	}
	return all, nil
}

// tick is what a box sends when it is ticked.
func tick(p review.Proposal) string { return p.ID + "." + p.ShownSHA256 }

// bulk is the sheet that lists everything that was ticked before anything is
// decided. It changes nothing.
func (c *Console) bulk(w http.ResponseWriter, r *http.Request) error {
	s, err := c.readTicked(r, r.URL.Query())
	if err != nil {
		return err
	}
	s.once = "bulk-" + rand.Text()
	return c.showSheet(w, r, http.StatusOK, s)
}

func (c *Console) showSheet(w http.ResponseWriter, r *http.Request, status int, s bulkSheet) error {
	p := c.inboxPage(r)
	p.Title = p.T("bulk.title")
	return c.site.Render(w, r, status, p, bulkBody(p, s))
}

// readTicked reads what was ticked as it is now.
func (c *Console) readTicked(r *http.Request, form url.Values) (s bulkSheet, err error) {
	actor, err := c.proposalReader(r)
	if err != nil {
		return s, err
	}
	s = bulkSheet{verdict: review.Verdict(form.Get("verdict")), reason: form.Get("reason"), once: form.Get("once")}
	if s.verdict != review.Approve && s.verdict != review.Reject {
		return s, fault.New(fault.Invalid, "several proposals are all approved or all rejected, not %.20q", s.verdict).
			Because("no_choice", "value", string(s.verdict))
	}
	if s.back = inboxBack(form.Get("back")); s.back == "" {
		s.back = inboxPath
	}
	if s.items, err = tickedIn(form["pick"]); err != nil {
		return s, err
	}
	if s.seen, err = momentSeen(form.Get("seen"), c.site.Page(r).Now); err != nil {
		return s, err
	}
	for i := range s.items {
		if err := c.readItem(r, actor, &s.items[i]); err != nil {
			return s, err
		}
	}
	s.compare()
	return s, c.leaveChanged(r.Context(), actor, &s)
}

// momentSeen reads when a list was made, which a form carries in microseconds.
func momentSeen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	micros, err := strconv.ParseInt(text, 10, 64)
	if err != nil || micros <= 0 {
		return now, fault.New(fault.Invalid, "%.20q is no moment at which a list was made", text).Because("form_stale")
	}
	return time.UnixMicro(micros), nil
}

// leaveChanged leaves out what rests on other evidence than when the person saw
// the list, and what the person concerned objected to: that is read first.
func (c *Console) leaveChanged(ctx context.Context, actor identity.Actor, s *bulkSheet) error {
	since := map[casefile.CaseID]time.Time{}
	for _, b := range s.ready() {
		since[casefile.CaseID(b.proposal.Case)] = s.seen
	}
	objected, err := c.objected(ctx, actor, slices.Collect(maps.Keys(since))...)
	if err != nil {
		return err
	}
	s.leave("objected", func(id casefile.CaseID) bool { return objected[id] })
	if c.Evidence == nil || len(since) == 0 {
		return nil
	}
	changed, err := c.Evidence.ChangedSince(ctx, actor.Org, since)
	s.leave("evidence", func(id casefile.CaseID) bool { return !changed[id].IsZero() })
	return err
}

// leave leaves out what is still ready and of such a case.
func (s *bulkSheet) leave(why string, of func(casefile.CaseID) bool) {
	for i := range s.items {
		if b := &s.items[i]; b.skip == "" && of(casefile.CaseID(b.proposal.Case)) {
			b.skip = why
		}
	}
}

// readItem reads one proposal, and says where it cannot be decided with others.
func (c *Console) readItem(r *http.Request, actor identity.Actor, b *bulkItem) (err error) {
	b.proposal, err = c.Reviews.Get(r.Context(), actor, b.id)
	switch {
	case fault.Is(err, fault.NotFound):
		b.proposal, b.skip = review.Proposal{ID: b.id}, "gone"
		return nil
	case err != nil:
		return err
	}
	v := proposalView{Proposal: b.proposal}
	if v.instead, err = c.Reviews.Leaves(r.Context(), actor, b.proposal); err != nil {
		return err
	}
	b.class = c.Reviews.ClassOf(b.proposal)
	switch {
	case !b.class.Together() || b.proposal.Gate != review.ByAnother || b.proposal.Required > 1:
		b.skip = "weighty"
	case b.class == review.Weighty && b.proposal.Finding() == nil:
		b.skip = "unnamed"
	case mayNotDecide(actor, v) != "":
		b.skip = "may_not"
	case b.proposal.State != review.Open:
		b.skip = skipDecided
	case b.shown != b.proposal.ShownSHA256:
		b.skip = skipChanged
	}
	return nil
}

// compare leaves out what is not of the same kind as the first.
func (s *bulkSheet) compare() {
	var first *review.Proposal
	for i := range s.items {
		b := &s.items[i]
		switch {
		case !b.sent():
		case first == nil:
			first = &b.proposal
		case b.proposal.Kind != first.Kind || b.proposal.App != first.App || b.proposal.Tool != first.Tool:
			b.skip = "other_kind"
		}
	}
}

// asksWhy reports whether a reason goes with the decision: always with a no, and with a
// yes to something weighty.
func (s bulkSheet) asksWhy() bool {
	return s.verdict == review.Reject || slices.ContainsFunc(s.ready(), func(b bulkItem) bool { return b.class.AsksWhy() })
}

// ready are the items that would be decided.
func (s bulkSheet) ready() []bulkItem {
	return slices.DeleteFunc(slices.Clone(s.items), func(b bulkItem) bool { return b.skip != "" })
}

// skipped are the items that are left out.
func (s bulkSheet) skipped() []bulkItem {
	return slices.DeleteFunc(slices.Clone(s.items), func(b bulkItem) bool { return b.skip == "" })
}

// decideBulk decides what the sheet listed, each by itself, and says what became
// of each. The same form sent again decides nothing twice.
func (c *Console) decideBulk(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	s, err := c.readTicked(r, r.PostForm)
	if err != nil {
		return err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	if s.asksWhy() && strings.TrimSpace(s.reason) == "" {
		s.fault = fault.New(fault.Invalid, "say why: this needs a reason").Because("reason_missing")
		return c.showSheet(w, r, http.StatusUnprocessableEntity, s)
	}
	all, err := c.decisionsOf(r.Context(), actor, s)
	if err != nil {
		return err
	}
	results, err := c.Reviews.DecideAll(r.Context(), actor, all)
	switch {
	case err != nil && !mendable(err):
		return err
	case err != nil:
		s.fault = err
		return c.showSheet(w, r, web.Status(fault.KindOf(err)), s)
	}
	s.done = true
	for i := range s.items {
		if at := slices.IndexFunc(results, func(o review.Result) bool { return o.Proposal == s.items[i].id }); at >= 0 {
			s.items[i].result = &results[at]
		}
	}
	return c.showSheet(w, r, http.StatusOK, s)
}

// decisionsOf are the decisions of a sheet, each on what its case rested on when the
// person had the list before them.
func (c *Console) decisionsOf(ctx context.Context, actor identity.Actor, s bulkSheet) ([]review.Decision, error) {
	all := make([]review.Decision, 0, len(s.items))
	for i, b := range s.items {
		if !b.sent() {
			continue
		}
		d := review.Decision{ID: fmt.Sprintf("%.60s-%d", s.once, i+1), Proposal: b.id, ShownSHA256: b.shown, Verdict: s.verdict,
			Reason: s.reason}
		if c.Evidence != nil {
			seen, err := c.Evidence.GroundsAt(ctx, actor.Org, casefile.CaseID(b.proposal.Case), s.seen)
			if err != nil {
				return nil, err
			}
			d.Grounds = seen.String()
		}
		all = append(all, d)
	}
	return all, nil
}

// taken is how many were decided.
func (s bulkSheet) taken() (n int) {
	for _, b := range s.items {
		if b.result != nil && b.result.Err == nil {
			n++
		}
	}
	return n
}

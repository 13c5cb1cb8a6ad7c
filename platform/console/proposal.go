package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/finding"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of what a proposal's page shows beside the proposal itself.
const (
	maxCited   = 20 // facts
	maxEarlier = 20 // other proposals of the case
)

// An Editing says how the arguments of a proposal are edited.
type Editing struct {
	Schema json.RawMessage                            // of the arguments; nil gives fields of the types they have
	Check  func(args []byte) (json.RawMessage, error) // what the store will say of them; nil leaves it to the store
	// Choices are the outcomes, where there are several: the bar shows them in place of a form.
	Choices tool.Choices
}

// A proposalView is a proposal with everything that a person needs to decide it.
type proposalView struct {
	review.Proposal
	one        casefile.Case
	class      review.Class
	doc        shownDoc
	verdict    *Verdict         // what code found, where the document says so
	found      *finding.Finding // what is read first; nil for a proposal from before findings were kept
	args       *forms.Form      // what would be done, as fields; nil once erased
	rest       *forms.Form      // what the document shows besides; nil if nothing
	plain      []string         // what cannot be shown as fields, as it stands
	made       []review.Made
	act        *effect.Act // what came of it; nil if nothing has yet
	papers     []Paper     // what it is about, to be read
	earlier    []review.Proposal
	before     map[string]finding.Finding // what was found of those, by their ids
	cited      []fact.Fact
	names      map[string]string   // what people call those whom it names by their ids
	choices    []choice            // the outcomes that the reader chooses among; none where there is one
	editing    *Editing            // nil: it cannot be edited
	mayNot     string              // why the reader may not decide; empty if they may
	instead    []review.Delegation // in whose stead the reader may
	stead      string              // the id of the one in whose stead the forms of this page decide; empty for the reader's own right
	away       bool                // the engine does not answer
	undo       bool                // its act can still be called off, for certain
	answer     string              // the answer whose reason is being asked for; empty for none
	done       string              // the answer that was just given
	typed      string              // the reason that was typed
	onRecord   *audit.Entry        // its record; nil where the reader may not have it
	fault      error               // why the last answer was not taken
	changed    *forms.Difference   // from what the person had before them, where that is known
	stale      bool                // the last answer was to something else
	once       string              // the id of the decision that this page may send
	grounds    string              // what the case rests on now, as the decision gives it back
	moved      []evidence.Move     // what came to the case since it was proposed
	objected   bool                // the person concerned waits for an answer
	objectedAt time.Time           // since when
	others     []identity.Actor    // to whom it could be handed over; nil where they are named by their ids
	unseen     []evidence.Move     // what came after the reader opened the page, where that is why their answer was not taken

	back string // the page that the bar stands on; empty for the proposal's own
	next string // the proposal that the reader goes on to; empty for none
}

// proposalRoutes registers what shows proposals and what decides them. What
// shows is GET and changes nothing; what decides is POST.
func (c *Console) proposalRoutes(m *web.Mux) {
	m.Handle("GET /proposals/{id}", c.proposal, web.Needs("proposal.read"))
	m.Handle("GET /proposals/{id}/head", c.proposalHead, web.Needs("proposal.read"))
	m.Handle("GET /proposals/{id}/after", c.proposalAfter, web.Needs("proposal.read"))
	m.Handle("GET /proposals/{id}/bar", c.proposalBar, web.Needs("proposal.read"))
	m.Handle("GET /proposals/{id}/edit", c.editProposal, web.Needs("proposal.decide"))
	m.Handle("POST /proposals/{id}/edit", c.checkEdit, web.Needs("proposal.decide"), web.MaxBody(maxDecision))
	m.Handle("POST /proposals/{id}/decisions", c.decideProposal, web.Needs("proposal.decide"), web.MaxBody(maxDecision))
	m.Handle("POST /proposals/{id}/choose", c.chooseProposal, web.Needs("proposal.decide"), web.MaxBody(maxDecision))
	m.Handle("POST /proposals/{id}/undo", c.undoProposal, web.Needs("proposal.decide"), web.MaxBody(maxForm))
	m.Handle("POST /proposals/{id}/claim", c.claimProposal, web.Needs("proposal.decide"), web.MaxBody(maxForm))
	m.Handle("POST /proposals/{id}/snooze", c.snoozeProposal, web.Needs("inbox.read"), web.MaxBody(maxForm))
	m.Handle("POST /proposals/{id}/opened", c.openedProposal, web.Needs("proposal.read"), web.MaxBody(maxForm))
}

// proposal is the page of one proposal. Opening it decides nothing.
func (c *Console) proposal(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readProposal(r)
	if err != nil {
		return err
	}
	if done := r.URL.Query().Get("done"); slices.Contains(append(answers(), attended()...), done) {
		v.done = done
	}
	if slices.Contains(answers(), v.done) {
		if v.onRecord, err = c.made(r, v.ID); err != nil {
			return err
		}
	}
	return c.showProposal(w, r, http.StatusOK, v)
}

// answers are what can be said to a proposal.
func answers() []string {
	return []string{string(review.Approve), string(review.Edit), string(review.SendBack), string(review.Reject), string(review.Undo)}
}

func (c *Console) showProposal(w http.ResponseWriter, r *http.Request, status int, v proposalView) error {
	if err := c.readOthers(r, &v); err != nil {
		return err
	}
	p := c.proposalPage(r, v)
	return c.site.Render(w, r, status, p, proposalBody(p, v))
}

func (c *Console) proposalPage(r *http.Request, v proposalView) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = v.ID+" "+proposalTitle(p, v), "inbox"
	return p
}

// proposalHead, proposalAfter and proposalBar are the regions of the page that
// move while it is open.
func (c *Console) proposalHead(w http.ResponseWriter, r *http.Request) error {
	return c.proposalRegion(w, r, proposalHeadRegion)
}

func (c *Console) proposalAfter(w http.ResponseWriter, r *http.Request) error {
	return c.proposalRegion(w, r, proposalAfterRegion)
}

func (c *Console) proposalBar(w http.ResponseWriter, r *http.Request) error {
	return c.proposalRegion(w, r, proposalBarRegion)
}

func (c *Console) proposalRegion(w http.ResponseWriter, r *http.Request, region func(*web.Page, proposalView) web.Region) error {
	v, err := c.readProposal(r)
	if err != nil {
		return err
	}
	p := c.proposalPage(r, v)
	return c.site.Region(w, r, p, region(p, v))
}

func proposalHeadRegion(p *web.Page, v proposalView) web.Region {
	return v.region("proposal-head", "/head", proposalHeadBody(p, v))
}

func proposalAfterRegion(p *web.Page, v proposalView) web.Region {
	reg := v.region("proposal-after", "/after", proposalAfterBody(p, v))
	reg.Announce = true
	if v.Run != "" && v.State != review.Open { // the run moves when its act does
		reg.Object, reg.Version = v.Run, 0
	}
	return reg
}

func proposalBarRegion(p *web.Page, v proposalView) web.Region {
	q := url.Values{}
	for _, one := range []struct{ name, value string }{{"answer", v.answer}, {"back", v.back}, {"next", v.next}} {
		if one.value != "" {
			q.Set(one.name, one.value)
		}
	}
	if v.stale {
		q.Set("stale", "1") // the bar says so until the page is opened anew
	}
	return v.region("proposal-bar", withQuery("/bar", q.Encode()), decisionBar(p, v))
}

// region is a part of the page that is fetched again when the case moves.
func (v proposalView) region(id, part string, body templ.Component) web.Region {
	return web.Region{ID: id, Object: v.Case, Version: v.one.Version, Src: web.ProposalPath(v.ID, part), Body: body}
}

// mayAnswer reports whether the reader may give this answer now.
func (v proposalView) mayAnswer(verdict review.Verdict) bool {
	if v.mayNot != "" {
		return false
	}
	switch verdict {
	case review.Undo:
		return v.undo
	case review.Edit:
		return v.State == review.Open && slices.Contains(v.Allowed, verdict) && v.Required <= 1 && v.editing != nil
	}
	return v.State == review.Open && slices.Contains(v.Allowed, verdict)
}

// asksWhy reports whether the reader may give this answer and must say why: all
// but an approval, and that too where it files something or is weighty.
func (v proposalView) asksWhy(verdict review.Verdict) bool {
	if verdict == review.Edit || verdict == review.Approve && !v.class.AsksWhy() {
		return false
	}
	return v.mayAnswer(verdict)
}

// voices are the people who have approved so far.
func (v proposalView) voices() []review.Made {
	return slices.DeleteFunc(slices.Clone(v.made), func(m review.Made) bool {
		return m.Verdict != review.Approve &&
			m.Verdict != review.Edit
	})
}

// ending is the decision that ended the proposal; nil if none did.
func (v proposalView) ending() *review.Made {
	for i := range v.made {
		if v.made[i].ID == v.EndedBy {
			return &v.made[i]
		}
	}
	return nil
}

// undoing is the decision that called the act off; nil if none did.
func (v proposalView) undoing() *review.Made {
	for i := range v.made {
		if v.made[i].Verdict == review.Undo {
			return &v.made[i]
		}
	}
	return nil
}

// upperFirst is a text with its first letter in upper case, as a sentence begins.
func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	first := []rune(text)[0]
	return strings.ToUpper(string(first)) + text[len(string(first)):]
}

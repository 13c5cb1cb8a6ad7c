package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// maxDecision is the most that a form about a proposal may send, in bytes: the
// longest arguments, in a script that takes nine bytes a letter.
const maxDecision = 4 << 20

// decideProposal takes a person's answer. The form carries the digest of what
// they had before them and the id of the decision, both from the page they read:
// sent twice it is one decision, and something else than they read is refused.
func (c *Console) decideProposal(w http.ResponseWriter, r *http.Request) error {
	d, err := c.sentDecision(r)
	if err != nil {
		return err
	}
	return c.conclude(w, r, d, func() ([]evidence.Move, error) { return c.decideAs(r, d) })
}

// decideAs puts the reader's decision to the store, and says what they had not seen where
// that is why it was not taken.
func (c *Console) decideAs(r *http.Request, d review.Decision) ([]evidence.Move, error) {
	actor, err := c.proposalReader(r)
	if err != nil {
		return nil, err
	}
	if _, err = c.Reviews.Decide(r.Context(), actor, d); fault.Is(err, fault.Stale) {
		return c.unseenBy(r.Context(), actor, d), err
	}
	return nil, err
}

// undoProposal takes back an approval whose act has not begun.
func (c *Console) undoProposal(w http.ResponseWriter, r *http.Request) error {
	d, err := c.sentDecision(r)
	if err != nil {
		return err
	}
	d.Verdict, d.Edit = review.Undo, nil
	return c.conclude(w, r, d, func() ([]evidence.Move, error) {
		actor, err := c.proposalReader(r)
		if err != nil {
			return nil, err
		}
		_, err = c.Reviews.Undo(r.Context(), actor, d)
		return nil, err
	})
}

// sentDecision is the decision that a form holds.
func (c *Console) sentDecision(r *http.Request) (review.Decision, error) {
	if err := web.ParseForm(r); err != nil {
		return review.Decision{}, err
	}
	f := r.PostForm
	d := review.Decision{ID: f.Get("id"), Proposal: r.PathValue("id"), ShownSHA256: f.Get("shown"),
		Verdict: review.Verdict(f.Get("verdict")), Reason: f.Get("reason"), Grounds: f.Get("grounds"), For: f.Get("for")}
	if d.Verdict == review.Edit {
		d.Edit = json.RawMessage(f.Get("edit"))
	}
	return d, nil
}

// conclude sends the person on after their decision, or back to the proposal as
// it is now, with what was not done and why. decide says what they had not seen,
// where that is why.
func (c *Console) conclude(w http.ResponseWriter, r *http.Request, d review.Decision,
	decide func() (unseen []evidence.Move, err error)) error {
	err := confirmed(d)
	var unseen []evidence.Move
	if err == nil {
		unseen, err = decide()
	}
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(decidedFrom(r, d)), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	v, readErr := c.readProposal(r)
	if readErr != nil {
		return err
	}
	v.stand(url.Values{"back": {r.PostForm.Get("back")}, "next": {r.PostForm.Get("next")}})
	v.unseen = unseen
	if _, placed := fault.PlaceOf(err); d.Verdict == review.Edit && (placed || onField(err)) && v.mayAnswer(review.Edit) {
		return c.editAgain(w, r, v, d.Edit, err)
	}
	v.fault, v.typed = err, d.Reason
	if v.asksWhy(d.Verdict) {
		v.answer = string(d.Verdict)
	}
	if v.stale = fault.Is(err, fault.Stale); v.stale {
		v.changed = c.sinceRead(r, v, d.ShownSHA256)
	}
	return c.showProposal(w, r, web.Status(fault.KindOf(err)), v)
}

// confirmed refuses an answer that does not say what it answers.
func confirmed(d review.Decision) error {
	if d.ShownSHA256 == "" {
		return fault.New(fault.Unconfirmed, "the form does not say what you had before you; nothing was done").Because("form_stale")
	}
	return nil
}

// decidedFrom is where a person goes once their answer is on record: back to the
// case, or on in the inbox, if that is where they gave it.
func decidedFrom(r *http.Request, d review.Decision) string {
	if back := caseBack(r.PostForm.Get("back")); back != "" {
		return addTo(addTo(back, "done", string(d.Verdict)), "proposal", d.Proposal)
	}
	return afterDeciding(r, d.Proposal, string(d.Verdict))
}

// caseBack is the address of a case's page; empty for anything else, so that
// nobody is sent elsewhere.
func caseBack(address string) string {
	path, _, _ := strings.Cut(web.LocalPath(address), "?")
	name, ok := strings.CutPrefix(path, "/cases/")
	id, err := casefile.ParseCaseID(name)
	if !ok || err != nil {
		return ""
	}
	return caseAddress(id, "")
}

// barBack is a page that a decision bar may stand on beside the proposal's own:
// the inbox or a case. Empty for anything else.
func barBack(address string) string {
	if back := caseBack(address); back != "" {
		return back
	}
	return inboxBack(address)
}

// sinceRead says what differs between the proposal and what the person had before
// them, where that was another proposal of the same case.
func (c *Console) sinceRead(r *http.Request, v proposalView, shown string) *forms.Difference {
	actor, err := c.proposalReader(r)
	if err != nil {
		return nil
	}
	for _, o := range v.earlier {
		if o.ShownSHA256 != shown {
			continue
		}
		read, err := c.Reviews.Get(r.Context(), actor, o.ID)
		if err != nil || read.Args == nil || v.Args == nil {
			return nil
		}
		if d, err := forms.Diff(read.Args, v.Args); err == nil {
			return &d
		}
	}
	return nil
}

package console

import (
	"encoding/json"
	"net/http"

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
	return c.conclude(w, r, d, func() error {
		actor, err := c.proposalReader(r)
		if err != nil {
			return err
		}
		_, err = c.Reviews.Decide(r.Context(), actor, d)
		return err
	})
}

// undoProposal takes back an approval whose act has not begun.
func (c *Console) undoProposal(w http.ResponseWriter, r *http.Request) error {
	d, err := c.sentDecision(r)
	if err != nil {
		return err
	}
	d.Verdict, d.Edit = review.Undo, nil
	return c.conclude(w, r, d, func() error {
		actor, err := c.proposalReader(r)
		if err != nil {
			return err
		}
		_, err = c.Reviews.Undo(r.Context(), actor, d)
		return err
	})
}

// sentDecision is the decision that a form holds.
func (c *Console) sentDecision(r *http.Request) (review.Decision, error) {
	if err := web.ParseForm(r); err != nil {
		return review.Decision{}, err
	}
	f := r.PostForm
	d := review.Decision{ID: f.Get("id"), Proposal: r.PathValue("id"), ShownSHA256: f.Get("shown"), Verdict: review.Verdict(f.Get("verdict")), Reason: f.Get("reason")}
	if d.Verdict == review.Edit {
		d.Edit = json.RawMessage(f.Get("edit"))
	}
	return d, nil
}

// conclude sends the person on after their decision, or back to the proposal as
// it is now, with what was not done and why.
func (c *Console) conclude(w http.ResponseWriter, r *http.Request, d review.Decision, decide func() error) error {
	err := confirmed(d)
	if err == nil {
		err = decide()
	}
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(web.ProposalPath(d.Proposal, "?done="+string(d.Verdict))), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	v, readErr := c.readProposal(r)
	if readErr != nil {
		return err
	}
	if d.Verdict == review.Edit && onField(err) && v.mayAnswer(review.Edit) {
		return c.editAgain(w, r, v, d.Edit, err)
	}
	v.fault, v.typed = err, d.Reason
	if v.mayAnswer(d.Verdict) && d.Verdict != review.Approve && d.Verdict != review.Edit {
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
		return fault.New(fault.Unconfirmed, "the form does not say what you had before you; nothing was done")
	}
	return nil
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

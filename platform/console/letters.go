package console

import (
	"context"
	"net/http"
	"slices"
	"time"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/web"
)

// A letterView is a letter that was sent in the institution's name, or waits to be, with
// what came back.
type letterView struct {
	notify.Copy
	held    bool // a pause keeps it
	came    []inbound.Mail
	replies []Reply
}

// lettersInSight is how many letters of a case are not folded.
const lettersInSight = 5

// letterAddress is the page of a letter.
func letterAddress(id casefile.CaseID, mail string) string {
	return caseAddress(id, "/letters/"+mail)
}

// readLetters reads the letters of a case with what became of each.
func (c *Console) readLetters(r *http.Request, actor identity.Actor, f *caseFile) error {
	if c.Post == nil {
		return nil
	}
	copies, err := c.Post.CopiesOf(r.Context(), actor.Org, f.ID)
	if err != nil || len(copies) == 0 {
		return err
	}
	f.letters, err = c.followed(r.Context(), actor.Org, copies, []casefile.Case{f.Case})
	return err
}

// followed adds to letters what came back: mail, and what people answered on pages of their
// own.
func (c *Console) followed(ctx context.Context, org identity.Org, copies []notify.Copy, cases []casefile.Case) ([]letterView, error) {
	all := make([]letterView, len(copies))
	ids := make([]string, len(copies))
	for i, one := range copies {
		all[i], ids[i] = letterView{Copy: one}, one.ID
	}
	if c.Acts != nil {
		acts, err := c.Acts.ByKeys(ctx, org, ids...)
		if err != nil {
			return nil, err
		}
		for i := range all {
			all[i].held = acts[all[i].ID].State == effect.OnHold
		}
	}
	return all, c.addReplies(ctx, org, all, cases)
}

func (c *Console) addReplies(ctx context.Context, org identity.Org, all []letterView, cases []casefile.Case) error {
	if c.Mail != nil {
		ids := make([]casefile.CaseID, len(cases))
		for i, one := range cases {
			ids[i] = one.ID
		}
		came, err := c.Mail.OfCases(ctx, org, ids)
		if err != nil {
			return err
		}
		for _, m := range came {
			if l := letterBefore(all, m.Case, m.Sender, m.ReceivedAt); l != nil {
				l.came = append(l.came, m)
			}
		}
	}
	for _, one := range cases {
		for _, part := range c.Parts[one.App] {
			if part.Replies == nil {
				continue
			}
			replies, err := part.Replies(ctx, one)
			if err != nil {
				return err
			}
			for _, reply := range replies {
				if l := letterBefore(all, one.ID, reply.From, reply.At); l != nil {
					l.replies = append(l.replies, reply)
				}
			}
		}
	}
	return nil
}

// letterBefore is the letter that something answers: the newest to that person on that case
// before it came; nil for none.
func letterBefore(all []letterView, of casefile.CaseID, from string, at time.Time) *letterView {
	var found *letterView
	for i := range all {
		l := &all[i]
		if l.Case == of && l.Recipient == from && !l.QueuedAt.After(at) && (found == nil || l.QueuedAt.After(found.QueuedAt)) {
			found = l
		}
	}
	return found
}

// letter is the page of one letter, for who may read its case.
func (c *Console) letter(w http.ResponseWriter, r *http.Request) error {
	one, actor, err := c.readCase(r)
	if err != nil {
		return err
	}
	if c.Post == nil {
		return fault.New(fault.NotFound, "this installation sends no letters").Because("not_set_up")
	}
	mail, err := c.Post.Copy(r.Context(), actor.Org, one.ID, r.PathValue("mail"))
	if err != nil {
		return err
	}
	all, err := c.Post.CopiesOf(r.Context(), actor.Org, one.ID) // what came answers the newest before it
	if err != nil {
		return err
	}
	followed, err := c.followed(r.Context(), actor.Org, all, []casefile.Case{one})
	if err != nil {
		return err
	}
	v := letterPage{one: one, letterView: letterView{Copy: mail}}
	if at := slices.IndexFunc(followed, func(l letterView) bool { return l.ID == mail.ID }); at >= 0 {
		v.letterView = followed[at]
	}
	if v.said, err = c.readSaid(r.Context(), actor.Org, v.came); err != nil {
		return err
	}
	p := c.filePage(r, one)
	p.Title = letterTitle(p, v.letterView) + " " + one.Ref
	return c.site.Render(w, r, http.StatusOK, p, letterBody(p, v))
}

// A letterPage is a letter with the words of what came back.
type letterPage struct {
	letterView
	one  casefile.Case
	said map[string]string // by the mail that came in
}

// readSaid reads what is new in mails that were believed: it is on the case's sheet.
func (c *Console) readSaid(ctx context.Context, org identity.Org, came []inbound.Mail) (map[string]string, error) {
	all := map[string]string{}
	for _, m := range came {
		if m.State != inbound.Accepted {
			continue
		}
		text, err := c.Mail.Said(ctx, org, m)
		if err != nil {
			return nil, err
		}
		all[m.ID] = text
	}
	return all, nil
}

func lettersRegion(p *web.Page, f caseFile) web.Region {
	return f.region("letters", "/letters", lettersBody(p, f))
}

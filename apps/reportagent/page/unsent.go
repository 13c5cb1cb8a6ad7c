package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diff"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A keeping is what became of words that were typed and not sent, for the script that keeps them.
type keeping struct {
	State string `json:"state"` // saved, or elsewhere, or failed
	Rev   int    `json:"rev"`
	Says  string `json:"says"`
}

var hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// keep keeps what somebody types, in the place of what they were shown last. It writes nothing into the section.
func (g *Pages) keep(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	id, err := reportIn(r)
	if err != nil {
		return err
	}
	p := g.page(r)
	v, err := g.desk.Overview(r.Context(), actor, id)
	if err != nil {
		return err
	}
	s, err := v.Document.Find(r.PathValue("section"))
	if err != nil {
		return err
	}
	u, err := unsentIn(r.PostForm)
	if err == nil {
		u, err = g.store.SaveUnsent(r.Context(), actor, id, s.ID, u)
	}
	status, said := http.StatusOK, keeping{State: "saved", Rev: u.Rev}
	switch {
	case fault.Is(err, fault.Stale):
		status, said.State, said.Says = web.Status(fault.KindOf(err)), "elsewhere", p.Said(err)
	case err != nil:
		status, said.State, said.Says = web.Status(fault.KindOf(err)), "failed", p.Said(err)
	case u.Was != s.Hash():
		said.State, said.Says = "elsewhere", p.T("rp.unsent_moved")
	default:
		said.Says = p.T("rp.unsent_saved", "time", p.Moment(u.At))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(said)
}

// unsentIn reads what was typed.
func unsentIn(form url.Values) (u store.Unsent, err error) {
	u = store.Unsent{Was: form.Get("was"), Text: strings.ReplaceAll(form.Get("text"), "\r\n", "\n")}
	u.Rev, err = strconv.Atoi(form.Get("rev"))
	if err != nil || u.Rev < 0 || !hashForm.MatchString(u.Was) {
		err = fault.New(fault.Invalid, "the form does not say what it replaces").WithNext("open the page again").Because("form_stale")
	}
	return u, err
}

// rebase puts what somebody typed before the text as it is now: they have seen both, and send it themselves.
func (g *Pages) rebase(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		return deed{typed{what: "rebase"}, func(actor identity.Actor, report, section string) error {
			u, err := unsentIn(form)
			if err == nil {
				_, err = g.store.SaveUnsent(r.Context(), actor, report, section, u)
			}
			return err
		}}
	})
}

// discard throws away what somebody typed and has not sent.
func (g *Pages) discard(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(url.Values) deed {
		return deed{typed{what: "discard"}, func(actor identity.Actor, report, section string) error {
			return g.store.Discard(r.Context(), actor, report, section)
		}}
	})
}

// markRead notes up to which version somebody has read the section.
func (g *Pages) markRead(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		n, _ := strconv.Atoi(form.Get("version")) // there is no version 0
		return deed{typed{what: "read"}, func(actor identity.Actor, report, section string) error {
			return g.store.MarkRead(r.Context(), actor, report, section, n)
		}}
	})
}

// toEdit is what stands in the field: what was sent and not taken, what was typed and not sent, or the text as it is.
func (v sectionView) toEdit() string {
	switch {
	case v.told.what == "text":
		return v.told.text
	case v.history.Unsent.Rev > 0:
		return v.history.Unsent.Text
	}
	return v.section.Prose
}

// replaces is the hash of the text that what stands in the field is to replace.
func (v sectionView) replaces() string {
	if v.history.Unsent.Rev > 0 {
		return v.history.Unsent.Was
	}
	return v.section.Hash()
}

// moved reports whether the text is another than the one that somebody began to type over.
func (v sectionView) moved() bool {
	return v.history.Unsent.Rev > 0 && v.history.Unsent.Was != v.section.Hash()
}

// between is how what somebody typed differs from the text as it is now.
func (v sectionView) between() []diff.Piece {
	return brief(diff.Words(v.section.Prose, v.history.Unsent.Text))
}

// unread reports whether the newest version is new to the reader, who has read one before.
func (v sectionView) unread() bool { return v.newest.N > v.history.Read }

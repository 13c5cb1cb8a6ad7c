package console

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

const noticesPath = notify.WishesPath

// noticesFor is how far back notices are listed.
const noticesFor = 14 * 24 * time.Hour

// A noticesView is what a person was told lately, and how they want to be told.
type noticesView struct {
	list   []review.Notice
	wishes *notify.Wishes // nil where no mail goes out
	done   bool
	fault  error
}

// noticeRoutes registers the page of notices.
func (c *Console) noticeRoutes(m *web.Mux) {
	m.Handle("GET "+noticesPath, c.notices, web.Needs("inbox.read"))
	m.Handle("GET "+noticesPath+"/rows", c.noticeRows, web.Needs("inbox.read"))
	m.Handle("POST "+noticesPath, c.wish, web.Needs("inbox.read"), web.MaxBody(maxForm))
}

// notices is the page of what the reader was told.
func (c *Console) notices(w http.ResponseWriter, r *http.Request) error {
	return c.showNotices(w, r, http.StatusOK, noticesView{done: r.URL.Query().Get("done") == "kept"})
}

// noticeRows is the list that keeps itself current.
func (c *Console) noticeRows(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	v := noticesView{}
	if v.list, err = c.toldLately(r, actor); err != nil {
		return err
	}
	p := c.noticesPage(r)
	return c.site.Region(w, r, p, v.region(p))
}

func (c *Console) noticesPage(r *http.Request) *web.Page {
	p := c.inboxPage(r)
	p.Title = p.T("notices.title")
	return p
}

func (c *Console) toldLately(r *http.Request, actor identity.Actor) ([]review.Notice, error) {
	return c.Reviews.Notices(r.Context(), actor, c.site.Page(r).Now.Add(-noticesFor))
}

func (c *Console) showNotices(w http.ResponseWriter, r *http.Request, status int, v noticesView) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	if v.list, err = c.toldLately(r, actor); err != nil {
		return err
	}
	if c.Desk != nil && v.wishes == nil {
		wishes, err := c.Desk.Wishes(r.Context(), actor)
		if err != nil {
			return err
		}
		v.wishes = &wishes
	}
	p := c.noticesPage(r)
	return c.site.Render(w, r, status, p, noticesBody(p, v))
}

// region is the list of notices. Something around a proposal moves an inbox, and
// this with it.
func (v noticesView) region(p *web.Page) web.Region {
	return web.Region{ID: "notice-rows", Object: review.InboxObject, Src: p.Href(noticesPath + "/rows"), Body: noticeList(p, v.list)}
}

// wish keeps how the reader wants to be told.
func (c *Console) wish(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	if err := notify.MayWish(actor); err != nil {
		return err
	}
	if c.Desk == nil {
		return fault.New(fault.Unavailable, "no mail goes out from this server").WithNext("the operator's guide says how it is set up").
			Because("not_set_up")
	}
	wishes, err := readWishes(r)
	if err == nil {
		err = c.Desk.SetWishes(r.Context(), actor, wishes)
	}
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(noticesPath+"?done=kept"), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	return c.showNotices(w, r, web.Status(fault.KindOf(err)), noticesView{fault: err})
}

// readWishes reads the form.
func readWishes(r *http.Request) (w notify.Wishes, err error) {
	w.Ways = map[review.NoticeKind]notify.Way{}
	for _, kind := range notify.Kinds() {
		w.Ways[kind] = notify.Way(r.PostForm.Get("way." + string(kind)))
	}
	w.OnlyMine, w.Language = r.PostForm.Get("only_mine") == "yes", r.PostForm.Get("language")
	for name, field := range map[string]*int{"quiet_from": &w.QuietFrom, "quiet_to": &w.QuietTo, "digest_at": &w.DigestAt} {
		if *field, err = minutesOf(r.PostForm.Get(name)); err != nil {
			return w, err
		}
	}
	return w, nil
}

// minutesOf reads a time of the day, "07:30", as minutes after midnight.
func minutesOf(s string) (int, error) {
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, fault.New(fault.Invalid, "%.20q is no time of the day; write it as 07:30", s).Because("no_time", "value", s)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// timeOfDay is minutes after midnight as a form shows them.
func timeOfDay(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// noticeWhere is the page a notice leads to. Opening it decides nothing.
func noticeWhere(n review.Notice) string {
	if n.Proposal == "" {
		return delegationsPath
	}
	return web.ProposalPath(n.Proposal, "")
}

// noticeID names a row of the list.
func noticeID(i int) string { return "notice-" + strconv.Itoa(i) }

// languageKey is the end of the message that names a language.
func languageKey(language string) string {
	if language == "" {
		return "usual"
	}
	return language
}

package page

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// answerRoutes registers the page of somebody who was written to. It is not the
// platform's page of the person concerned: that one shows what an officer chose of a
// case, once it was decided. This one goes out with every letter, to each of several
// people on a case, shows each their own, and what they answer is a reply.
func (g *Pages) answerRoutes(m *web.Mux) {
	const why = "a rider who was written to has a sealed link and no account"
	m.Handle("GET "+answer.At, g.riderPage, web.Public(why))
	m.Handle("POST "+answer.At, g.riderAnswers, web.Public(why), web.MaxBody(maxSmallForm))
}

// An answerView is the page, and what came of the form.
type answerView struct {
	answer.Visit

	token string
	form  string // of the form on the page
	said  post.Said
	fault error
	done  bool
}

// riderPage shows somebody where their matter stands. It changes nothing, so a
// scanner that follows the link does no harm.
func (g *Pages) riderPage(w http.ResponseWriter, r *http.Request) error {
	v, err := g.admitRider(w, r, r.URL.Query().Get("k"))
	if err != nil {
		return err
	}
	v.done = r.URL.Query().Get("done") == "1"
	return g.showRider(w, r, http.StatusOK, v)
}

// admitRider opens somebody's page. Whatever is wrong with its address, the answer
// is the same.
func (g *Pages) admitRider(w http.ResponseWriter, r *http.Request, token string) (v answerView, err error) {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Cache-Control", "no-store")
	t, refused := g.door.ReadTicket(token)
	by := ""
	if refused == nil {
		by = t.Name()
	}
	if err := g.gate.Pass(by); err != nil {
		return v, err
	}
	if refused != nil {
		return v, refused
	}
	v.token, v.form = token, rand.Text()
	v.Visit, err = g.door.Visit(r.Context(), t)
	return v, err
}

func (g *Pages) showRider(w http.ResponseWriter, r *http.Request, status int, v answerView) error {
	p := g.site.PageFor(r, v.Org)
	p.Org.Zone, p.Now = v.Zone, p.Now.In(v.Zone) // as their letters print times
	p.Title = p.T("pool.answer.title", "ref", v.Ref)
	return g.site.Render(w, r, status, p, answerScreen(p, v))
}

// riderAnswers takes what somebody answers.
func (g *Pages) riderAnswers(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	f := r.PostForm
	v, err := g.admitRider(w, r, f.Get("k"))
	if err != nil {
		return err
	}
	v.said = post.Said{Held: post.Held(f.Get("held")), Wish: post.Wish(f.Get("wish")), Text: f.Get("text")}
	v.fault = g.door.Take(r.Context(), v.Ticket, v.said, f.Get("form"))
	switch {
	case v.fault == nil:
		http.Redirect(w, r, g.site.Page(r).Href(answer.Path(v.token)+"&done=1"), http.StatusSeeOther)
		return nil
	case !mends(v.fault) && !fault.Is(v.fault, fault.TooMany):
		return v.fault
	}
	return g.showRider(w, r, web.Status(fault.KindOf(v.fault)), v)
}

// standingWords say where the matter stands, and what happens next.
func standingWords(p *web.Page, v answer.Visit) (title, next string) {
	at := v.Deadline
	switch v.Standing() {
	case "records":
		at = v.Due
	case "removed", "closed":
		at = v.Ended
	}
	when := ""
	if !at.IsZero() {
		when = p.Moment(at)
	}
	key := "pool.answer.stands." + v.Standing()
	return p.T(key, "time", when, "zone", p.Zone()), p.T(key + "_next")
}

// standingLook is the class and icon of a notice that says where it stands.
func standingLook(v answer.Visit) (class, icon string) {
	switch v.Standing() {
	case "waiting":
		return "warn", "clock"
	case "closed", "settled":
		return "ok", "check"
	}
	return "info", "info"
}

// answersPart shows who works a case what was answered on people's pages.
func (g *Pages) answersPart() console.Part {
	return console.Part{Panel: g.answersPanel, Replies: g.pageReplies}
}

// pageReplies are the answers that people gave on the page their letter leads to.
func (g *Pages) pageReplies(ctx context.Context, one casefile.Case) (replies []console.Reply, err error) {
	all, err := g.door.Given(ctx, one)
	for _, a := range all {
		replies = append(replies, console.Reply{From: store.Rider(a.Employee).String(), At: a.At, Path: "/cases/" + string(one.ID) +
			"#page-answers-h"})
	}
	return replies, err
}

func (g *Pages) answersPanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	all, err := g.door.Given(ctx, one)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return answersGiven(p, all), nil
}

// farOf is a distance in words, in the unit of the programme.
func farOf(p *web.Page, o post.Own, miles string) string {
	if o.Unit == fleet.InKilometres {
		return p.T("pool.answer.km_of", "km", o.Told(miles))
	}
	return p.T("pool.answer.miles_of", "miles", miles)
}

package poolpatrol

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/a-h/templ"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// answerAt is the page of somebody who was written to.
const answerAt = homeAt + "/answer"

// answerRoutes registers the page of somebody who was written to. It is not the
// platform's page of the person concerned: that one shows what an officer chose of a
// case, once it was decided. This one goes out with every letter, to each of several
// people on a case, shows each their own, and what they answer is a reply.
func (g *pages) answerRoutes(m *web.Mux) {
	const why = "a rider who was written to has a sealed link and no account"
	m.Handle("GET "+answerAt, g.riderPage, web.Public(why))
	m.Handle("POST "+answerAt, g.riderAnswers, web.Public(why), web.MaxBody(maxSmallForm))
}

// An answerView is the page, and what came of the form.
type answerView struct {
	riderVisit

	token string
	form  string // of the form on the page
	said  post.Said
	fault error
	done  bool
}

// riderPage shows somebody where their matter stands. It changes nothing, so a
// scanner that follows the link does no harm.
func (g *pages) riderPage(w http.ResponseWriter, r *http.Request) error {
	v, err := g.admitRider(w, r, r.URL.Query().Get("k"))
	if err != nil {
		return err
	}
	v.done = r.URL.Query().Get("done") == "1"
	return g.showRider(w, r, http.StatusOK, v)
}

// admitRider opens somebody's page. Whatever is wrong with its address, the answer
// is the same.
func (g *pages) admitRider(w http.ResponseWriter, r *http.Request, token string) (v answerView, err error) {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Cache-Control", "no-store")
	t, refused := g.app.readTicket(token)
	by := ""
	if refused == nil {
		by = t.name()
	}
	if err := g.gate.Pass(by); err != nil {
		return v, err
	}
	if refused != nil {
		return v, refused
	}
	v.token, v.form = token, rand.Text()
	v.riderVisit, err = g.app.visit(r.Context(), t)
	return v, err
}

func (g *pages) showRider(w http.ResponseWriter, r *http.Request, status int, v answerView) error {
	p := g.site.PageFor(r, v.org)
	p.Org.Zone, p.Now = v.zone, p.Now.In(v.zone) // as their letters print times
	p.Title = p.T("pool.answer.title", "ref", v.ref)
	return g.site.Render(w, r, status, p, answerScreen(p, v))
}

// riderAnswers takes what somebody answers.
func (g *pages) riderAnswers(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	f := r.PostForm
	v, err := g.admitRider(w, r, f.Get("k"))
	if err != nil {
		return err
	}
	v.said = post.Said{Held: post.Held(f.Get("held")), Wish: post.Wish(f.Get("wish")), Text: f.Get("text")}
	v.fault = g.app.answer(r.Context(), v.ticket, v.said, f.Get("form"))
	switch {
	case v.fault == nil:
		http.Redirect(w, r, g.site.Page(r).Href(answerPath(v.token)+"&done=1"), http.StatusSeeOther)
		return nil
	case !mends(v.fault) && !fault.Is(v.fault, fault.TooMany):
		return v.fault
	}
	return g.showRider(w, r, web.Status(fault.KindOf(v.fault)), v)
}

// standing names where the matter stands for this person, for the words of the page.
func (v riderVisit) standing() string {
	switch {
	case v.me.Standing == lifecycle.SubjectCancelled:
		return "removed"
	case v.state.Ended():
		return "closed"
	case !v.asks():
		return "settled"
	}
	switch v.state {
	case lifecycle.ReAudit:
		return "again"
	case lifecycle.PreCancel:
		return "deciding"
	case lifecycle.Review:
		return "person"
	}
	switch {
	case !v.due.IsZero():
		return "records"
	case v.looking:
		return "looking"
	case v.deadline.IsZero():
		return "resting"
	}
	return "waiting"
}

// standingWords say where the matter stands, and what happens next.
func standingWords(p *web.Page, v riderVisit) (title, next string) {
	at := v.deadline
	switch v.standing() {
	case "records":
		at = v.due
	case "removed", "closed":
		at = v.ended
	}
	when := ""
	if !at.IsZero() {
		when = p.Moment(at)
	}
	key := "pool.answer.stands." + v.standing()
	return p.T(key, "time", when, "zone", p.Zone()), p.T(key + "_next")
}

// standingLook is the class and icon of a notice that says where it stands.
func standingLook(v riderVisit) (class, icon string) {
	switch v.standing() {
	case "waiting":
		return "warn", "clock"
	case "closed", "settled":
		return "ok", "check"
	}
	return "info", "info"
}

// answersPart shows who works a case what was answered on people's pages.
func (a *app) answersPart() console.Part { return console.Part{Panel: a.answersPanel} }

func (a *app) answersPanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	var all []riderAnswer
	err := a.store.db.InOrg(ctx, one.Org, func(tx pgx.Tx) (err error) {
		all, err = answersIn(ctx, tx, `case_id = $2`, one.ID)
		return err
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return answersGiven(p, all), nil
}

package page

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// maxQuestion bounds the form of a question, in bytes.
const maxQuestion = 8 << 10

// mostAsked is how many briefings the page of a district lists.
const mostAsked = 4

// A briefingView is a briefing with its numbers in place of their tokens.
type briefingView struct {
	store.Briefing

	bench  *brief.Bench
	lines  []brief.Line
	worded []string
	drafts []store.Draft // that were handed in, while it is worded
}

// region is the part of the page that moves by itself: what an agent makes of the briefing.
func (v briefingView) region(p *web.Page) web.Region {
	return web.Region{ID: "worded", Object: string(v.Case), Src: BriefingsAt + "/" + v.ID + "/now", Announce: v.State != store.WordingAsked,
		Body: wordedPanel(p, v)}
}

// viewOf is a briefing for a reader. Code says its words in their language, of the same facts; what a model wrote stays as it was checked.
func viewOf(b store.Briefing, lang reason.Lang) (v briefingView, err error) {
	v.Briefing = b
	if v.bench, err = brief.Lay(b.Basis); err != nil {
		return v, err
	}
	said := b.Lines
	if lang != b.Lang {
		if said, err = v.bench.Say(lang, topicsOf(b.Lines)...); err != nil {
			return v, err
		}
	}
	if v.lines, err = v.bench.Shown(said); err != nil {
		return v, err
	}
	for _, text := range b.Worded {
		if text, err = v.bench.Show(text); err != nil {
			return v, err
		}
		v.worded = append(v.worded, text)
	}
	return v, nil
}

// topicsOf is what lines are about, in their order.
func topicsOf(all []brief.Line) (out []brief.Topic) {
	for _, l := range all {
		if !slices.Contains(out, l.Topic) {
			out = append(out, l.Topic)
		}
	}
	return out
}

// of are the lines about a topic.
func (v briefingView) of(t brief.Topic) (out []string) {
	for _, l := range v.lines {
		if l.Topic == t {
			out = append(out, l.Text)
		}
	}
	return out
}

// topics are those of which something is said, in their order.
func (v briefingView) topics() []brief.Topic {
	return slices.DeleteFunc(brief.Topics(), func(t brief.Topic) bool { return len(v.of(t)) == 0 })
}

// lead is what code says first.
func (v briefingView) lead() string {
	if len(v.lines) == 0 {
		return ""
	}
	return v.lines[0].Text
}

// title is the question, or what a whole briefing is called.
func (v briefingView) title(p *web.Page) string {
	if v.Question != "" {
		return v.Question
	}
	return p.T("netra.briefing", "window", windowWord(p, v.Hours))
}

// windowWord is a window as people call it.
func windowWord(p *web.Page, hours int) string { return p.T("netra.window." + strconv.Itoa(hours)) }

// newest are the newest briefings of a district.
func (g *Pages) newest(ctx context.Context, actor identity.Actor, lgd int) ([]briefingView, error) {
	all, err := g.store.Briefings(ctx, actor, lgd, store.Cursor{}, mostAsked)
	if err != nil {
		return nil, err
	}
	out := make([]briefingView, len(all))
	for i, b := range all {
		out[i] = briefingView{Briefing: b} // the list says no numbers
	}
	return out, nil
}

// briefing is the page of one.
func (g *Pages) briefing(w http.ResponseWriter, r *http.Request) error {
	p := g.page(r)
	v, err := g.readBriefing(r, p)
	if err != nil {
		return err
	}
	p.Title = v.title(p)
	return g.site.Render(w, r, http.StatusOK, p, briefingScreen(p, v))
}

// briefingNow is the part of it that moves by itself.
func (g *Pages) briefingNow(w http.ResponseWriter, r *http.Request) error {
	p := g.page(r)
	v, err := g.readBriefing(r, p)
	if err != nil {
		return err
	}
	p.Title = v.title(p)
	return g.site.Region(w, r, p, v.region(p))
}

func (g *Pages) readBriefing(r *http.Request, p *web.Page) (v briefingView, err error) {
	actor, err := g.who(r)
	if err != nil {
		return v, err
	}
	b, err := g.store.Briefing(r.Context(), actor, r.PathValue("id"))
	if err != nil {
		return v, err
	}
	if v, err = viewOf(b, reason.Lang(p.Lang)); err != nil || b.State != store.WordingAsked {
		return v, err
	}
	v.drafts, err = g.store.Progress(r.Context(), actor, b.ID)
	return v, err
}

// ask has a question answered, or a briefing written. The buttons ask what most people do, in the reader's language.
func (g *Pages) ask(w http.ResponseWriter, r *http.Request) error {
	actor, err := g.who(r)
	if err != nil {
		return err
	}
	lgd, err := districtIn(r)
	if err != nil {
		return err
	}
	window, err := windowIn(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	p := g.page(r)
	q := analyst.Question{LGD: lgd, Hours: window, Lang: reason.Lang(p.Lang), Text: r.PostForm.Get("question")}
	if about := brief.Topic(r.PostForm.Get("about")); slices.Contains(quickTopics, about) {
		q.Text = p.T("netra.ask." + string(about))
	}
	if r.PostForm.Get("about") == "all" {
		q.Text = ""
	}
	b, err := g.analyst.Ask(r.Context(), actor, q)
	if err != nil {
		return err
	}
	http.Redirect(w, r, p.Href(BriefingsAt+"/"+b.ID), http.StatusSeeOther)
	return nil
}

// quickTopics are what the buttons ask.
var quickTopics = []brief.Topic{brief.Why, brief.Changed, brief.Lower}

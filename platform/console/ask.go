package console

import (
	"context"
	"net/http"

	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// questionsShown is how many questions the box shows, the newest.
const questionsShown = 5

// An askBox is the box on a case in which questions are asked.
type askBox struct {
	casefile.Case
	mayAsk  bool
	model   bool // words come from a model
	earlier int  // questions that are not shown
	asked   []ask.Answer
	facts   map[fact.Ref]fact.Fact // that the answers cite, as they were then
	pieces  map[string]string      // titles of evidence by its id
	typed   string
	fault   error // why the last question was not taken
}

func (c *Console) askRoutes(m *web.Mux) {
	m.Handle("GET /cases/{id}/questions", c.questions, web.Needs("case.read"))
	m.Handle("POST /cases/{id}/questions", c.question, web.Needs(ask.Act), web.MaxBody(maxForm))
}

// questions is the box alone.
func (c *Console) questions(w http.ResponseWriter, r *http.Request) error {
	one, actor, err := c.readCase(r)
	if err != nil {
		return err
	}
	box, err := c.readAskBox(r.Context(), actor, one)
	if err != nil {
		return err
	}
	if box == nil {
		return fault.New(fault.Unavailable, "questions are not set up on this server").Because("not_set_up")
	}
	p := c.filePage(r, one)
	return c.site.Region(w, r, p, askRegion(p, *box))
}

// readAskBox reads what was asked and answered; nil where nobody can ask.
func (c *Console) readAskBox(ctx context.Context, actor identity.Actor, one casefile.Case) (*askBox, error) {
	if c.Ask == nil {
		return nil, nil
	}
	all, err := c.Ask.Asked(ctx, actor, one.ID)
	if err != nil {
		return nil, err
	}
	box := &askBox{Case: one, mayAsk: c.Rules.May(actor, ask.Act) == nil, model: c.Ask.Route != nil}
	box.earlier = max(0, len(all)-questionsShown)
	box.asked = all[box.earlier:]
	return box, box.fill(ctx, c.Evidence, actor.Org)
}

func (c *Console) readAsk(r *http.Request, actor identity.Actor, f *caseFile) (err error) {
	f.ask, err = c.readAskBox(r.Context(), actor, f.Case)
	return err
}

// fill fetches what the answers cite.
func (b *askBox) fill(ctx context.Context, from *evidence.Store, org identity.Org) (err error) {
	var refs []fact.Ref
	pieces := false
	for _, a := range b.asked {
		for _, l := range a.Lines {
			refs = append(refs, l.Facts...)
			pieces = pieces || l.Link != "" && l.Link[0] == 'E'
		}
	}
	b.pieces = map[string]string{}
	if pieces {
		list, err := from.Pieces(ctx, org, b.ID)
		if err != nil {
			return err
		}
		for _, p := range list {
			b.pieces[p.ID()] = p.Title
		}
	}
	if len(refs) > 0 {
		b.facts, err = from.At(ctx, org, b.ID, refs)
	}
	return err
}

// question takes one, and answers with the box, or, to whoever accepts a stream,
// with what happens on the way.
func (c *Console) question(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	id, err := casefile.ParseCaseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	if c.Ask == nil {
		return fault.New(fault.Unavailable, "questions are not set up on this server").Because("not_set_up")
	}
	typed := r.PostForm.Get("question")
	if r.Header.Get("Accept") == "text/event-stream" {
		return c.streamAnswer(w, r, actor, id, typed)
	}
	_, err = c.Ask.Ask(r.Context(), actor, id, typed, nil)
	if err == nil && !web.WantsRegion(r) {
		http.Redirect(w, r, c.site.Page(r).Href(caseAddress(id, "#ask")), http.StatusSeeOther)
		return nil
	}
	if err != nil && !mendable(err) && fault.KindOf(err) != fault.TooMany {
		return err
	}
	return c.answerBox(w, r, actor, id, typed, err)
}

// answerBox shows the box as it is now, with what was wrong about a question.
func (c *Console) answerBox(w http.ResponseWriter, r *http.Request, actor identity.Actor, id casefile.CaseID, typed string,
	wrong error) error {
	one, err := c.cases.Get(r.Context(), actor.Org, id)
	if err != nil {
		return err
	}
	box, err := c.readAskBox(r.Context(), actor, one)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if wrong != nil {
		box.typed, box.fault, status = typed, wrong, web.Status(fault.KindOf(wrong))
	}
	p := c.filePage(r, one)
	if !web.WantsRegion(r) {
		return c.site.Render(w, r, status, p, p.Live(askRegion(p, *box)))
	}
	return c.site.Answer(w, r, status, p, askRegion(p, *box), nil)
}

func askRegion(p *web.Page, b askBox) web.Region {
	return web.Region{ID: "ask", Class: "case-parts", Object: string(b.ID), Version: b.Version, Src: caseAddress(b.ID, "/questions"),
		Body: askBody(p, b)}
}

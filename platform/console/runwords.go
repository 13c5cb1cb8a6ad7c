package console

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// A wordsView is what was said in one step of a run.
type wordsView struct {
	run    agent.Run
	seq    int
	said   agent.Payload
	theirs bool // it is another person's, and was opened with a reason or not at all
	shown  bool
	alone  bool // a page of its own
	typed  string
	fault  error // why it was not shown
}

func (v wordsView) at() string { return runAddress(v.run.ID, "/steps/"+strconv.Itoa(v.seq)) }

// stepWords is what was said in one step: alone for a page that opens it in
// place, a page of its own otherwise. What another person said to an agent is
// asked for with a reason.
func (c *Console) stepWords(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readWords(r)
	if err != nil {
		return err
	}
	p := c.wordsPage(r, v)
	v.alone = !web.WantsRegion(r)
	return c.site.Region(w, r, p, v.region(p))
}

func (v wordsView) region(p *web.Page) web.Region {
	return web.Region{ID: "said-" + strconv.Itoa(v.seq), Object: v.run.ID, Src: v.at(), Body: wordsBody(p, v)}
}

func (c *Console) wordsPage(r *http.Request, v wordsView) *web.Page {
	p := c.runsPage(r)
	p.Title = p.T("run.step_title", "n", strconv.Itoa(v.seq), "agent", v.run.Agent)
	return p
}

// showWords opens what another person said for somebody who says why. That they
// were shown it is on record before they are.
func (c *Console) showWords(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.runReader(r)
	if err != nil {
		return err
	}
	v := wordsView{theirs: true, alone: true, typed: r.PostForm.Get("reason")}
	if v.seq, err = stepOf(r); err != nil {
		return err
	}
	if v.run, err = c.Runs.Get(r.Context(), actor.Org, r.PathValue("id")); err != nil {
		return err
	}
	v.said, v.fault = c.Runs.Disclose(r.Context(), actor, v.run.ID, v.seq, v.typed)
	v.shown = v.fault == nil
	status := http.StatusOK
	if v.fault != nil {
		if !mendable(v.fault) {
			return v.fault
		}
		status = web.Status(fault.KindOf(v.fault))
	}
	p := c.wordsPage(r, v)
	return c.site.Render(w, r, status, p, wordsBody(p, v))
}

// stepFile is the same whole, as a file.
func (c *Console) stepFile(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readWords(r)
	switch {
	case err != nil:
		return err
	case v.theirs:
		return fault.New(fault.Refused, "what somebody said to an agent is theirs").Because("words_theirs")
	}
	body, err := json.MarshalIndent(v.said, "", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="`+v.run.ID+"-"+strconv.Itoa(v.seq)+`.json"`)
	_, _ = w.Write(append(body, '\n')) // the visitor may have gone; there is nobody to tell
	return nil
}

// readWords reads a step's words. Those that are another person's are left out for
// whoever may ask for them with a reason, and refused to anybody else.
func (c *Console) readWords(r *http.Request) (v wordsView, err error) {
	actor, err := c.runReader(r)
	if err != nil {
		return v, err
	}
	if v.seq, err = stepOf(r); err != nil {
		return v, err
	}
	v.said, err = c.Runs.Payload(r.Context(), actor, r.PathValue("id"), v.seq)
	if why, _ := fault.ReasonOf(err); why.Code == agent.Theirs && c.Rules.May(actor, "run.others") == nil {
		v.theirs, err = true, nil
	}
	if err != nil {
		return v, err
	}
	v.shown = !v.theirs
	v.run, err = c.Runs.Get(r.Context(), actor.Org, r.PathValue("id"))
	return v, err
}

// stepOf is the number of the step in the address.
func stepOf(r *http.Request) (int, error) {
	seq, err := strconv.Atoi(r.PathValue("seq"))
	if err != nil || seq < 0 {
		return 0, fault.New(fault.NotFound, "a run has no step %.20q", r.PathValue("seq")).
			Because("nothing_called", "id", r.PathValue("seq"))
	}
	return seq, nil
}

// cutWords cuts a text to what a page shows, between letters.
func cutWords(text string) string {
	if len(text) <= shownWords {
		return text
	}
	return strings.ToValidUTF8(text[:shownWords], "")
}

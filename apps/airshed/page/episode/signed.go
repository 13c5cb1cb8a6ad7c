package episode

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A signed is the report that officers sign, as it was kept, and where they came from.
type signed struct {
	store.Report

	proposal string // what waits for their decision; empty where they came from elsewhere
}

var proposalForm = regexp.MustCompile(`^P-[1-9][0-9]{0,17}$`)

// Signed is the report that is put before officers, read from the very bytes that would be
// filed: with a card for every number, as the analyst's has, its map and curves, and a way
// back to the decision.
func (g *Pages) Signed(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	id, err := store.ReportID(r.PathValue("id"))
	if err != nil {
		return err
	}
	q, draft := r.URL.Query(), 0
	if text := q.Get("draft"); text != "" {
		if draft, err = strconv.Atoi(text); err != nil || draft < 1 {
			return fault.New(fault.Invalid, "draft %.20q: it is a number, 1 or more", text).Because("no_number", "value", text)
		}
	}
	v := readerView{signed: &signed{}}
	if from := q.Get("proposal"); proposalForm.MatchString(from) {
		v.signed.proposal = from
	}
	one, body, err := g.Store.ReportFile(r.Context(), actor, id, draft, "")
	if err != nil {
		return err
	}
	v.signed.Report = one
	p := g.Page(r)
	if v.episodeView, err = g.readAnswer(r, p, actor, one.Key, one.Answer); err != nil {
		return err
	}
	v.draft = report.Report{}
	if err := json.Unmarshal(body, &v.draft); err != nil {
		return fault.From(fault.Internal, err, "the report cannot be read")
	}
	if err := v.lay(p); err != nil {
		return err
	}
	v.pictures = g.draw(r.Context(), p, actor, v.episodeView)
	p.Title = p.T("air.signed_title", "id", id, "station", v.words.Station(v.Station))
	return g.Site.Render(w, r, http.StatusOK, p, readerScreen(p, v))
}

// Illustrated is the page of a report as it was kept, with its map and curves behind the text,
// for paper: who reads it there has no page to go to. Without them it is the page alone.
func (g *Pages) Illustrated(r *http.Request, actor identity.Actor, one store.Report, lang web.Lang, page []byte) ([]byte, error) {
	p := g.Page(r)
	p.Lang = lang
	v, err := g.readAnswer(r, p, actor, one.Key, one.Answer)
	if err != nil {
		return nil, err
	}
	v.pictures = g.draw(r.Context(), p, actor, v)
	at := bytes.LastIndex(page, []byte("</main>"))
	if v.lost != nil || at < 0 {
		return page, nil
	}
	var drawn bytes.Buffer
	if err := figures(p, v).Render(r.Context(), &drawn); err != nil {
		return nil, err
	}
	return slices.Concat(page[:at], drawn.Bytes(), page[at:]), nil
}

// file is where a form of the very draft is handed out.
func (s signed) file(form string) string {
	return web.Address(frame.HomeAt+"/reports/"+s.ReportID+"/file", "form", form, "draft", strconv.Itoa(s.N))
}

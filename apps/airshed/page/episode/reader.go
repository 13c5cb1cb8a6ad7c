package episode

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/web"
)

// A readerView is the draft of a report as it is read on a screen.
type readerView struct {
	episodeView
	parts []report.Section
	folds []report.Section // long ones, at the end
	cards []cardView

	signed *signed // the report that is put before officers; nil for what an analyst reads
}

// A cardView is where one number of the report comes from.
type cardView struct {
	report.Named
	id    string // of its element
	value string
	about []string // what it is about, in words: names and values
	place string   // the pointer into the analysis
}

// Report is the draft of a report on an episode, with a card for every number.
func (g *Pages) Report(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	p := g.Page(r)
	v := readerView{}
	if v.episodeView, err = g.readEpisode(r, p, actor); err != nil {
		return err
	}
	if err := v.lay(p); err != nil {
		return err
	}
	p.Title = p.T("air.report_title", "station", v.words.Station(v.Station), "time", p.Day(v.a.Surge.Time))
	return g.Site.Render(w, r, http.StatusOK, p, readerScreen(p, v))
}

// lay puts the report out: its parts, and a card for every number.
func (v *readerView) lay(p *web.Page) error {
	all, err := report.Sections(v.draft, report.Lang(p.Lang))
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Name == "certificate" || s.Name == "annex" {
			v.folds = append(v.folds, s)
		} else {
			v.parts = append(v.parts, s)
		}
	}
	for _, f := range v.draft.Facts {
		v.cards = append(v.cards, cardOf(p, v.draft, f))
	}
	return nil
}

func cardOf(p *web.Page, r report.Report, f report.Named) cardView {
	c := cardView{Named: f, id: report.CardID(f.ID), value: r.Value(f, report.Lang(p.Lang))}
	if f.Source != nil && f.Source.Selector.JSON != nil {
		c.place = f.Source.Selector.JSON.Pointer
	}
	for _, name := range slices.Sorted(maps.Keys(f.Subject.IDs)) {
		if name != "episode" && name != "measure" {
			c.about = append(c.about, p.Word("air.subject.", name)+": "+f.Subject.IDs[name])
		}
	}
	return c
}

// aboutWords are what a card is about.
func (c cardView) aboutWords() string { return strings.Join(c.about, " · ") }

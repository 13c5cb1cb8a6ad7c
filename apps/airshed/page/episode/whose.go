package episode

import (
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

// by is one of two texts, by the method of the answer.
func (v episodeView) by(demands, statements string) string {
	if v.a.Method() == analysis.Statements {
		return statements
	}
	return demands
}

// whoseWords say whose smoke it was, with the word first; and of nobody where nothing may
// be done about it.
func (v episodeView) whoseWords(p *web.Page) string {
	w := v.a.Whose
	switch {
	case v.a.Attribution.Names():
		return p.T("air.lead.named", "likely", v.words.Likely(w.Word), "p", frame.Figure(w.P, 2), "state", v.words.State(w.State))
	case len(w.Why) > 0:
		return p.T("air.lead.nothing")
	case w.Data.Grade == likelihood.Low:
		return p.T("air.lead.low", "p", frame.Figure(w.P, 2))
	}
	return p.T("air.lead.open", "p", frame.Figure(w.P, 2))
}

// matterWords say whether smoke mattered.
func (v episodeView) matterWords(p *web.Page) string {
	w := v.a.Whose
	if w.Smoke == likelihood.NotDetermined {
		return p.T("air.lead.matter_open")
	}
	return p.T("air.lead.matter", "likely", v.words.Likely(w.Smoke), "p", frame.Figure(w.Matter.M, 2),
		"least", frame.Figure(w.Matter.Least, 1))
}

// dataWords say how good the data are, and why they are no better.
func (v episodeView) dataWords(p *web.Page) string {
	d := v.a.Whose.Data
	lacks := d.Lacks
	if len(lacks) == 0 {
		lacks = d.Partial
	}
	if len(lacks) == 0 {
		return p.T("air.lead.data", "grade", v.words.Grade(d.Grade))
	}
	var why []string
	for _, l := range lacks {
		why = append(why, v.words.Lack(l))
	}
	return p.T("air.lead.data_why", "grade", v.words.Grade(d.Grade), "why", strings.Join(why, "; "))
}

// statements are the three as conditions of a complaint, and how each stands.
func statements(p *web.Page, a analysis.Analysis) []test {
	w := a.Whose
	whose := test{"whose", ui.Bad, p.T("air.test.whose_text", "p", frame.Figure(w.P, 2), "asked", frame.Figure(w.Asked, 2))}
	switch a.Attribution.Verdict {
	case analysis.Complaint:
		whose.tone = ui.Good
	case analysis.Inquiry:
		whose.tone = ui.Neutral
	}
	matter := test{"matter", ui.Neutral, p.T("air.test.not_known")}
	if w.Matter.Known {
		matter.tone = ui.Bad
		matter.text = p.T("air.test.matter_text", "p", frame.Figure(w.Matter.M, 2), "asked", frame.Figure(w.Asked, 2))
	}
	if w.Smoke != likelihood.NotDetermined {
		matter.tone = ui.Good
	}
	data := test{"data", ui.Good, p.T("air.test.data_text", "wind", frame.Figure(w.Data.Wind, 0), "cloud", frame.Figure(w.Data.Cloud, 0),
		"fires", frame.Figure(w.Data.Effective, 0))}
	if w.Data.Grade == likelihood.Low {
		data.tone = ui.Bad
	}
	return []test{whose, matter, data}
}

// each is what the single calculations say of the first states, by the second method.
func (v episodeView) each(states int) (out [][]float64) {
	if v.a.Whose == nil {
		return nil
	}
	for i := range states {
		var one []float64
		for _, m := range v.a.Whose.Members {
			if i < len(m.Shares) {
				one = append(one, m.Shares[i])
			}
		}
		out = append(out, one)
	}
	return out
}

// members is the table of the calculations, by the second method.
func (v episodeView) members(p *web.Page) []chart.Table {
	w := v.a.Whose
	if w == nil || len(w.Members) == 0 {
		return nil
	}
	var states []string
	for _, s := range w.States {
		states = append(states, v.words.State(s.State))
	}
	t := func(key string) string { return p.T("air.members." + key) }
	return []chart.Table{picture.Members(w.Members, states, t("table"), picture.MembersColumns{Member: t("c_member"), Turn: t("c_turn"),
		Speed: t("c_speed"), Before: t("c_before"), After: t("c_after")})}
}

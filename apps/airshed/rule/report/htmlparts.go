package report

import (
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

func (p *page) header() {
	r := p.r
	p.raw(`<header><p class="org">`, p.word(r.Organisation), `</p><p class="status `, string(r.Status), `">`,
		p.word(p.label("status."+string(r.Status))), "</p>\n")
	p.raw("<h1>", p.word(p.label("title")), "</h1>\n<dl>")
	for _, line := range [][2]string{
		{"id", r.ID}, {"made", p.moment(r.Time)}, {"to", p.label("commission")}, {"station", p.station(r.Station.Name) + " (" +
			string(r.Station.Site) + ")"},
		{"surge_time", p.moment(r.Surge.Time)}, {"data_of", p.moment(r.Analysis.At)}, {"episode", string(r.Episode.Key)},
	} {
		p.raw("<div><dt>", p.word(p.label(line[0])), "</dt><dd>", p.word(line[1]), "</dd></div>")
	}
	p.raw("</dl>\n")
	if r.Channel != Real {
		p.raw(`<p class="mock">`, p.word(p.label("mock")), "</p>\n")
	}
	p.raw("</header>\n")
}

func (p *page) summary() {
	p.heading("summary")
	p.paragraphs(p.texts.Summary)
	p.raw("<p>", p.text(p.texts.Band), "</p>\n")
	p.raw("<p>", p.word(p.label("completeness")), " ", p.number("score.completeness"), ". ", p.word(p.label("confidence")), " ",
		p.number("score.confidence"), ". ",
		p.word(p.label("scores_mean")), "</p>\n")
}

func (p *page) finding() {
	p.heading("finding")
	key, class := "verdict.unattributed", "open"
	switch p.r.Attribution.Verdict {
	case plume.Conclusive:
		key, class = "verdict.conclusive", "settled"
	case plume.Inconclusive:
		key = "verdict.inconclusive"
	case analysis.Complaint:
		key, class = "verdict.complaint", "settled"
	case analysis.Inquiry:
		key = "verdict.inquiry"
	case analysis.Undetermined:
		key = "verdict.undetermined"
	}
	p.raw(`<p class="verdict `, class, `">`, p.word(p.label(key)), "</p>\n")
	if len(p.texts.Reasons) == 0 {
		return
	}
	var rows [][]string
	for _, d := range p.texts.Reasons {
		rows = append(rows, []string{p.text(d.Text), p.text(d.Settle)})
	}
	reasons := "reasons"
	if p.r.Attribution.Whose != nil {
		reasons = "reasons.whose"
	}
	p.table(table{caption: p.word(p.label(reasons)), heads: p.heads("why", "settle"), rows: rows, class: "words"})
}

func (p *page) shares() {
	p.heading("shares")
	if len(p.r.Analysis.Attribution.States) == 0 {
		p.raw("<p>", p.word(p.label("shares.none")), "</p>\n")
		return
	}
	mean, heads, last := "shares.mean", p.heads("state", "median", "range", "bar", "first"), "first"
	if p.r.Attribution.Whose != nil {
		mean, heads, last = "shares.mean.whose", p.heads("state", "median", "range", "bar", "likely"), "p"
	}
	p.raw("<p>", p.word(p.label(mean)), "</p>\n")
	var rows [][]string
	for i, s := range head(p.r.Analysis.Attribution.States) {
		at := "share." + strconv.Itoa(i) + "."
		rows = append(rows, []string{p.word(p.state(s.State)), p.number(at + "median"), p.span(at), bar(s.Low, s.Median, s.High),
			p.number(at + last)})
	}
	p.table(table{caption: p.word(p.label("shares.caption")), heads: heads, rows: rows, class: "shares"})
	rows = nil
	for i, s := range head(p.r.Analysis.Attribution.Districts) {
		at := "district." + strconv.Itoa(i) + "."
		rows = append(rows, []string{p.word(plain(s.District)), p.word(p.state(s.State)), p.number(at + "median"), p.span(at),
			bar(s.Low, s.Median, s.High)})
	}
	p.table(table{caption: p.word(p.label("districts.caption")), heads: p.heads("district", "state", "median", "range", "bar"), rows: rows,
		class: "shares"})
}

// span is a range in words: from one fact to another.
func (p *page) span(at string) string {
	return p.number(at+"low") + " " + p.word(p.label("until")) + " " + p.number(at+"high")
}

func (p *page) surge() {
	p.heading("surge")
	a := p.r.Analysis
	category := p.words["category."+string(a.Surge.Category)]
	rows := [][]string{
		{p.word(p.label("aqi")), p.number("aqi") + " (" + p.word(category) + ")"},
		{"PM2.5", p.number("pm25")}, {"PM10", p.number("pm10")}, {p.word(p.label("peak")), p.number("peak")},
		{p.word(p.label("window")), p.number("window.hours") + " / " + p.number("window.of")},
	}
	if a.Method() == analysis.Demands {
		rows = append(rows, []string{p.word(p.label("calm")), p.number("calm.speed")})
	} else {
		rows = append(rows, []string{p.word(p.label("matter")), p.number("matter.m") + "; " + p.number("matter.least")},
			[]string{p.word(p.label("data")), p.number("data.wind_percent") + "; " + p.number("data.cloud_percent")})
	}
	if a.Control.Verdict != surge.Unjudged {
		rows = append(rows, []string{p.word(p.label("control")), p.number("control.difference") + ", " + p.number("control.hours") + " / " +
			p.number("control.of")})
	}
	if a.Attribution.Null.Method != "" {
		rows = append(rows, []string{p.word(p.label("null")), p.number("null.rank") + " / " + p.number("null.of")})
	}
	if len(a.Attribution.States) > 0 {
		agreed := "agreed"
		if a.Method() == analysis.Statements {
			agreed = "more_than_half"
		}
		rows = append(rows, []string{p.word(p.label(agreed)), p.number("agreed") + " / " + p.number("of_members")})
	}
	p.table(table{caption: p.word(p.label("surge.caption")), heads: p.heads("measure", "value"), rows: rows, class: "figures"})
	if a.Surge.Derived {
		p.raw("<p>", p.word(p.label("derived")), "</p>\n")
	}
	rows = nil
	for i, b := range head(a.Beside) {
		at := "other." + strconv.Itoa(i) + "."
		rows = append(rows, []string{p.word(b.Pollutant.String()), p.number(at + "mean"), p.number(at + "interior"),
			p.number(at + "difference"), p.number(at + "hours")})
	}
	p.table(table{caption: p.word(p.label("others.caption")), heads: p.heads("pollutant", "mean", "interior", "difference", "hours"),
		rows: rows, class: "figures", numbers: 1})
}

func (p *page) fires() {
	p.heading("fires")
	p.paragraphs(p.texts.LowerBound)
	var rows [][]string
	for i, s := range head(p.r.Analysis.Fires.Satellites) {
		at := "satellite." + strconv.Itoa(i) + "."
		rows = append(rows, []string{p.word(plain(string(s.Satellite))), p.number(at + "detections"), p.number(at + "day"),
			p.number(at + "night"), p.number(at + "high_confidence"), p.number(at + "power")})
	}
	p.table(table{caption: p.word(p.label("satellites.caption")), heads: p.heads("satellite", "detections", "day", "night", "high",
		"power"), rows: rows, class: "figures", numbers: 1})
	rows = nil
	for i, s := range head(p.r.Analysis.Fires.States) {
		at := "state." + strconv.Itoa(i) + "."
		rows = append(rows, []string{p.word(p.state(s.State)), p.number(at + "detections"), p.number(at + "power")})
	}
	p.table(table{caption: p.word(p.label("states.caption")), heads: p.heads("state", "detections", "power"), rows: rows, class: "figures",
		numbers: 1})
}

func (p *page) reasoning() {
	p.heading("reasoning")
	p.raw(`<ol class="chain">`)
	for _, t := range p.texts.Reasoning {
		p.raw("<li>", p.text(t), "</li>\n")
	}
	p.raw("</ol>\n")
}

func (p *page) others() {
	p.heading("alternatives")
	var items []string
	for _, t := range p.texts.Alternatives {
		items = append(items, p.text(t))
	}
	p.list("ul", items)
}

func (p *page) forecast() {
	p.heading("forecast")
	p.paragraphs(p.texts.Stubble)
}

func (p *page) missing() {
	p.heading("missing")
	if len(p.texts.Gaps) == 0 {
		p.raw("<p>", p.word(p.label("missing.none")), "</p>\n")
	}
	var rows [][]string
	for _, g := range p.texts.Gaps {
		rows = append(rows, []string{p.text(g.Text), p.text(g.Costs)})
	}
	p.table(table{caption: p.word(p.label("missing.caption")), heads: p.heads("gap", "cost"), rows: rows, class: "words"})
	if len(p.texts.Warnings) > 0 {
		p.raw("<h3>", p.word(p.label("warnings")), "</h3>\n")
		var items []string
		for _, t := range p.texts.Warnings {
			items = append(items, p.text(t))
		}
		p.list("ul", items)
	}
}

func (p *page) circle() {
	p.heading("legacy")
	p.raw("<p>", p.text(p.texts.Legacy), "</p>\n")
	var rows [][]string
	for i, s := range head(p.r.Legacy.States) {
		at := "legacy." + strconv.Itoa(i) + "."
		rows = append(rows, []string{p.word(p.state(s.State)), p.number(at + "fires"), p.number(at + "distance")})
	}
	p.table(table{caption: p.word(p.label("legacy.caption")), heads: p.heads("state", "detections", "distance"), rows: rows,
		class: "figures", numbers: 1})
}

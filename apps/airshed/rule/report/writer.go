package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// A writer writes the texts of one report in one language.
type writer struct {
	*speaker
	a   analysis.Analysis
	m   Meta
	law Law
}

// write says everything there is to say.
func (w *writer) write() (Texts, error) {
	t := Texts{
		Summary: w.summary(), Reasoning: w.reasoning(), Reasons: w.reasons(), LowerBound: w.lowerBound(), Alternatives: w.alternatives(),
		Band: w.band(), Stubble: w.stubble(), Legacy: w.legacy(), Gaps: w.gaps(), Warnings: w.warnings(),
		Request: w.request(), Recommendations: w.recommendations(), Notices: w.notices(),
	}
	return t, w.err
}

// about is what many texts have places for.
func (w *writer) about() with {
	return with{
		"station": w.station(w.a.Station.Name), "city": w.state(or(w.a.Station.City, here)), "time": w.moment(w.a.Surge.Time),
		"day": w.day(w.a.Surge.Time), "category": w.words["category."+string(w.a.Surge.Category)],
		"word": w.words["word."+string(w.a.Stubble.Word)],
	}
}

// share is about, and the state at a place of the list of shares.
func (w *writer) share(i int) with {
	in := w.about()
	in["state"], in["@"] = w.state(w.a.Attribution.States[i].State), "share."+strconv.Itoa(i)+"."
	return in
}

func (w *writer) summary() []string {
	out := []string{w.say("sum.surge", w.about())}
	switch {
	case w.a.Surge.PM25 != nil && w.a.Surge.Derived:
		out = append(out, w.say("sum.pm25.derived", nil))
	case w.a.Surge.PM25 != nil && w.a.Surge.Label != "":
		out = append(out, w.say("sum.pm25.given", nil))
	case w.a.Surge.PM25 != nil:
		out = append(out, w.say("sum.pm25", nil))
	}
	if !w.a.Fires.Available {
		out = append(out, w.say("sum.fires.missing", nil))
	}
	if w.a.Method() == analysis.Statements {
		out = append(out, w.whoseSummary()...)
	} else {
		out = append(out, w.finding("sum"))
	}
	if w.a.Attribution.Names() {
		out = append(out, w.say("sum.means"+w.method(), nil))
	}
	if !w.a.Stubble.Available {
		return append(out, w.say("sum.stubble.missing", nil))
	}
	return append(out, w.stubbleFor())
}

// stubbleFor is the forecast's figure with the day it is for.
func (w *writer) stubbleFor() string {
	in := w.about()
	in["day"] = w.date(w.a.Stubble.For)
	if in["day"] == "" {
		in["day"] = w.words["day.unknown"]
	}
	return w.say("sum.stubble", in)
}

// legacy is the first design's count, or that there is none.
func (w *writer) legacy() string {
	if !w.a.Fires.Available {
		return w.say("legacy.missing", nil)
	}
	return w.say("legacy.text", nil)
}

// finding is what was found, for the summary and for the end of the reasoning.
func (w *writer) finding(where string) string {
	if w.a.Method() == analysis.Statements {
		return w.whoseFound(where)
	}
	switch w.a.Attribution.Verdict {
	case plume.Conclusive:
		return w.say(where+".conclusive", w.share(0))
	case plume.Inconclusive:
		return w.say(where+".inconclusive", nil)
	}
	return w.say(where+".unattributed", nil)
}

// reasoning is IF, AND and THEN, each from facts. A forecast for the whole city is
// among the conditions and never decides which state it was.
func (w *writer) reasoning() []string {
	out := []string{w.say("if.surge", w.about())}
	out = append(out, w.say("and.control."+string(w.a.Control.Verdict), nil))
	if w.a.Fires.Available {
		out = append(out, w.say("and.fires", nil))
	} else {
		out = append(out, w.say("and.fires.missing", nil))
	}
	if w.a.Method() == analysis.Statements {
		out = append(out, w.whoseReasoning()...)
	} else {
		out = append(out, w.tests()...)
	}
	if w.a.Stubble.Available {
		out = append(out, w.say("and.stubble", w.about()))
	} else {
		out = append(out, w.say("and.stubble.missing", nil))
	}
	return append(out, w.finding("then"))
}

// tests are the conditions of the first method, after the surge and the fires.
func (w *writer) tests() (out []string) {
	at := w.a.Attribution
	if len(at.States) == 0 {
		out = append(out, w.say("and.wind.none", nil))
	} else {
		out = append(out, w.say("and.wind", w.share(0)), w.say("and.share", w.share(0)))
	}
	if len(at.States) > 1 {
		out = append(out, w.say("and.second", w.share(1)))
		if !slices.ContainsFunc(at.Reasons, func(r plume.Reason) bool { return r.Code == plume.Overlap }) {
			out = append(out, w.say("and.apart", nil))
		}
	}
	if at.Null.Method != "" {
		out = append(out, w.say("and.null."+string(at.Null.Method), nil))
	}
	if at.Calm.Known {
		out = append(out, w.say("and.calm", nil))
	}
	return out
}

func (w *writer) reasons() []Doubt {
	out := []Doubt{}
	for _, r := range w.a.Attribution.Reasons {
		key, in := "why."+string(r.Code), with(nil)
		if r.Code == plume.Overlap {
			if len(w.a.Attribution.States) > 1 {
				in = w.share(0)
				in["second"], in["#"] = w.state(w.a.Attribution.States[1].State), "share.1."
			} else {
				key += ".plain"
			}
		}
		if w.a.Method() == analysis.Statements {
			key, in = w.whoseReason(r.Code)
		}
		d := Doubt{Code: r.Code, Text: plain(r.Text)} // a reason this catalogue does not know yet
		if w.has(key) {
			d.Text, d.Settle = w.say(key, in), w.say("settle."+string(r.Code), nil)
		}
		out = append(out, d)
	}
	return out
}

func (w *writer) lowerBound() []string {
	if !w.a.Fires.Available {
		return []string{w.say("lower.missing", nil), w.say("lower.statement", nil)}
	}
	out := []string{w.say("lower.statement", nil)}
	if w.a.Fires.Coverage != nil {
		out = append(out, w.say("lower.coverage", nil))
	}
	if between := w.between(); between != "" {
		out = append(out, between)
	}
	return append(out, w.say("lower.heat", nil))
}

// industrial are the sites that stand among works.
func industrial(site string) bool {
	return slices.Contains([]string{"site_1426", "site_1560", "site_1561"}, site) // Narela, Bawana, Mundka
}

// alternatives is what else could explain the surge. It is said of every surge,
// the conclusive ones too.
func (w *writer) alternatives() []string {
	out := []string{w.say("alt.local", nil)}
	if industrial(string(w.a.Station.Site)) {
		out = append(out, w.say("alt.industrial", nil))
	}
	out = append(out, w.say("alt.calm", nil), w.say("alt.unseen", nil))
	switch {
	case !w.a.Fires.Available:
		out = append(out, w.say("alt.heat.none", nil))
	case w.masked():
		out = append(out, w.say("alt.heat", nil))
	default:
		out = append(out, w.say("alt.heat.unmasked", nil))
	}
	if together := w.together(); together != "" {
		out = append(out, together)
	}
	return append(out, w.say("alt.formed", nil))
}

// masked reports whether a list of static sources was used.
func (w *writer) masked() bool {
	return slices.ContainsFunc(w.a.Rules, func(r analysis.Rule) bool {
		return r.Name == analysis.StaticSources &&
			r.Version != analysis.NoRule
	})
}

// band says in which band the index lies, in the lawbook's words.
func (w *writer) band() string {
	stage := lawbook.Band(w.a.Surge.Index)
	if stage == 0 {
		return w.say("grap.below", nil)
	}
	return w.say("grap.band", with{"stage": stage.String()})
}

func (w *writer) stubble() []string {
	out := []string{}
	if !w.a.Stubble.Available {
		return append(out, w.say("sum.stubble.missing", nil))
	}
	out = append(out, w.stubbleFor())
	for i, n := range head(w.a.Stubble.Indicative) {
		if !w.a.Attribution.Conclusive {
			break // a city's figure times shares that settle nothing would look like a finding
		}
		out = append(out, w.say("stubble.indicative", with{"state": w.state(n.State), "@": "indicative." + strconv.Itoa(i) + ".",
			"word": w.words["word."+string(n.Word)]}))
	}
	return append(out, w.say("stubble.caveat", nil))
}

func (w *writer) gaps() []Missing {
	out := []Missing{}
	for _, g := range w.a.Gaps {
		m := Missing{Code: g.Code, Text: plain(g.Text), Costs: plain(g.Costs)} // a gap this catalogue does not know yet
		if w.has("gap." + string(g.Code)) {
			m.Text, m.Costs = w.say("gap."+string(g.Code), nil), w.say("cost."+string(g.Code), nil)
		}
		out = append(out, m)
	}
	return out
}

func (w *writer) warnings() []string {
	out := []string{}
	for _, warning := range w.a.Warnings {
		text := plain(warning.Text)
		if key := "warn." + string(warning.Code); w.has(key) {
			text = w.say(key, nil)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// missing is what should be obtained, in words.
func (w *writer) missing() string {
	var out []string
	add := func(is bool, key string) {
		if is {
			out = append(out, w.words["missing."+key])
		}
	}
	gap := func(codes ...analysis.GapCode) bool {
		return slices.ContainsFunc(w.a.Gaps, func(g analysis.Gap) bool { return slices.Contains(codes, g.Code) })
	}
	add(!w.a.Fires.Available || gap(analysis.FiresMissing, analysis.FiresStale), "fires")
	add(!w.a.Stubble.Available, "stubble")
	add(gap(analysis.WindMissing, analysis.WindLevels), "wind")
	add(w.a.Control.Verdict == surge.Unjudged, "control")
	add(gap(analysis.CloudUnknown), "cloud")
	add(gap(analysis.DistrictsUnknown), "districts")
	return strings.Join(out, "; ")
}

package report

import (
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/platform/fact"
)

// What the second method says in place of the first: whose smoke it was in a fixed word
// with its figure, whether smoke mattered, how good the data are. A state is named only
// where something may be done about it.

// likely is a word for a probability.
func (s *speaker) likely(w likelihood.Word) string { return s.words["likely."+string(w)] }

// whose is about, with the first state and the words of the three statements.
func (w *writer) whose() with {
	in := w.about()
	if len(w.a.Attribution.States) > 0 {
		in = w.share(0)
	}
	f := w.a.Whose
	in["likely"], in["smoke"], in["grade"] = w.likely(f.Word), w.likely(f.Smoke), w.words["grade."+string(f.Data.Grade)]
	return in
}

// method ends the keys of texts that the second method has of its own.
func (w *writer) method() string {
	if w.a.Method() == analysis.Statements {
		return ".whose"
	}
	return ""
}

// whoseSummary is the three statements.
func (w *writer) whoseSummary() []string {
	f := w.a.Whose
	if w.a.Attribution.Verdict == plume.Unattributed {
		return []string{w.say("sum.unattributed", nil)}
	}
	out := []string{w.whoseFound("sum")}
	if f.Smoke == likelihood.NotDetermined {
		out = append(out, w.say("sum.matter.open", nil))
	} else {
		out = append(out, w.say("sum.matter", w.whose()))
	}
	return append(out, w.graded("sum"))
}

// whoseFound is whose smoke it was, for the summary and for the end of the reasoning.
func (w *writer) whoseFound(where string) string {
	switch f := w.a.Whose; {
	case w.a.Attribution.Verdict == plume.Unattributed:
		return w.say(where+".unattributed", nil)
	case w.a.Attribution.Names():
		return w.say(where+"."+string(f.Act), w.whose())
	case f.Data.Grade == likelihood.Low:
		return w.say(where+".low", nil)
	}
	return w.say(where+".undetermined", nil)
}

// mostWhy is how many reasons stand in a sentence; the list of reasons has all of them.
const mostWhy = 2

// graded is how good the data are, and why they are no better.
func (w *writer) graded(where string) string {
	in, d := w.whose(), w.a.Whose.Data
	lacks := d.Lacks
	if len(lacks) == 0 {
		lacks = d.Partial
	}
	if len(lacks) == 0 {
		return w.say(where+".data", in)
	}
	var why []string
	for i, l := range lacks {
		if i == mostWhy {
			why = append(why, w.words["lack.more"])
			break
		}
		why = append(why, w.words["lack."+string(l)])
	}
	in["why"] = w.list(why)
	return w.say(where+".data.because", in)
}

// whoseReasoning is the conditions of the second method, after the surge and the fires.
func (w *writer) whoseReasoning() (out []string) {
	f, at := w.a.Whose, w.a.Attribution
	switch {
	case len(f.States) == 0:
		out = append(out, w.say("and.wind.none", nil))
	case len(at.States) == 0:
		out = append(out, w.say("and.one_state", nil))
	default:
		out = append(out, w.say("and.members", w.share(0)), w.say("and.share", w.share(0)))
	}
	if len(at.States) > 1 {
		out = append(out, w.say("and.second", w.share(1)))
	}
	if f.Matter.Known {
		out = append(out, w.say("and.matter", nil))
	} else {
		out = append(out, w.say("and.matter.unknown", nil))
	}
	return append(out, w.graded("and"))
}

// whoseReason is the words for a reason, by what is known of it.
func (w *writer) whoseReason(code plume.Code) (key string, in with) {
	key = "why." + string(code)
	switch code {
	case analysis.SurerMatter:
		if !w.a.Whose.Matter.Known {
			key += ".unknown"
		}
	case plume.WindShort:
		key += ".part"
	case plume.Code(likelihood.Doubtful):
		in = with{"flags": w.flags()}
	}
	return key, in
}

// flags are what speaks against the readings, in words.
func (w *writer) flags() string {
	var out []string
	for _, f := range w.a.Whose.Data.Flags {
		out = append(out, w.words["flag."+string(f)])
	}
	return strings.Join(out, "; ")
}

// between is what satellites that watch saw between the passes, and what may not be made
// of it; nothing where none watched.
func (w *writer) between() string {
	if w.a.Whose == nil || w.a.Whose.Between == nil || w.a.Whose.Between.Looks == 0 {
		return ""
	}
	b := w.a.Whose.Between
	var by, where []string
	for _, name := range b.Satellites {
		by = append(by, plain(string(name)))
	}
	in := with{"satellites": w.list(by), "last": w.moment(b.Last)}
	if b.InTime == 0 {
		return w.say("lower.between.none", in)
	}
	for _, s := range head(b.States) {
		where = append(where, w.state(s.State))
	}
	in["states"] = w.list(where)
	return w.say("lower.between", in)
}

// together is which pollutants went with PM2.5 through the week, and which did not; nothing
// where that is known of none.
func (w *writer) together() string {
	if w.a.Whose == nil {
		return ""
	}
	var went, apart []string
	for _, c := range w.a.Whose.Together {
		switch {
		case c.Rank == nil:
		case c.Went:
			went = append(went, c.Pollutant.String())
		default:
			apart = append(apart, c.Pollutant.String())
		}
	}
	in := with{"went": w.list(went), "apart": w.list(apart)}
	switch {
	case len(went) > 0 && len(apart) > 0:
		return w.say("alt.together", in)
	case len(went) > 0:
		return w.say("alt.together.all", in)
	case len(apart) > 0:
		return w.say("alt.together.none", in)
	}
	return ""
}

// whoseFacts are the numbers of the three statements.
func (l *specList) whose(w *analysis.Whose) {
	if w == nil {
		return
	}
	for i, s := range head(w.States) {
		l.add(name("share", i, "p"), at("/whose/states", i, "p"), "", 2, "state", known(s.State))
	}
	l.add("asked", "/whose/asked", "", 2)
	if w.Matter.Known {
		l.add("matter.m", "/whose/matter/m", "", 2)
		l.add("matter.least", "/whose/matter/least", micrograms, 1, "pollutant", "PM2.5")
		l.add("matter.days", "/whose/matter/days", days, 0)
	}
	for _, n := range []struct {
		name, unit string
		decimals   int
	}{{"wind_percent", fact.Percent, 1}, {"cloud_percent", fact.Percent, 1}, {"still_percent", fact.Percent, 1}, {"effective_fires", "", 1},
		{"days", days, 0}, {"afternoons", days, 0}} {
		l.add("data."+n.name, "/whose/data/"+n.name, n.unit, n.decimals)
	}
	if b := w.Between; b != nil {
		l.add("between.in_time", "/whose/between/in_time", "", 0)
	}
}

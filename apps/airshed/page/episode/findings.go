package episode

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

// A test is one of the conditions that a conclusive answer meets, or a complaint.
type test struct {
	name string // the end of a message key
	tone ui.Tone
	text string
}

// testsOf are the conditions and how each stands. They only show what the analysis
// says: a condition fails where it gives a reason of that code.
func testsOf(p *web.Page, a analysis.Analysis) []test {
	at := a.Attribution
	if a.Method() == analysis.Statements {
		return statements(p, a)
	}
	if len(at.States) == 0 {
		return nil
	}
	has := func(codes ...plume.Code) bool {
		return slices.ContainsFunc(at.Reasons, func(r plume.Reason) bool { return slices.Contains(codes, r.Code) })
	}
	tone := func(fails, unknown bool) ui.Tone {
		switch {
		case unknown:
			return ui.Neutral
		case fails:
			return ui.Bad
		}
		return ui.Good
	}
	n := strconv.Itoa
	calm, control, null := p.T("air.test.not_known"), p.T("air.test.not_known"), p.T("air.test.not_known")
	if at.Calm.Known {
		calm = p.T("air.test.calm_text", "speed", frame.Figure(at.Calm.Speed, 2), "hours", n(at.Calm.Hours),
			"below", frame.Figure(at.Calm.Below, 1))
	}
	if a.Control.Verdict != surge.Unjudged {
		control = p.T("air.test.control_text", "difference", frame.Signed(a.Control.Difference, 1),
			"unit", frame.UnitWords(p, a.Control.Unit), "hours", n(a.Control.Hours), "of", n(a.Control.Of))
	}
	if at.Null.Method != "" {
		null = p.T("air.test.null_text", "rank", n(at.Null.Rank), "of", n(at.Null.Of), "needed", n(at.Null.Needed))
	}
	return []test{
		{"agree", tone(has(plume.Disagree), false), p.T("air.test.agree_text", "agreed", n(at.Agreed), "of", n(at.Of),
			"needed", n(at.Needed))},
		{"apart", tone(has(plume.Overlap), false), p.T("air.test.apart_text")},
		{"null", tone(has(plume.NotSpecial), has(plume.NoNull)), null},
		{"calm", tone(has(plume.Stagnation), has(plume.CalmUnknown)), calm},
		{"control", tone(has(plume.Local), has(plume.NoControl)), control},
		{"whole", tone(has(plume.WindShort, plume.TracksCut, plume.FiresUnknown, plume.NoState), false), p.T("air.test.whole_text")},
	}
}

// testIcon is the outline that tells how a condition stands.
func testIcon(t ui.Tone) string {
	return map[ui.Tone]string{ui.Good: "check", ui.Bad: "slash", ui.Neutral: "unknown"}[t]
}

// testWord is the same in a word.
func testWord(p *web.Page, t ui.Tone) string {
	return p.T("air.test_is." + map[ui.Tone]string{ui.Good: "met", ui.Bad: "failed", ui.Neutral: "open"}[t])
}

// A watch is one satellite in the hours the air was on its way.
type watch struct {
	fire.Count
	note string // the end of the message key of its footnote; empty: it has rows
	day  string // that the footnote names
}

// watches are all satellites that are known, those without rows too: a satellite that
// is missing must not look like fewer fires.
func watches(p *web.Page, a analysis.Analysis, known fire.Constellation) []watch {
	looked := lookedAt(a)
	var out []watch
	for _, s := range known.Sensors {
		w := watch{Count: fire.Count{Satellite: s.Satellite}}
		if i := slices.IndexFunc(a.Fires.Satellites, func(c fire.Count) bool { return c.Satellite == s.Satellite }); i >= 0 {
			w.Count = a.Fires.Satellites[i]
			out = append(out, w)
			continue
		}
		switch day := fire.IndianDay(a.Fires.To); {
		case slices.Contains(looked, s.Satellite):
			w.note = "quiet"
		case s.Until != "" && day > s.Until:
			w.note, w.day = "ended", dayWords(p, s.Until)
		case !s.Serves(day):
			w.note = "unborn"
		default:
			w.note = "unasked"
		}
		out = append(out, w)
	}
	return out
}

// dayWords is a day such as 2026-11-01 as people write it.
func dayWords(p *web.Page, day string) string {
	t, err := time.ParseInLocation(time.DateOnly, day, p.Org.Zone)
	if err != nil {
		return day
	}
	return p.Day(t)
}

// footnotes are the notes that the satellites have, each once, in their order.
func footnotes(all []watch) (out []watch) {
	for _, w := range all {
		if w.note != "" && !slices.ContainsFunc(out, func(o watch) bool { return o.note == w.note && o.day == w.day }) {
			out = append(out, w)
		}
	}
	return out
}

// noteSign is the sign of a footnote: *, **, …
func noteSign(all []watch, w watch) string {
	i := slices.IndexFunc(footnotes(all), func(o watch) bool { return o.note == w.note && o.day == w.day })
	return strings.Repeat("*", i+1)
}

// besides are the pollutants of the consistency row, PM2.5 first.
func besides(a analysis.Analysis) []analysis.Beside {
	var out []analysis.Beside
	for _, want := range []aqi.Pollutant{aqi.PM25, aqi.PM10, aqi.NO2, aqi.SO2, aqi.CO} {
		for _, b := range a.Beside {
			if b.Pollutant == want {
				out = append(out, b)
			}
		}
	}
	return out
}

// amount is a value of a pollutant, or that it is not known.
func amount(p *web.Page, b analysis.Beside, v *float64, with func(float64, int) string) string {
	if v == nil {
		return p.T("air.unknown")
	}
	decimals := 1
	if b.Pollutant == aqi.CO {
		decimals = 2
	}
	return with(*v, decimals)
}

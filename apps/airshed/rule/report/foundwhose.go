package report

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/platform/finding"
)

// What an officer reads first of a report by the second method: how likely it is, of
// whom, and how good the data are.

// Judged is the words of the three statements.
type Judged struct {
	Likely likelihood.Word  `json:"likely"` // that most of the smoke was the first state's
	Smoke  likelihood.Word  `json:"smoke"`  // that smoke raised PM2.5
	Data   likelihood.Grade `json:"data"`
}

// judged are the words of an analysis; nil where the first method made it.
func judged(w *analysis.Whose) *Judged {
	if w == nil {
		return nil
	}
	return &Judged{Likely: w.Word, Smoke: w.Smoke, Data: w.Data.Grade}
}

// inWords is a word of the catalogue in both languages.
func inWords(key string) finding.Words {
	word := func(lang Lang) string {
		all, _ := catalogue(lang) // it is in the program
		return all[key]
	}
	return finding.Words{En: word(English), Hi: word(Hindi)}
}

// shown is a fact as each language shows it.
func (r Report) shown(name string) finding.Words {
	f, _ := r.fact(name)
	return finding.Words{En: r.Value(f, English), Hi: r.Value(f, Hindi)}
}

// capital is a word at the beginning of a sentence.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// stated is a result that names a state: to complain of, or to ask.
func (r Report) stated() finding.Finding {
	w, first := r.Attribution.Whose, r.Attribution.Shares[0].State
	likely, grade, p, asked := inWords("likely."+string(w.Likely)), inWords("grade."+string(w.Data)), r.shown("share.0.p"), r.shown("asked")
	low, median, high := r.shown("share.0.low"), r.shown("share.0.median"), r.shown("share.0.high")
	state, inquiry := r.state(first), r.Attribution.Verdict == analysis.Inquiry
	f := finding.Finding{
		Brief: finding.Words{En: fmt.Sprintf("%s %s (%s); data: %s", likely.En, first, p.En, grade.En),
			Hi: fmt.Sprintf("%s: %s (%s); आँकड़े: %s", likely.Hi, state, p.Hi, grade.Hi)},
		Says: finding.Words{En: fmt.Sprintf("It is %s (%s) that most of the smoke at %s (AQI %d) came from %s.", likely.En, p.En,
			r.Surge.Station, r.Surge.AQI, first),
			Hi: fmt.Sprintf("यह %s (%s) है कि %s (AQI %d) का अधिकतर धुआँ %s से आया।", likely.Hi, p.Hi, r.station(), r.Surge.AQI, state)},
		Value: finding.Measured(finding.Words{En: median.En + " (" + low.En + " to " + high.En + ")",
			Hi: median.Hi + " (" + low.Hi + " से " + high.Hi + ")"}),
		Limit: finding.Measured(finding.Words{En: asked.En + " is asked for a complaint",
			Hi: "शिकायत के लिए " + asked.Hi + " अपेक्षित"}),
		Sure: finding.Measured(finding.Words{En: fmt.Sprintf("%s (%s); data: %s", capital(likely.En), p.En, grade.En),
			Hi: fmt.Sprintf("%s (%s); आँकड़े: %s", likely.Hi, p.Hi, grade.Hi)}),
		Change: finding.Words{En: "New data that make it less likely, or poorer data.",
			Hi: "नए आँकड़े जिनसे संभावना घटे, या कमज़ोर आँकड़े।"},
		Plain: finding.Words{En: fmt.Sprintf("A report on %s: %s %s (%s).", r.Surge.Station, likely.En, first, p.En),
			Hi: fmt.Sprintf("%s की रिपोर्ट: %s %s (%s)।", r.station(), likely.Hi, state, p.Hi)},
	}
	if inquiry {
		f.Limit = finding.Measured(finding.Words{En: "Enough to ask; " + asked.En + " is asked for a complaint",
			Hi: "पूछने के लिए पर्याप्त; शिकायत के लिए " + asked.Hi + " अपेक्षित"})
		f.Change = r.settles()
	}
	if w.Smoke != likelihood.NotDetermined {
		smoke := inWords("likely." + string(w.Smoke))
		f.For = append(f.For, finding.Say("That smoke raised PM2.5 is "+smoke.En+".",
			"धुएँ से PM2.5 का बढ़ना "+smoke.Hi+" है।"))
	}
	return f
}

// undetermined is a result that names nobody.
func (r Report) undetermined() finding.Finding {
	grade := inWords("grade." + string(r.Attribution.Whose.Data))
	return finding.Finding{
		Brief: finding.Words{En: fmt.Sprintf("not determined: no state is named; data: %s; AQI %d", grade.En, r.Surge.AQI),
			Hi: fmt.Sprintf("तय नहीं: कोई राज्य नामित नहीं; आँकड़े: %s; AQI %d", grade.Hi, r.Surge.AQI)},
		Says: finding.Words{En: fmt.Sprintf("Whose smoke it was at %s (AQI %d) is not determined by these data.", r.Surge.Station,
			r.Surge.AQI),
			Hi: fmt.Sprintf("%s (AQI %d) में धुआँ किसका था, यह इन आँकड़ों से तय नहीं होता।", r.station(), r.Surge.AQI)},
		Value: r.agreement(finding.Words{En: "In %s of %s calculations one state brought more than half",
			Hi: "%[2]s में से %[1]s गणनाओं में एक राज्य से आधे से अधिक"}, "agreed"),
		Limit: r.agreement(finding.Words{En: "%s of %s are asked for a complaint, on data that are not low",
			Hi: "शिकायत के लिए %[2]s में से %[1]s अपेक्षित, और आँकड़े निम्न न हों"}, "needed"),
		Sure: finding.Measured(finding.Words{En: "Not determined; data: " + grade.En,
			Hi: "तय नहीं; आँकड़े: " + grade.Hi}),
		Change: r.settles(),
		Plain: finding.Words{En: "A report on " + r.Surge.Station + " does not determine whose smoke it was.",
			Hi: r.station() + " की रिपोर्ट में तय नहीं कि धुआँ किसका था।"},
	}
}

package report

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/platform/finding"
)

// What an officer reads first who is to file a report, or to send a notice of it: the
// report's own verdict and numbers, in a sentence.

// mostSaid is how many points stand on each side: the report has all of them.
const mostSaid = 5

// Found is the finding of a report. Link is the path of the episode's page. A result that
// is not conclusive names no state, here as in the report.
func (r Report) Found(link string) finding.Finding {
	f := r.verdict()
	f.Facts = r.cited(f.Says.En, "aqi", "share.0.median", "share.0.p")
	f.Subject = finding.Subject{Kind: "station", Name: finding.Short(r.Surge.Station), Of: r.ID, Link: link}
	f.For = append([]finding.Point{r.point("aqi", "The 24-hour AQI at the station was %s.",
		"स्टेशन का 24 घंटे का AQI %s था।")}, f.For...)
	f.Against = append(f.Against, r.spoken(len(r.Texts.English.Reasons), func(t Texts, i int) string { return t.Reasons[i].Text })...)
	if r.Attribution.Names() {
		f.Against = append(f.Against, r.spoken(len(r.Texts.English.Alternatives),
			func(t Texts, i int) string { return t.Alternatives[i] })...)
	}
	f.Unknown = append(f.Unknown, finding.Say("Fires that burnt between satellite passes.",
		"दो उपग्रह फेरों के बीच जली आग।"))
	f.Unknown = append(f.Unknown, r.spoken(len(r.Texts.English.Gaps), func(t Texts, i int) string { return t.Gaps[i].Text })...)
	for _, side := range []*[]finding.Point{&f.For, &f.Against, &f.Unknown} {
		*side = (*side)[:min(len(*side), mostSaid)]
	}
	return f
}

// verdict is what the report found, by how far it settles it.
func (r Report) verdict() finding.Finding {
	switch r.Attribution.Verdict {
	case plume.Conclusive:
		return r.settled()
	case plume.Inconclusive:
		return r.unsettled()
	case analysis.Complaint, analysis.Inquiry:
		return r.stated()
	case analysis.Undetermined:
		return r.undetermined()
	}
	none := finding.NotApplicable(finding.Words{En: "There is nothing to make shares of.",
		Hi: "हिस्से बनाने के लिए कुछ नहीं है।"})
	return finding.Finding{
		Brief: finding.Words{En: fmt.Sprintf("no attribution; AQI %d", r.Surge.AQI),
			Hi: fmt.Sprintf("किसी राज्य से नहीं जोड़ा गया; AQI %d", r.Surge.AQI)},
		Says: finding.Words{En: fmt.Sprintf("The surge at %s (AQI %d) is attributed to no state: there is nothing to make shares of.",
			r.Surge.Station, r.Surge.AQI),
			Hi: fmt.Sprintf("%s में उछाल (AQI %d) किसी राज्य से नहीं जोड़ा गया: हिस्से बनाने के लिए कुछ नहीं है।", r.station(),
				r.Surge.AQI)},
		Value: none, Limit: none, Sure: finding.Measured(finding.Words{En: "No attribution",
			Hi: "किसी राज्य से नहीं जोड़ा गया"}),
		Change: r.settles(), Plain: finding.Words{En: "A report on " + r.Surge.Station + " attributes the surge to no state.",
			Hi: r.station() + " की रिपोर्ट उछाल को किसी राज्य से नहीं जोड़ती।"},
	}
}

// settled is a conclusive result: the state, its share and its range.
func (r Report) settled() finding.Finding {
	var first Share
	var span Range
	if len(r.Attribution.Shares) > 0 {
		first = r.Attribution.Shares[0]
	}
	for _, g := range r.Attribution.Ranges {
		if g.State == first.State {
			span = g
		}
	}
	share, low, high := percent(first.Percent), percent(span.Low), percent(span.High)
	state := r.state(first.State)
	f := finding.Finding{
		Brief: finding.Words{En: fmt.Sprintf("conclusive: %s, %s of the fires' influence", first.State, share),
			Hi: fmt.Sprintf("निर्णायक: %s, आग के प्रभाव का %s", state, share)},
		Says: finding.Words{En: fmt.Sprintf("The surge at %s (AQI %d) points to %s: %s of the influence of the fires seen upwind.",
			r.Surge.Station, r.Surge.AQI, first.State, share),
			Hi: fmt.Sprintf("%s में उछाल (AQI %d) का संकेत %s की ओर है: हवा की दिशा में दिखी आग के प्रभाव का %s।", r.station(), r.Surge.AQI,
				state, share)},
		Value: finding.Measured(finding.Words{En: share + " (" + low + " to " + high + ")",
			Hi: share + " (" + low + " से " + high + ")"}),
		Limit: r.agreement(finding.Words{En: "%s of %s calculations must agree",
			Hi: "%[2]s में से %[1]s गणनाएँ एकमत हों"}, "needed"),
		Sure: r.agreement(finding.Words{En: "Conclusive: %s of %s calculations agree",
			Hi: "निर्णायक: %[2]s में से %[1]s गणनाएँ एकमत"}, "agreed"),
		Change: finding.Words{En: "New data in which the calculations no longer agree.",
			Hi: "नए आँकड़े जिनमें गणनाएँ एकमत न रहें।"},
		Plain: finding.Words{En: "A report on " + r.Surge.Station + " is conclusive: " + first.State + ", " + share + ".",
			Hi: r.station() + " की रिपोर्ट निर्णायक है: " + state + ", " + share + "।"},
	}
	if r.has("null.rank") {
		f.For = append(f.For, finding.Say("It is unlikely by chance.",
			"संयोग से ऐसा होने की संभावना कम है।"))
	}
	if len(r.Attribution.Shares) > 1 {
		f.For = append(f.For, finding.Say("The lead over second place is clear.",
			"दूसरे स्थान से अंतर स्पष्ट है।"))
	}
	return f
}

// unsettled is a result that names nobody.
func (r Report) unsettled() finding.Finding {
	return finding.Finding{
		Brief: finding.Words{En: fmt.Sprintf("inconclusive: no state is named; AQI %d", r.Surge.AQI),
			Hi: fmt.Sprintf("अनिर्णायक: कोई राज्य नामित नहीं; AQI %d", r.Surge.AQI)},
		Says: finding.Words{En: fmt.Sprintf("The data on the surge at %s (AQI %d) do not settle which state the smoke came from.",
			r.Surge.Station, r.Surge.AQI),
			Hi: fmt.Sprintf("%s में उछाल (AQI %d) के आँकड़े यह तय नहीं करते कि धुआँ किस राज्य से आया।", r.station(), r.Surge.AQI)},
		Value: r.agreement(finding.Words{En: "%s of %s calculations agree",
			Hi: "%[2]s में से %[1]s गणनाएँ एकमत"}, "agreed"),
		Limit: r.agreement(finding.Words{En: "%s of %s must agree, and all other tests pass",
			Hi: "%[2]s में से %[1]s एकमत हों, और बाकी परीक्षण भी पूरे हों"}, "needed"),
		Sure:   finding.Measured(finding.Words{En: "Inconclusive", Hi: "अनिर्णायक"}),
		Change: r.settles(),
		Plain: finding.Words{En: "A report on " + r.Surge.Station + " is inconclusive.",
			Hi: r.station() + " की रिपोर्ट अनिर्णायक है।"},
	}
}

// FoundFor is the finding of a notice to a state that the report names.
func (r Report) FoundFor(state, office, link string) finding.Finding {
	name, office := r.state(state), finding.Short(office)
	f := finding.Finding{
		Subject: finding.Subject{Kind: "state", Name: finding.Short(state), Of: r.ID, Link: link},
		Brief: finding.Words{En: "notice of the filed report to " + office,
			Hi: "दाखिल रिपोर्ट की सूचना: " + office},
		Says: finding.Words{En: "The filed report " + r.ID + " names " + state + "; this notice tells " + office + ".",
			Hi: "दाखिल रिपोर्ट " + r.ID + " में " + name + " नामित है; यह सूचना " + office + " को जाती है।"},
		Value: finding.NotApplicable(finding.Words{En: "The report gives no share for this state.",
			Hi: "रिपोर्ट में इस राज्य का हिस्सा नहीं दिया गया।"}),
		Limit: finding.NotApplicable(finding.Words{En: "A letter has no limit.",
			Hi: "पत्र की कोई सीमा नहीं होती।"}),
		Sure: r.verdict().Sure,
		For: []finding.Point{finding.Say("The report was filed with the commission.",
			"रिपोर्ट आयोग में दाखिल हो चुकी है।")},
		Unknown: []finding.Point{finding.Say("Whether the office reads this mailbox.",
			"क्या कार्यालय यह मेलबॉक्स पढ़ता है।")},
		Change: finding.Words{En: "Another office or address for this state.",
			Hi: "इस राज्य का दूसरा कार्यालय या पता।"},
		Plain: finding.Words{En: "A notice to " + state + " about report " + r.ID + " waits.",
			Hi: "रिपोर्ट " + r.ID + " की " + name + " को सूचना रुकी है।"},
	}
	for _, s := range r.Attribution.Shares {
		if s.State == state && r.Attribution.Names() {
			f.Value = finding.Measured(finding.Words{En: percent(s.Percent) + " of the fires' influence",
				Hi: "आग के प्रभाव का " + percent(s.Percent)})
			f.Brief = finding.Words{En: percent(s.Percent) + " by the filed report; notice to " + office,
				Hi: "दाखिल रिपोर्ट में " + percent(s.Percent) + "; सूचना: " + office}
		}
	}
	return f
}

// settles is what would settle a result that is not conclusive, in the report's words.
func (r Report) settles() finding.Words {
	if all := r.spoken(len(r.Texts.English.Reasons), func(t Texts, i int) string { return t.Reasons[i].Settle }); len(all) > 0 {
		return all[0].Text
	}
	return finding.Words{En: "More data on these hours.", Hi: "इन घंटों के और आँकड़े।"}
}

// spoken are texts of the report in both languages, as people read them. One that cites
// what the report has not is left out.
func (r Report) spoken(n int, of func(Texts, int) string) (all []finding.Point) {
	for i := range min(n, mostSaid) {
		en, hi := r.Show(of(r.Texts.English, i), English), r.Show(of(r.Texts.Hindi, i), Hindi)
		if en != "" && hi != "" {
			all = append(all, finding.Say(finding.Line(en), finding.Line(hi)))
		}
	}
	return all
}

// fact is a fact of the report by its name.
func (r Report) fact(name string) (Named, bool) {
	for _, f := range r.Facts {
		if f.Name == name {
			return f, true
		}
	}
	return Named{}, false
}

func (r Report) has(name string) bool {
	_, ok := r.fact(name)
	return ok
}

// point is a sentence with one fact in it.
func (r Report) point(name, en, hi string) finding.Point {
	f, ok := r.fact(name)
	if !ok {
		return finding.Say(fmt.Sprintf(en, fmt.Sprint(r.Surge.AQI)), fmt.Sprintf(hi, fmt.Sprint(r.Surge.AQI)))
	}
	return finding.Point{Text: finding.Words{En: fmt.Sprintf(en, r.Value(f, English)),
		Hi: fmt.Sprintf(hi, r.Value(f, Hindi))}, Ref: string(f.ID)}
}

// agreement is two counts in a sentence; not applicable where nobody counted.
func (r Report) agreement(w finding.Words, one string) finding.Measure {
	a, ok := r.fact(one)
	b, also := r.fact("of_members")
	if !ok || !also {
		return finding.NotApplicable(finding.Words{En: "No calculations were compared.",
			Hi: "गणनाओं की तुलना नहीं हुई।"})
	}
	return finding.Measured(finding.Words{En: fmt.Sprintf(w.En, r.Value(a, English), r.Value(b, English)),
		Hi: fmt.Sprintf(w.Hi, r.Value(a, Hindi), r.Value(b, Hindi))})
}

// cited are the facts of a sentence, where they stand in it as the report prints them.
func (r Report) cited(sentence string, names ...string) (all []finding.Cited) {
	for _, name := range names {
		if f, ok := r.fact(name); ok && strings.Contains(sentence, r.Value(f, English)) {
			all = append(all, finding.Cited{Text: r.Value(f, English), Fact: string(f.ID)})
		}
	}
	return all
}

func percent(n float64) string { return fmt.Sprintf("%.1f %%", n) }

// state and station are what they are called in Hindi.
func (r Report) state(name string) string { return inHindi(name) }

func (r Report) station() string { return inHindi(r.Surge.Station) }

func inHindi(name string) string {
	if hi, ok := hindiNames()[name]; ok {
		return hi
	}
	return finding.Short(name)
}

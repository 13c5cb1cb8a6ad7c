// Package brief is for what a programme manager reads first: who it is about, what the
// audit found, the number beside its limit, how sure that is, and what speaks for it and
// against it. What it says of a rider comes from the evidence about that rider; how the
// others of the van do is none of it.
//
// Read Cancel, Answer and Settle, one for each thing that people decide; kinds.go has the
// sentence of each kind of finding.
package brief

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/finding"
)

// A Rider is somebody a card is about, as the records have them.
type Rider struct {
	ID       fleet.EmployeeID
	Name     string // empty where the records have none: the id stands for it
	Van      fleet.VanpoolID
	Link     string          // the path of a page about them
	Findings []check.Finding // what does not pass
	Verdicts []check.Verdict // of the audit that found it
	Mail     lifecycle.MailState
	Asked    bool        // they were written to about it
	Replies  []time.Time // when they answered, in the programme's zone
	Unit     fleet.Unit  // in which distances are told
}

// A Van is a case that needs a person: those of its riders it still turns on.
type Van struct {
	ID       fleet.VanpoolID
	Link     string
	Riders   []Rider
	Findings []check.Finding // about the van itself
	Verdicts []check.Verdict
	Why      lifecycle.Why // what brought it before a person
	Again    string        // what became of the question before this one; empty for the first
}

// name is what people call a rider.
func (r Rider) name() string {
	if r.Name == "" {
		return string(r.ID)
	}
	return finding.Short(r.Name)
}

// full is a rider by name and id.
func (r Rider) full() string {
	if r.Name == "" {
		return string(r.ID)
	}
	return fmt.Sprintf("%s (%s)", r.name(), r.ID)
}

func (r Rider) subject() finding.Subject {
	return finding.Subject{Kind: finding.Person, Name: r.name(), Of: string(r.Van), Link: r.Link}
}

// sorted are findings, the surest first.
func sorted(all []check.Finding) []check.Finding {
	return slices.SortedStableFunc(slices.Values(all), func(a, b check.Finding) int { return cmp.Compare(b.Confidence, a.Confidence) })
}

// about is what is found about a rider: the surest finding, with what else there is.
func about(r Rider) finding.Finding {
	all := sorted(r.Findings)
	if len(all) == 0 {
		all = []check.Finding{{Employee: r.ID}} // the case moved on, and nothing fails any more
	}
	first := matter{who: r.full(), van: string(r.Van), unit: r.Unit, found: all[0], verdicts: r.Verdicts}
	f := tell(first).of(r.subject(), all[0].Confidence)
	for _, other := range all[1:] {
		also := tell(matter{who: r.full(), van: string(r.Van), unit: r.Unit, found: other, verdicts: r.Verdicts})
		f.For = append(f.For, finding.Point{Text: finding.Words{En: "Also: " + also.brief.En + ".", Hi: "साथ ही: " + also.brief.Hi + "।"}})
	}
	f.Personal = true
	f.Against = append(f.Against, fits(r.ID, r.Unit, r.Verdicts)...)
	r.heard(&f)
	return trim(f)
}

// heard says what the rider was asked and what they answered.
func (r Rider) heard(f *finding.Finding) {
	switch {
	case len(r.Replies) > 0:
		last := day(r.Replies[len(r.Replies)-1])
		f.Against = append([]finding.Point{finding.Say("They replied on "+last+". Read the reply on the case.",
			"उन्होंने "+last+" को जवाब दिया। मामले में जवाब पढ़ें।")}, f.Against...)
	case r.Mail == lifecycle.Bounced:
		f.Unknown = append(f.Unknown, finding.Say("Whether they know: the letter did not arrive.",
			"उन्हें पता है या नहीं: पत्र नहीं पहुँचा।"))
	case r.Asked && (r.Mail == lifecycle.Accepted || r.Mail == lifecycle.Kept):
		f.For = append(f.For, finding.Say("They were asked by letter and have not answered.", "पत्र से पूछा गया; अब तक जवाब नहीं आया।"))
	case !r.Asked:
		f.Unknown = append(f.Unknown, finding.Say("Their side: nobody has written to them yet.", "उनका पक्ष: अब तक उन्हें लिखा नहीं गया।"))
	}
}

// mostPoints is how many stand on each side: more are not read before a decision.
const mostPoints = 8

// mostBrief bounds the line of a list, in characters.
const mostBrief = 160

func trim(f finding.Finding) finding.Finding {
	f.Brief = finding.Words{En: clip(f.Brief.En, mostBrief), Hi: clip(f.Brief.Hi, mostBrief)}
	for _, side := range []*[]finding.Point{&f.For, &f.Against, &f.Unknown} {
		*side = (*side)[:min(len(*side), mostPoints)]
	}
	return f
}

func day(t time.Time) string { return t.Format("02-01-2006") }

// Cancel is what is read before a membership is ended.
func Cancel(r Rider) finding.Finding { return about(r) }

// Answer is what is read before an answer goes to a rider.
func Answer(r Rider) finding.Finding {
	f := about(r)
	f.Brief = finding.Words{En: "answer to their reply; " + f.Brief.En, Hi: "उनके जवाब का उत्तर; " + f.Brief.Hi}
	f.Says = finding.Words{En: f.Says.En + " They replied; this answer goes out in your name.",
		Hi: f.Says.Hi + " उन्होंने जवाब दिया; यह उत्तर आपके नाम से जाएगा।"}
	f = f.Unmeasured(finding.Words{En: "A letter has no limit.", Hi: "पत्र की कोई सीमा नहीं होती।"})
	f.Unknown = append(f.Unknown, finding.Say("Whether this answers what they ask.", "इससे उनके प्रश्न का उत्तर मिलता है या नहीं।"))
	f.Change = finding.Words{En: "Another reply from the rider.", Hi: "यात्री का नया जवाब।"}
	f.Plain = finding.Words{En: "An answer to a rider of " + string(r.Van) + " waits for approval.",
		Hi: string(r.Van) + " के एक यात्री को उत्तर मंज़ूरी की राह देख रहा है।"}
	return trim(f)
}

// Settle is what is read before somebody says what becomes of a case.
func Settle(v Van) finding.Finding {
	f := v.lead()
	why := whys()[v.Why]
	if why.point.Text.En != "" {
		side := map[string]*[]finding.Point{"for": &f.For, "against": &f.Against, "unknown": &f.Unknown}[why.side]
		*side = append([]finding.Point{why.point}, *side...)
	}
	if since, asked := sinceAsked()[v.Again]; asked { // the same card twice says what happened in between
		f.Brief = finding.Words{En: f.Brief.En + " (" + since.En + ")", Hi: f.Brief.Hi + " (" + since.Hi + ")"}
	}
	return trim(f)
}

// lead is what a case is about: its only rider, else the van.
func (v Van) lead() finding.Finding {
	switch {
	case len(v.Riders) == 1:
		return about(v.Riders[0])
	case len(v.Riders) > 1:
		return v.several()
	}
	all := sorted(v.Findings)
	if len(all) == 0 {
		all = []check.Finding{{}}
	}
	m := matter{who: string(v.ID), van: string(v.ID), found: all[0], verdicts: v.Verdicts}
	return tell(m).of(v.subject(), all[0].Confidence)
}

func (v Van) subject() finding.Subject {
	return finding.Subject{Kind: "van", Name: string(v.ID), Link: v.Link}
}

// several is a case about more than one rider: the surest finding leads, and everybody
// is named with their own.
func (v Van) several() finding.Finding {
	riders := slices.SortedStableFunc(slices.Values(v.Riders), func(a, b Rider) int { return cmp.Compare(surest(b), surest(a)) })
	first := about(riders[0])
	f := first
	n := len(riders)
	f.Subject = v.subject()
	f.Brief = finding.Words{En: fmt.Sprintf("%d riders; first %s, %s", n, riders[0].name(), first.Brief.En),
		Hi: fmt.Sprintf("%d यात्री; पहले %s, %s", n, riders[0].name(), first.Brief.Hi)}
	f.Plain = finding.Words{En: fmt.Sprintf("%d riders of %s do not pass.", n, v.ID),
		Hi: fmt.Sprintf("%s के %d यात्री जाँच में ठीक नहीं निकले।", v.ID, n)}
	f.For = nil
	for _, r := range riders {
		one := about(r)
		f.For = append(f.For, finding.Point{Text: finding.Words{En: r.name() + ": " + one.Brief.En + ".",
			Hi: r.name() + ": " + one.Brief.Hi + "।"}})
	}
	return trim(f)
}

func surest(r Rider) (most check.Confidence) {
	for _, f := range r.Findings {
		most = max(most, f.Confidence)
	}
	return most
}

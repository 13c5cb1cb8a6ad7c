package alert

import (
	"fmt"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/finding"
)

// Finding is what an officer reads first: the district, its score and band beside the limit, how sure that is, what raises it,
// what speaks against it, and what nobody knows.
func (c Crossing) Finding() finding.Finding {
	r := c.Found.Day()
	en, hi := reason.Band(reason.English, c.Band), reason.Band(reason.Hindi, c.Band)
	name := finding.Short(c.District)
	from, fromHi := reason.Band(reason.English, c.From), reason.Band(reason.Hindi, c.From)
	f := finding.Finding{
		Subject: finding.Subject{Kind: "district", Name: name, Of: finding.Short(c.State), Link: c.Link},
		Brief: finding.Words{En: fmt.Sprintf("score %.2f, now in %s", r.Score.Value, en),
			Hi: fmt.Sprintf("अंक %.2f, अब श्रेणी %s", r.Score.Value, hi)},
		Says: finding.Words{
			En: fmt.Sprintf("%s crossed from %s into %s: its score of 24 hours is %.2f of 100.", name, from, en,
				r.Score.Value),
			Hi: fmt.Sprintf("%s की श्रेणी %s से बढ़कर %s हुई: 24 घंटों का अंक 100 में से %.2f है।", name, fromHi, hi,
				r.Score.Value)},
		Value: finding.Measured(finding.Words{En: fmt.Sprintf("%.2f of 100", r.Score.Value),
			Hi: fmt.Sprintf("100 में से %.2f", r.Score.Value)}),
		Limit: finding.Measured(c.limitWords()),
		Sure:  finding.Measured(c.sure()),
		Change: finding.Words{
			En: "New signals, or a correction of a wrong one. " + c.falls(reason.English) + c.due(reason.English),
			Hi: "नए संकेत, या किसी ग़लत संकेत का सुधार। " + c.falls(reason.Hindi) + c.due(reason.Hindi)},
		Plain: finding.Words{En: fmt.Sprintf("A district crossed into %s and waits for an officer.", en) + c.due(reason.English),
			Hi: fmt.Sprintf("एक ज़िला श्रेणी %s में पहुँचा है और अधिकारी की प्रतीक्षा में है।", hi) + c.due(reason.Hindi)},
	}
	c.movers(&f)
	c.trend(&f)
	c.unknown(&f)
	return f
}

func (c Crossing) limitWords() finding.Words {
	at, byLayer, layer := c.limit()
	en, hi := reason.Band(reason.English, c.Band), reason.Band(reason.Hindi, c.Band)
	if byLayer {
		return finding.Words{
			En: fmt.Sprintf("One layer from %g of 10 is %s by itself; the %s layer is %.2f.", at, en, reason.Layer(reason.English, layer),
				c.Found.Day().Layer(layer).Score),
			Hi: fmt.Sprintf("कोई एक परत 10 में से %g पर पहुँचे तो श्रेणी %s होती है; %s परत %.2f है।", at, hi,
				reason.Layer(reason.Hindi, layer),
				c.Found.Day().Layer(layer).Score)}
	}
	return finding.Words{En: fmt.Sprintf("%g, where %s begins", at, en), Hi: fmt.Sprintf("%g, जहाँ से श्रेणी %s शुरू होती है", at, hi)}
}

// sure is how much was heard: the score is computed, and as good as that.
func (c Crossing) sure() finding.Words {
	h := c.Found.Heard
	share, known := h.Coverage()
	if !known {
		return finding.Words{
			En: fmt.Sprintf("Computed from %d signals of %d sources. What is usual here is not known yet.", c.Found.Day().Signals, h.Sources),
			Hi: fmt.Sprintf("%d संकेतों और %d स्रोतों से गणना। यहाँ सामान्य क्या है, यह अभी ज्ञात नहीं।", c.Found.Day().Signals, h.Sources)}
	}
	return finding.Words{
		En: fmt.Sprintf("Computed from %d signals of %d sources, %.0f%% of the usual. It is an index, and no forecast.", c.Found.Day().Signals,
			h.Sources, 100*share),
		Hi: fmt.Sprintf("%d संकेतों और %d स्रोतों से गणना, सामान्य का %.0f%%। यह सूचकांक है, पूर्वानुमान नहीं।", c.Found.Day().Signals,
			h.Sources, 100*share)}
}

// movers are the signals that move the score most, by their sign.
func (c Crossing) movers(f *finding.Finding) {
	for i, x := range c.Found.Day().Top {
		told := reason.Tidy(c.Found.Told[x.ID])
		en, hi := told, told
		if told == "" {
			en, hi = "A signal without a summary", "बिना विवरण का एक संकेत"
		}
		layerEn, layerHi := reason.Layer(reason.English, x.Layer), reason.Layer(reason.Hindi, x.Layer)
		without := ""
		withoutHi := ""
		if i < len(c.Found.Without) && c.Found.Without[i].Known {
			without = fmt.Sprintf(" Without it: %.2f.", c.Found.Without[i].Value)
			withoutHi = fmt.Sprintf(" इसके बिना: %.2f।", c.Found.Without[i].Value)
		}
		switch {
		case x.Points > 0:
			f.For = append(f.For, finding.Say(fmt.Sprintf("“%s” adds %.2f to the %s layer.%s", en, x.Points, layerEn, without),
				fmt.Sprintf("“%s” से %s परत में %.2f अंक जुड़े।%s", hi, layerHi, x.Points, withoutHi)))
		case x.Points < 0 || x.Relief < 0:
			f.Against = append(f.Against, finding.Say(fmt.Sprintf("“%s” takes %.2f off the %s layer.", en, -x.Points-x.Relief, layerEn),
				fmt.Sprintf("“%s” से %s परत %.2f घटी।", hi, layerHi, -x.Points-x.Relief)))
		}
	}
}

// trend speaks for the crossing, or against it.
func (c Crossing) trend(f *finding.Finding) {
	r := c.Found.Day()
	switch r.Trend {
	case score.Rising:
		f.For = append(f.For, finding.Say("The last day was worse than the two before it.",
			"पिछला दिन उससे पहले के दो दिनों से अधिक गंभीर रहा।"))
	case score.Falling:
		f.Against = append(f.Against, finding.Say("The last day was milder than the two before it.",
			"पिछला दिन उससे पहले के दो दिनों से हल्का रहा।"))
	}
	left := int64(0)
	for _, l := range signal.Layers() {
		left += r.Layer(l).Excluded
	}
	if left > 0 {
		f.Against = append(f.Against, finding.Say(fmt.Sprintf("Police action is left out: %d signals.", left),
			fmt.Sprintf("पुलिस कार्रवाई के %d संकेत गिने नहीं गए।", left)))
	}
}

// unknown is what nobody knows: above all, what silence hides.
func (c Crossing) unknown(f *finding.Finding) {
	if c.Found.Silent {
		f.Unknown = append(f.Unknown, finding.Say("Sources are silent: fewer are heard than usual. Silence does not mean that all is calm.",
			"स्रोत चुप हैं: सामान्य से कम सूचनाएँ मिल रही हैं। चुप्पी का अर्थ शांति नहीं है।"))
	}
	if c.Found.Together {
		f.Unknown = append(f.Unknown, finding.Say("Most districts of the state fell silent together, as in an internet shutdown.",
			"राज्य के अधिकतर ज़िले एक साथ चुप हुए, जैसा इंटरनेट बंद होने पर होता है।"))
	}
	if c.Found.ShutAt != nil {
		order := orderOf(c.Found.Shutdown)
		f.Unknown = append(f.Unknown, finding.Say("The internet is shut down here by order"+order+". What happens may not be reported.",
			"यहाँ आदेश से इंटरनेट बंद है"+order+"। जो हो रहा है, उसकी सूचना शायद न मिले।"))
	}
	if c.Found.Day().Trend == score.Insufficient {
		f.Unknown = append(f.Unknown, finding.Say("Too little was heard to say where it is going.",
			"रुझान बताने के लिए सूचनाएँ बहुत कम हैं।"))
	}
	f.Unknown = append(f.Unknown, finding.Say("How often such a crossing was followed by violence: see the validation.",
		"ऐसी बढ़त के बाद हिंसा कितनी बार हुई: सत्यापन देखें।"))
}

// due is within which time an officer decides.
func (c Crossing) due(lang reason.Lang) string {
	switch h := c.Found.DueHours; {
	case h == 0:
		return ""
	case lang == reason.Hindi:
		return fmt.Sprintf(" निर्णय %d घंटे के भीतर देना है।", h)
	case h == 1:
		return " Decide within an hour."
	default:
		return fmt.Sprintf(" Decide within %d hours.", h)
	}
}

func orderOf(order string) string {
	if order == "" {
		return ""
	}
	return " (" + finding.Brief(order) + ")"
}

// falls is when it leaves its band by itself.
func (c Crossing) falls(lang reason.Lang) string {
	if c.Found.FallsAt == nil {
		return map[reason.Lang]string{reason.English: "By itself it stays in its band for 7 days.",
			reason.Hindi: "अपने आप यह 7 दिनों तक इसी श्रेणी में रहेगा।"}[lang]
	}
	at := c.Found.FallsAt.In(signal.India())
	band := reason.Band(lang, c.Found.FallsTo)
	if lang == reason.Hindi {
		return fmt.Sprintf("कुछ नया न मिले तो %s को %s बजे (IST) तक श्रेणी %s होगी।", at.Format("02-01-2006"), at.Format("15:04"), band)
	}
	return fmt.Sprintf("If nothing new is heard it is in %s from %s IST.", band, at.Format("2 January 2006, 15:04"))
}

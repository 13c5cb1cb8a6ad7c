package act

import (
	"github.com/gavelhq/gavel/platform/finding"
)

// Unsettled is what people read first who are asked whether an act happened.
func Unsettled(a Act) finding.Finding {
	about := finding.Subject{Kind: "act", Name: a.Tool, Link: "/cases/" + a.Case}
	if a.Proposal != "" {
		about.Name, about.Of = a.Proposal, a.Tool
	}
	return UnsettledOf(about)
}

// UnsettledOf is the same of something that was sent and has a name of its own.
func UnsettledOf(about finding.Subject) finding.Finding {
	none := finding.NotApplicable(finding.Words{En: "Nothing is measured; either it happened or not.",
		Hi: "कुछ मापा नहीं जाता; या तो यह हुआ, या नहीं।"})
	return finding.Finding{
		Subject: about,
		Brief:   finding.Words{En: "not known whether it was done", Hi: "हुआ या नहीं, पता नहीं"},
		Says: finding.Words{En: "The connection broke while this was sent; nobody here knows whether it arrived.",
			Hi: "भेजते समय संपर्क टूट गया; यहाँ कोई नहीं जानता कि यह पहुँचा या नहीं।"},
		Value: none, Limit: none,
		Sure:    finding.Measured(finding.Words{En: "Not known", Hi: "पता नहीं"}),
		For:     []finding.Point{finding.Say("It was begun, so it may have arrived.", "काम शुरू हुआ था, इसलिए पहुँचा हो सकता है।")},
		Against: []finding.Point{finding.Say("No receipt came back.", "कोई पावती नहीं आई।")},
		Unknown: []finding.Point{finding.Say("Whether the other side has it.", "दूसरे पक्ष को मिला या नहीं।")},
		Change:  finding.Words{En: "Word from the other side.", Hi: "दूसरे पक्ष का जवाब।"},
		Plain:   finding.Words{En: "It is not known whether something we sent arrived.", Hi: "हमारा भेजा कुछ पहुँचा या नहीं, यह पता नहीं।"},
	}
}

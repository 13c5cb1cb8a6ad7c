// Package findingtest is for tests that need a finding and are not about its words.
package findingtest

import "github.com/gavelhq/gavel/platform/finding"

// About is a finding that is complete, about something of a name.
func About(name string) finding.Finding {
	return finding.Finding{
		Subject: finding.Subject{Kind: "matter", Name: name},
		Brief:   finding.Words{En: "4 of 3 allowed", Hi: "3 की सीमा में 4"},
		Says:    finding.Words{En: "There are 4; the limit is 3.", Hi: "4 हैं; सीमा 3 है।"},
		Value:   finding.Measured(finding.Same("4")), Limit: finding.Measured(finding.Same("3")),
		Sure:    finding.Measured(finding.Words{En: "Counted twice", Hi: "दो बार गिना गया"}),
		For:     []finding.Point{finding.Say("The list has four rows.", "सूची में चार पंक्तियाँ हैं।")},
		Against: []finding.Point{finding.Say("One row may be a double.", "एक पंक्ति दोहराई हुई हो सकती है।")},
		Unknown: []finding.Point{finding.Say("Who made the list.", "सूची किसने बनाई।")},
		Change:  finding.Words{En: "A list of three rows.", Hi: "तीन पंक्तियों की सूची।"},
		Plain:   finding.Words{En: "A list is over its limit.", Hi: "एक सूची सीमा से ऊपर है।"},
	}
}

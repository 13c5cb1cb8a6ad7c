package casework

import (
	"cmp"
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/finding"
)

// briefs are the reasons for questions, as the inbox lists them.
var briefs = map[replay.Reason]finding.Words{
	replay.OutTwice:       {En: "left twice on one pass", Hi: "एक ही पास पर दो बार बाहर गए"},
	replay.OutAfterBack:   {En: "left again after coming back", Hi: "लौटने के बाद फिर बाहर गए"},
	replay.BackTwice:      {En: "came back twice on one pass", Hi: "एक ही पास पर दो बार लौटे"},
	replay.BackWithoutOut: {En: "came back, and no exit is known", Hi: "लौटे, पर बाहर जाने का अभिलेख नहीं है"},
	replay.NotApproved:    {En: "was let through before the pass was approved", Hi: "पास स्वीकृत होने से पहले जाने दिया गया"},
	replay.Revoked:        {En: "was let through on a pass that was taken back", Hi: "वापस लिए गए पास पर जाने दिया गया"},
	replay.NotInTime:      {En: "left outside the pass's hours", Hi: "पास के समय के बाहर निकले"},
	replay.NotReturnable:  {En: "came back on a one-way pass", Hi: "केवल जाने वाले पास पर लौटे"},
	replay.WrongSite:      {En: "was let through at another site", Hi: "दूसरे परिसर से जाने दिया गया"},
	replay.WrongItems:     {En: "came back with items that do not match", Hi: "सामान पास से मेल नहीं खाता"},
	replay.Unreadable:     {En: "a record from a gate cannot be read", Hi: "गेट का एक अभिलेख पढ़ा नहीं जा सकता"},
	replay.UnknownDevice:  {En: "a record from a device nobody knows", Hi: "अनजान उपकरण से एक अभिलेख"},
	replay.DeviceRevoked:  {En: "a record from a device that was removed", Hi: "हटाए गए उपकरण से एक अभिलेख"},
	replay.Forged:         {En: "a record with a false signature", Hi: "नकली हस्ताक्षर वाला एक अभिलेख"},
	replay.ClockAhead:     {En: "a record dated in the future", Hi: "आगे की तारीख का एक अभिलेख"},
	replay.IDReused:       {En: "two records have one name", Hi: "दो अभिलेख का एक ही नाम है"},
	replay.SeqReused:      {En: "two records have one number", Hi: "दो अभिलेख का एक ही क्रमांक है"},
	replay.ChainBroken:    {En: "a record does not follow the one before", Hi: "अभिलेख पिछले से नहीं जुड़ता"},
	replay.UnknownPass:    {En: "a record about a pass nobody knows", Hi: "अनजान पास का एक अभिलेख"},
}

// found is what an administrator reads first about an event: whom it is about, what a gate did and when, what counts instead, and what
// nobody knows.
func (in *inflow) found(ctx context.Context, c replay.Clash, e replay.Known) (finding.Finding, error) {
	k, ours := in.passes[e.Pass]
	setup, err := store.SetupIn(ctx, in.tx, in.org)
	if err != nil {
		return finding.Finding{}, err
	}
	site, known := setup.Site(cmp.Or(e.Site, k.SiteID))
	if !known {
		site, _ = setup.Site("")
	}
	at, err := in.told(ctx, e, site.Location())
	if err != nil {
		return finding.Finding{}, err
	}
	f := finding.Finding{
		Subject: finding.Subject{Kind: "event", Name: finding.Short(cmp.Or(string(e.Pass), e.Device, "A gate"))},
		Brief:   briefs[c.Reason], Says: at,
		Value: finding.Measured(at),
		Limit: finding.Measured(finding.Words{En: "one exit and one return for each pass", Hi: "हर पास पर एक निकास और एक वापसी"}),
		Sure: finding.Measured(finding.Words{En: "by the gate's signed record and its clock",
			Hi: "गेट के हस्ताक्षरित अभिलेख और उसकी घड़ी के अनुसार"}),
		Change:  finding.Words{En: "The photos, or a word from the guard.", Hi: "फ़ोटो, या गार्ड का बयान।"},
		Plain:   finding.Words{En: "A gate's record does not fit.", Hi: "गेट का एक अभिलेख मेल नहीं खाता।"},
		Unknown: []finding.Point{finding.Say("Nobody knows yet who held the code.", "कोड किसके हाथ में था, यह अभी पता नहीं।")},
	}
	if ours {
		f.Subject = finding.Subject{Kind: finding.Person, Name: finding.Short(k.PersonName), Of: string(k.Number)}
		f.Personal = true
	}
	if other, found := in.event(c.With); found {
		instead, err := in.told(ctx, other, site.Location())
		if err != nil {
			return f, err
		}
		f.Against = []finding.Point{finding.Say("This one counts: "+instead.En, "यह मान्य है: "+instead.Hi)}
	}
	return f, nil
}

// told is one event in a line: out or in, where, when, and whose shift it was.
func (in *inflow) told(ctx context.Context, e replay.Known, zone *time.Location) (finding.Words, error) {
	if e.At.IsZero() {
		return finding.Words{En: "The record names no pass and no moment.", Hi: "अभिलेख में न पास है, न समय।"}, nil
	}
	by, err := in.guard(ctx, e.Guard)
	if err != nil {
		return finding.Words{}, err
	}
	gate := finding.Brief(e.Device)
	if g, known, err := store.GateIn(ctx, in.tx, e.Device); err != nil {
		return finding.Words{}, err
	} else if known {
		gate = cmp.Or(g.Name, g.Site)
	}
	who, moment := finding.Brief(by.Name), when(e.At, zone)
	if e.Kind == pass.ScanReturn {
		return finding.Words{En: "Let in at " + cmp.Or(gate, "a gate") + " on " + moment + " by " + who + ".",
			Hi: cmp.Or(gate, "गेट") + " पर " + moment + " को " + who + " ने अंदर आने दिया।"}, nil
	}
	return finding.Words{En: "Let out at " + cmp.Or(gate, "a gate") + " on " + moment + " by " + who + ".",
		Hi: cmp.Or(gate, "गेट") + " पर " + moment + " को " + who + " ने बाहर जाने दिया।"}, nil
}

package casework

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/finding"
)

// mostNamed is how many items, and how many rows of the watchlist, stand in a finding.
const mostNamed = 3

// findingOf is what an administrator reads first about a pass: who wants to leave and why, how long, whom the watchlist
// has, and what nobody has looked at.
func findingOf(k store.Kept, seen watchlist.Finding, site store.Site) finding.Finding {
	zone := site.Location()
	span := finding.Words{
		En: "from " + when(k.ValidFrom, zone) + " until " + when(k.ValidUntil, zone),
		Hi: when(k.ValidFrom, zone) + " से " + when(k.ValidUntil, zone) + " तक",
	}
	back := finding.Words{En: "and does not come back", Hi: "और वापस नहीं आना है"}
	if k.IsReturnable {
		back = finding.Words{En: "and is to be back by " + when(k.DueBack(), zone), Hi: "और " + when(k.DueBack(), zone) + " तक वापस आना है"}
	}
	f := finding.Finding{
		Subject: finding.Subject{Kind: finding.Person, Name: finding.Short(k.PersonName), Of: string(k.Number)},
		Brief: finding.Words{En: "wants to leave: " + finding.Brief(k.Description), Hi: "बाहर जाना चाहते हैं: " +
			finding.Brief(k.Description)},
		Says: finding.Words{En: fmt.Sprintf("Asks to leave %s %s.", finding.Brief(site.Name), back.En),
			Hi: fmt.Sprintf("%s से बाहर जाने का अनुरोध, %s।", finding.Brief(site.Name), back.Hi)},
		Value: finding.Measured(span),
		Limit: finding.Measured(finding.Words{En: "one exit, within that time", Hi: "एक निकास, इसी समय के भीतर"}),
		Sure:  sureOf(seen),
		Change: finding.Words{En: "Another end of the pass, or a word from whoever asked for it.",
			Hi: "पास का दूसरा समय, या अनुरोध करने वाले की बात।"},
		Plain: finding.Words{En: "A gate pass waits for approval.", Hi: "एक गेट पास स्वीकृति की प्रतीक्षा में है।"},
		Unknown: []finding.Point{finding.Say("Nobody has checked who the person is: the gate does, with a photo.",
			"व्यक्ति की पहचान अभी किसी ने नहीं जाँची: गेट पर फ़ोटो के साथ होगी।")},
		Personal: true,
	}
	f.For = append(f.For, finding.Say("Asked for by "+finding.Brief(k.CreatedBy.Name)+".", "अनुरोध: "+finding.Brief(k.CreatedBy.Name)+"।"))
	if len(k.Items) > 0 {
		names := itemNames(k)
		f.For = append(f.For, finding.Say("Takes along: "+names, "साथ ले जाएँगे: "+names))
	}
	for i, h := range seen.Hits {
		if i == mostNamed {
			break
		}
		name := finding.Brief(h.Name)
		f.Against = append(f.Against, finding.Say(fmt.Sprintf("The watchlist has %s, alike by %.2f (%s).", name, h.Score, h.How),
			fmt.Sprintf("निगरानी सूची में %s, समानता %.2f (%s)।", name, h.Score, h.How)))
	}
	return f
}

// sureOf is how sure it is that nobody need look at the person first.
func sureOf(seen watchlist.Finding) finding.Measure {
	if len(seen.Hits) == 0 {
		return finding.Measured(finding.Words{En: "no name on the watchlist is like it", Hi: "निगरानी सूची में ऐसा कोई नाम नहीं"})
	}
	return finding.Measured(finding.Words{En: fmt.Sprintf("alike by %.2f to a name on the watchlist", seen.Hits[0].Score),
		Hi: fmt.Sprintf("निगरानी सूची के एक नाम से समानता %.2f", seen.Hits[0].Score)})
}

func itemNames(k store.Kept) string {
	var names []string
	for i, it := range k.Items {
		if i == mostNamed {
			names = append(names, "…")
			break
		}
		names = append(names, it.Quantity.String()+" "+it.Name)
	}
	return finding.Line(strings.Join(names, "; "))
}

func when(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 Jan 2006 15:04") }

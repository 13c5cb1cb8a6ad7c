package amend

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/setting"
)

// mostTold is how many changes and effects stand in a finding; all of them are in the difference.
const mostTold = 3

// found is what people read first who decide on a change: what differs, and what would follow.
func found[T any](k setting.Kind, in args[T]) finding.Finding {
	n := len(in.Changes)
	told := make([]string, 0, mostTold+1)
	for i, c := range in.Changes {
		if i == mostTold {
			told = append(told, "…")
			break
		}
		told = append(told, finding.Brief(c.Where+": "+turn(c.Was, c.Now)))
	}
	what := finding.Line(strings.Join(told, "; "))
	if n == 0 {
		what = "="
	}
	f := finding.Finding{
		Subject: finding.Subject{Kind: "setting", Name: finding.Short(k.Title), Of: k.App, Link: "/settings/" + k.App + "/" + k.Name},
		Brief: finding.Words{En: fmt.Sprintf("%d changed in version %d", n, in.Version), Hi: fmt.Sprintf("संस्करण %d में %d बदलाव",
			in.Version, n)},
		Says:  finding.Words{En: "The setting would change: " + what, Hi: "सेटिंग बदल जाएगी: " + what},
		Value: finding.Measured(finding.Same(what)),
		Limit: finding.NotApplicable(finding.Words{En: "A setting has no limit of its own.", Hi: "सेटिंग की अपनी कोई सीमा नहीं होती।"}),
		Sure: finding.NotApplicable(finding.Words{En: "The difference is computed from what is in force.",
			Hi: "अंतर की गणना लागू सेटिंग से हुई है।"}),
		Change: finding.Words{En: "Another change to this setting, decided first.", Hi: "इस सेटिंग में कोई और बदलाव, जो पहले तय हो जाए।"},
		Plain:  finding.Words{En: "A change to a setting waits for a decision.", Hi: "एक सेटिंग का बदलाव निर्णय की प्रतीक्षा में है।"},
	}
	for _, e := range in.Effects[:min(len(in.Effects), mostTold)] {
		line := finding.Line(e.Name + ": " + turn(e.Was, e.Now))
		f.For = append(f.For, finding.Say(line, "प्रभाव — "+line))
	}
	if !k.Previews() {
		f.Unknown = append(f.Unknown, finding.Say("What would follow is not computed for this setting.",
			"इस सेटिंग के प्रभाव की गणना नहीं होती।"))
	}
	return f
}

// turn is a change in one line.
func turn(was, now string) string { return finding.Brief(was) + " → " + finding.Brief(now) }

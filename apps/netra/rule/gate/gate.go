// Package gate is the door of NE-NETRA: it looks at each report before anything of it is kept. A report that holds personal data
// is stopped, and only the kinds are told; one that says nothing that can be weighed is refused, with a reason; the others
// become signals.
//
// Read Gate.Pass.
package gate

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pii"
)

// A Gate is the door at a moment.
type Gate struct {
	Book     gazette.Book
	Received time.Time
	Kept     time.Duration // how long signals are kept: an older one would not be
}

// most is how many bytes of a text that is no summary are taken.
const most = 200

// Pass makes a signal of a report. Kinds are the personal data it holds; nothing else is said of it then, and nothing may be kept. Why
// is the reason for which it is refused; it quotes nothing that was not looked at. Both are empty where it passes.
//
// The address of a report is not looked at, because it is not kept.
func (g Gate) Pass(r signal.Report) (s signal.Signal, kinds map[pii.Kind]int, why string) {
	for _, text := range []string{r.Summary, r.EventID, r.Source, r.SourceType, r.EventType, r.District, r.State} {
		spans := pii.Find(text)
		if len(spans) == 0 {
			continue
		}
		if kinds == nil {
			kinds = map[pii.Kind]int{}
		}
		for kind, n := range pii.Count(spans) {
			kinds[kind] += n
		}
	}
	if kinds != nil {
		return s, kinds, ""
	}
	for _, text := range []string{r.EventID, r.Source, r.SourceType, r.EventType, r.Summary} {
		if strings.ContainsRune(text, 0) {
			return s, nil, "it holds a character that is none"
		}
	}
	if len(r.SourceType) > most || len(r.EventType) > most {
		return s, nil, "its type is longer than 200 bytes"
	}
	r.At = r.At.UTC().Truncate(time.Microsecond) // as it is kept
	if !r.At.IsZero() && r.At.Before(g.Received.Add(-g.Kept)) {
		return s, nil, "it is older than signals are kept"
	}
	if !g.place(&r) {
		return s, nil, "its district is not known at its time"
	}
	s, err := signal.Classifier{Districts: g.Book.Table()}.Classify(r, g.Received)
	if err != nil {
		text, _ := fault.Words(err)
		return s, nil, strings.TrimPrefix(text, fmt.Sprintf("event %.60s: ", r.EventID))
	}
	return s, nil, ""
}

// place finds the district of a report, by its code or by its name.
func (g Gate) place(r *signal.Report) bool {
	if r.LGD != 0 {
		_, ok := g.Book.Find(r.LGD, r.At)
		return ok
	}
	e, ok := g.Book.Named(r.District, r.State, r.At)
	r.LGD = e.LGD
	return ok
}

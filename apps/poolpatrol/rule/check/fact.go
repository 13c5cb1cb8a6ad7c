package check

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fact"
)

// Facts are the numbers of a verdict as facts that can be cited. The verdict's
// own JSON is the snapshot they are read from: sha256 is its digest in hex, as
// it was kept.
func Facts(v Verdict, sha256 string, asOf time.Time) ([]fact.Fact, error) {
	var out []fact.Fact
	lists := []struct {
		name string
		all  []Evidence
	}{{"for", v.For}, {"against", v.Against}, {"unknown", v.Unknown}}
	for _, l := range lists {
		for i, e := range l.all {
			at := "/" + l.name + "/" + strconv.Itoa(i) + "/data/"
			for _, f := range e.Data {
				number, decimals, ok := numeric(f.Value)
				if !ok {
					continue
				}
				got, err := fact.Read(fact.Reading{
					Kind: fact.Observed, Number: number, Decimals: decimals, Unit: unitOf(f.Name), AsOf: asOf,
					Subject: subjectOf(v, e, l.name+"/"+strconv.Itoa(i), f.Name),
					Source:  fact.Source{Snapshot: sha256, Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: at + f.Name}}},
				})
				if err != nil {
					return nil, fmt.Errorf("fact %s of %s: %w", f.Name, e.Type, err)
				}
				out = append(out, got)
			}
		}
	}
	return out, nil
}

// subjectOf names what a number is about by the piece of evidence it stands in. Who
// that is says the piece alone, which is sealed: a fact is for ever, and must not tell
// how far from work somebody lived who was erased.
func subjectOf(v Verdict, e Evidence, piece, measure string) fact.Subject {
	return fact.Subject{Type: "vanpool_check", IDs: map[string]string{"check": string(v.Check), "vanpool": string(v.Vanpool),
		"evidence": e.Type, "piece": piece, "measure": measure}}
}

func numeric(v any) (text string, decimals int, ok bool) {
	switch n := v.(type) {
	case int:
		return strconv.Itoa(n), 0, true
	case fleet.Miles:
		return n.String(), 2, true
	case json.Number:
		_, after, _ := strings.Cut(n.String(), ".")
		return n.String(), min(len(after), 6), true
	}
	return "", 0, false
}

// unitOf reads the unit off the end of a measure's name.
func unitOf(name string) string {
	for end, unit := range map[string]string{"_minutes": "min", "_miles": "mi", "_percent": fact.Percent, "_days": "d"} {
		if strings.HasSuffix(name, end) {
			return unit
		}
	}
	return ""
}

package agent

import (
	"github.com/gavelhq/gavel/platform/fault"
)

// An Offer names values that stay clean in one field of one tool, and in no other:
// a rider's id that may be looked up is no account to pay to.
type Offer struct {
	// Field is the tool and the path of its argument, "file.report.sha256". The items
	// of a list have the list's. A field that is not there lets nothing through.
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// Limits of what a brief offers.
const (
	maxOffered = 5000 // values
	maxOffer   = 1000 // bytes of a field or value
)

// offerable refuses a brief that offers more than is kept with a transcript.
func offerable(all []Offer) error {
	n := 0
	for _, o := range all {
		if n += len(o.Values); n > maxOffered {
			return fault.New(fault.TooLarge, "a brief offers over %d values; offer those that the task is about", maxOffered)
		}
		for _, text := range append([]string{o.Field}, o.Values...) {
			if len(text) > maxOffer {
				return fault.New(fault.TooLarge, "a brief offers a field or value of over %d bytes; offer an id in its place", maxOffer)
			}
		}
	}
	return nil
}

// offers are what the briefs of a transcript offered.
type offers struct {
	fields   map[string]map[string]bool // values by field
	anywhere map[string]bool            // those of transcripts from before values were bound to a field
}

func (o offers) cover(field, value string) bool { return o.fields[field][value] || o.anywhere[value] }

// offers are the values that every brief of the transcript offered, and those of
// the turn that is about to join it. A run that began when a value could be used in
// any field is judged so to its end: what was ruled is ruled alike when it is
// replayed.
func (c chain) offers(now node) offers {
	all := offers{fields: map[string]map[string]bool{}, anywhere: map[string]bool{}}
	for _, n := range append(c[:len(c):len(c)], now) {
		for _, v := range n.Offered {
			all.anywhere[v] = true
		}
		for _, o := range n.Offers {
			if all.fields[o.Field] == nil {
				all.fields[o.Field] = map[string]bool{}
			}
			for _, v := range o.Values {
				all.fields[o.Field][v] = true
			}
		}
	}
	return all
}

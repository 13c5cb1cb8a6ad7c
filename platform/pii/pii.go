// Package pii finds personal data in a text: where it stands and of what kind, never what it says.
//
// Find is one pass over the bytes. Letters, spaces and short numbers cost a look at a table; only what
// could be something (a long number, capitals with digits, an "@", a "/", a word that stands before
// names) is tried against the rules, which are code and not regular expressions. Mask is the text
// without it, for whoever is not to see it: a model, a log, a page.
//
// Read Kind for what is looked for, pass.go for the way through a text, fold.go for how other scripts'
// digits and characters nobody sees are read. What is found is certain for a mail address and a guess
// for a name: that nothing was found means that nothing of these kinds was, and no more. So an
// application says which Rules it checked by, and does not say that a text is free of personal data.
package pii

import (
	"cmp"
	"slices"
)

// Rules is the version of the rules. What was found under others may differ.
const Rules = "pii-1"

// A Kind is a kind of personal data.
type Kind string

// The kinds, in the order of the reports.
const (
	Aadhaar  Kind = "aadhaar"         // twelve digits with Verhoeff's check digit
	Masked   Kind = "aadhaar_masked"  // the last four digits, the others crossed out
	VID      Kind = "vid"             // sixteen digits that stand for an Aadhaar
	PAN      Kind = "pan"             // of the income tax
	Mobile   Kind = "mobile"          // an Indian mobile telephone
	Email    Kind = "email"           //
	UPI      Kind = "upi"             // an address for payments
	Handle   Kind = "handle"          // somebody's name on a network, or the address of their page there
	EPIC     Kind = "epic"            // a voter's card, where the words around it say so
	Passport Kind = "passport"        // where the words around it say so
	Licence  Kind = "driving_licence" //
	Vehicle  Kind = "vehicle"         // a number plate
	IFSC     Kind = "ifsc"            // a branch of a bank
	GSTIN    Kind = "gstin"           // a tax number, which holds a PAN
	Account  Kind = "bank_account"    // where the words around it say so
	IP       Kind = "ip"              //
	IMEI     Kind = "imei"            // a handset, where the words around it say so
	Name     Kind = "name"            // by the words around it
	Person   Kind = "person"          // one person, described by age or home and not named
)

// Kinds lists what is looked for.
func Kinds() []Kind {
	return []Kind{Aadhaar, Masked, VID, PAN, Mobile, Email, UPI, Handle, EPIC, Passport, Licence, Vehicle, IFSC, GSTIN, Account, IP,
		IMEI, Name, Person}
}

// A Span is personal data in a text: its bytes from Start to End, and its kind. It does not hold them.
type Span struct {
	Start, End int
	Kind       Kind
}

// Find lists the personal data of a text in its order. Spans do not overlap.
func Find(text string) []Span {
	f := finder{b: text, class: &plain}
	if !f.pass() {
		f = finder{src: text, class: &folded, spans: f.spans[:0]}
		f.b, f.at = fold(text)
		f.pass()
	}
	return f.settled()
}

// Count is how many of each kind there are: all that may be kept of what was refused.
func Count(spans []Span) map[Kind]int {
	out := map[Kind]int{}
	for _, s := range spans {
		out[s.Kind]++
	}
	return out
}

// A finder is one way through one text.
type finder struct {
	b     string      // what is read: the text, or the text folded
	at    []int32     // where in the text each byte of b stands; nil where b is the text
	src   string      // the text, where b is not
	class *[256]uint8 // what each byte of b can be part of
	spans []Span
	done  int // up to here b has been taken by a span
}

// found notes what stands in b from i to j.
func (f *finder) found(i, j int, kind Kind) {
	f.done = max(f.done, j)
	if f.at != nil {
		i, j = int(f.at[i]), int(f.at[j])
	}
	f.spans = append(f.spans, Span{Start: i, End: j, Kind: kind})
}

// settled is the spans in order; what lies within another is part of it.
func (f *finder) settled() []Span {
	if len(f.spans) < 2 {
		return f.spans
	}
	slices.SortStableFunc(f.spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	out := f.spans[:1]
	for _, s := range f.spans[1:] {
		last := out[len(out)-1]
		if s.End <= last.End {
			continue
		}
		s.Start = max(s.Start, last.End)
		out = append(out, s)
	}
	return out
}

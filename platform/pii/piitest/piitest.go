// Package piitest makes texts with made-up personal data in them, and texts that only look as if
// they had some, for measuring a detector of personal data.
//
// Positives and Negatives are the suite; the same seed gives the same texts. It was written before
// the detector and imports nothing of it: what a number looks like is taken from what those who
// issue it say, and how people write it from letters, posts and newspapers. Every number is drawn
// by lot and bound to nobody.
package piitest

import "strings"

// The kinds of personal data in the suite, by the names the detector gives them, too.
const (
	Aadhaar  = "aadhaar"
	Masked   = "aadhaar_masked" // the last four digits, the others crossed out
	VID      = "vid"            // the number that stands in for an Aadhaar
	PAN      = "pan"
	Mobile   = "mobile"
	Email    = "email"
	UPI      = "upi"
	Handle   = "handle"
	EPIC     = "epic" // of a voter's card
	Passport = "passport"
	Licence  = "driving_licence"
	Vehicle  = "vehicle"
	IFSC     = "ifsc"
	GSTIN    = "gstin"
	Account  = "bank_account"
	IP       = "ip"
	IMEI     = "imei"
	Name     = "name"
	Person   = "person" // somebody who is described and not named
)

// Kinds lists the kinds.
func Kinds() []string {
	return []string{Aadhaar, Masked, VID, PAN, Mobile, Email, UPI, Handle, EPIC, Passport, Licence, Vehicle, IFSC, GSTIN, Account, IP,
		IMEI, Name, Person}
}

// A Hit is personal data in a text: the bytes from Start to End.
type Hit struct {
	Kind  string `json:"kind"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// A Case is one text of the suite.
type Case struct {
	Text string `json:"text"`
	Like string `json:"like"`           // the kind that is in it, or that it looks like
	Hits []Hit  `json:"hits,omitempty"` // none in a hard negative
}

// Positives are texts with personal data, so many of each kind.
func Positives(seed uint64, each int) []Case {
	var out []Case
	for k, kind := range Kinds() {
		for i := range each {
			d := cast(seed, 1, uint64(k), uint64(i))
			out = append(out, positive(&d, kind))
		}
	}
	return out
}

// Negatives are texts that look like each kind and hold no personal data, so many of each.
func Negatives(seed uint64, each int) []Case {
	var out []Case
	for k, kind := range Kinds() {
		for i := range each {
			d := cast(seed, 2, uint64(k), uint64(i))
			out = append(out, Case{Text: around(&d, trap(&d, kind)), Like: kind})
		}
	}
	return out
}

// positive is one text with a thing of a kind in it; a sentence about somebody may name another, too.
func positive(d *dice, kind string) Case {
	var sentence, thing, other string
	switch kind {
	case Name, Person:
		sentence, thing, other = described(d, kind)
	default:
		thing = disguise(d, kind, thingOf(d, kind))
		sentence = pick(d, sentences[kind])
	}
	c := Case{Like: kind}
	rest := around(d, sentence)
	for {
		before, after, found := strings.Cut(rest, "{")
		c.Text += before
		switch {
		case !found:
			return c
		case strings.HasPrefix(after, "x}"):
			c.add(kind, thing)
			rest = after[len("x}"):]
		case strings.HasPrefix(after, "other}"):
			c.add(kind, other)
			rest = after[len("other}"):]
		default:
			c.Text += "{"
			rest = after
		}
	}
}

// add writes a thing at the end of the text.
func (c *Case) add(kind, thing string) {
	c.Hits = append(c.Hits, Hit{Kind: kind, Start: len(c.Text), End: len(c.Text) + len(thing)})
	c.Text += thing
}

// around puts a sentence alone, or between news that concern nobody.
func around(d *dice, sentence string) string {
	if d.chance(0.4) {
		sentence = pick(d, news) + " " + sentence
	}
	if d.chance(0.4) {
		sentence += " " + pick(d, news)
	}
	return sentence
}

// A dice is a small generator (splitmix64): the suite is the same with every version of Go.
type dice uint64

// cast makes a dice for one purpose, so that a change of one text changes no other.
func cast(seed uint64, purpose ...uint64) dice {
	d := dice(seed)
	for _, p := range purpose {
		d = dice(d.bits() ^ p*0x9e3779b97f4a7c15)
	}
	return d
}

func (d *dice) bits() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number from 0 to n-1.
func (d *dice) below(n int) int { return int(d.bits() >> 1 % uint64(n)) }

func (d *dice) chance(p float64) bool { return float64(d.bits()>>11)/(1<<53) < p }

func pick[T any](d *dice, of []T) T { return of[d.below(len(of))] }

// text is n characters drawn from a set.
func (d *dice) text(n int, of string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = of[d.below(len(of))]
	}
	return string(b)
}

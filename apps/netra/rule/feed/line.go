package feed

import (
	"bytes"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A plain line is one that a program wrote without ornament: an object of our own fields, texts without escapes, short whole numbers. It
// is read in one pass over its bytes, which is a third of what the general way takes; any other line is left to that.
type plain struct {
	b  []byte
	at int
}

// readPlain reads a plain line into r. Where it says false the line is not plain, and nothing that is in r counts.
func readPlain(line []byte, r *signal.Report) bool {
	p := plain{b: line}
	if !p.is('{') {
		return false
	}
	for {
		name, ok := p.text()
		if !ok || !p.is(':') || !p.field(name, r) {
			return false
		}
		if p.is('}') {
			return p.space() == len(p.b)
		}
		if !p.is(',') {
			return false
		}
	}
}

// field reads the value of a field.
func (p *plain) field(name []byte, r *signal.Report) bool {
	switch string(name) {
	case "event_id":
		return p.into(&r.EventID)
	case "source":
		return p.into(&r.Source)
	case "source_type":
		return p.into(&r.SourceType)
	case "event_type":
		return p.into(&r.EventType)
	case "district":
		return p.into(&r.District)
	case "state":
		return p.into(&r.State)
	case "event_summary":
		return p.into(&r.Summary)
	case "url":
		return p.into(&r.URL)
	case "polarity":
		return p.into((*string)(&r.Polarity))
	case "district_lgd":
		return p.number(&r.LGD)
	case "severity":
		return p.number(&r.Severity)
	case "fatalities":
		r.Fatalities = new(int)
		return p.number(r.Fatalities)
	case "timestamp":
		text, ok := p.text()
		return ok && r.At.UnmarshalText(text) == nil
	}
	return false // layers among them: most feeds leave them out
}

// space goes to the next byte that is none, and says where that is.
func (p *plain) space() int {
	for p.at < len(p.b) && (p.b[p.at] == ' ' || p.b[p.at] == '\t') {
		p.at++
	}
	return p.at
}

// is reports whether a byte comes next, and goes past it.
func (p *plain) is(c byte) bool {
	if p.space() == len(p.b) || p.b[p.at] != c {
		return false
	}
	p.at++
	return true
}

// text is the text that comes next.
func (p *plain) text() ([]byte, bool) {
	if !p.is('"') {
		return nil, false
	}
	n := bytes.IndexByte(p.b[p.at:], '"')
	if n < 0 {
		return nil, false
	}
	text := p.b[p.at : p.at+n]
	for _, c := range text {
		if c < ' ' || c == '\\' {
			return nil, false
		}
	}
	p.at += n + 1
	return text, true
}

func (p *plain) into(to *string) bool {
	text, ok := p.text()
	*to = string(text)
	return ok
}

// number reads a whole number of at most nine digits.
func (p *plain) number(to *int) bool {
	n, from := 0, p.space()
	for ; p.at < len(p.b) && '0' <= p.b[p.at] && p.b[p.at] <= '9'; p.at++ {
		if p.at-from == 9 {
			return false
		}
		n = 10*n + int(p.b[p.at]-'0')
	}
	*to = n
	digits := p.at - from
	return digits == 1 || digits > 1 && p.b[from] != '0'
}

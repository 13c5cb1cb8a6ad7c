// Package reference says which pass somebody means: a number that they wrote, a name, "the second one", "it". A model may not: what
// it believes was meant is held against these rules, and where they find none or several, the person is asked.
//
// A number in the message always wins. A pronoun means the pass that was last spoken of, and a list of several means none of them.
// Read Resolve first, then Memory.After.
package reference

import (
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// How long a conversation remembers.
const (
	Idle    = 30 * time.Minute // of silence
	Longest = 12 * time.Hour   // in all
)

// A Ref is a pass that can be meant.
type Ref struct {
	Number number.Number
	ID     string
	Person string
}

// A Memory is what a conversation keeps between two messages. It belongs to one person in one conversation and to nobody else.
type Memory struct {
	CurrentPassNumber number.Number
	CurrentPassID     string
	LastOperation     string
	PendingParameters map[string]any
	Begun, Touched    time.Time
}

// A Patience is how long a conversation waits for its person, and how long it lasts.
type Patience struct{ Idle, Longest time.Duration }

// Live is the memory at a moment: nothing where nobody has spoken for too long, or the conversation is too old.
func (m Memory) Live(now time.Time, p Patience) Memory {
	if m.Touched.IsZero() || now.Sub(m.Touched) > p.Idle || now.Sub(m.Begun) > p.Longest {
		return Memory{Begun: now, Touched: now}
	}
	m.Touched = now
	return m
}

// After is the memory after a tool has answered with passes. One becomes the pass that is spoken of; of several none is, not even the
// one before: "it" after a list is a question. An answer without any changes nothing.
func (m Memory) After(operation string, answer []Ref) Memory {
	m.LastOperation = operation
	switch len(answer) {
	case 0:
	case 1:
		m.CurrentPassNumber, m.CurrentPassID = answer[0].Number, answer[0].ID
	default:
		m.CurrentPassNumber, m.CurrentPassID = "", ""
	}
	return m
}

// current is the pass that is spoken of; false where there is none.
func (m Memory) current() (Ref, bool) {
	r := Ref{Number: m.CurrentPassNumber, ID: m.CurrentPassID}
	return r, r.Number != "" || r.ID != ""
}

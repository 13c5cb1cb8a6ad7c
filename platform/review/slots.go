package review

import "time"

// A Slot is one of the approvals that a proposal needs. One that nobody has
// filled yet is zero.
type Slot struct {
	By, Name string
	For      string // actor id of the one in whose stead; empty for oneself
	At       time.Time
}

// Signed reports whether somebody has filled it.
func (s Slot) Signed() bool { return s.By != "" }

// Slots shows who has approved a proposal so far and how many must still: "1 of 2
// signed, by X". made are its decisions, oldest first.
func Slots(p Proposal, made []Made) []Slot {
	slots := make([]Slot, 0, p.Required)
	for _, m := range made {
		if (m.Verdict == Approve || m.Verdict == Edit) && len(slots) < p.Required {
			slots = append(slots, Slot{By: m.ActorID, Name: m.ActorName, For: m.OnBehalf, At: m.At.UTC()})
		}
	}
	return slots[:p.Required:p.Required]
}

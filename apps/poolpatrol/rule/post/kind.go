package post

import "slices"

// A Kind is what a letter is for.
type Kind string

// The kinds of letter.
const (
	First      Kind = "first"      // what we found, what we hold, what to do by when
	Again      Kind = "again"      // the same, after another look that did not pass
	Answer     Kind = "answer"     // to a question
	Draft      Kind = "draft"      // written for this reply and approved by a person
	Rechecking Kind = "rechecking" // thank you, we are looking again
	Portal     Kind = "portal"     // where to change the record
	Closing    Kind = "closing"    // nothing more is asked of you
	Removed    Kind = "removed"    // the membership ends, why, with which day, and how to appeal
	SeatFree   Kind = "seat_free"  // to the coordinator of the van: a seat is free
)

// Kinds lists them.
func Kinds() []Kind {
	return []Kind{First, Again, Answer, Draft, Rechecking, Portal, Closing, Removed, SeatFree}
}

// Automatic reports whether such a letter is one of those a thread gets only a few of in
// a day: nobody looked at it, and an answer to it may lead to the next. The last letter
// of a matter leads to none, and whoever it is for must have it.
func (k Kind) Automatic() bool { return !slices.Contains([]Kind{Draft, Closing, Removed, SeatFree}, k) }

// Asks reports whether the letter asks for a reply, so that a deadline runs from
// it.
func (k Kind) Asks() bool { return slices.Contains([]Kind{First, Again, Answer, Draft}, k) }

package post

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Held is what somebody says of what we hold about them.
type Held string

// What may be said of it.
const (
	HeldRight   Held = "right"
	HeldChanged Held = "changed" // no, it has changed
	HeldUnsure  Held = "unsure"
)

// Helds lists them as the page asks.
func Helds() []Held { return []Held{HeldRight, HeldChanged, HeldUnsure} }

// A Wish is what somebody wants to happen.
type Wish string

// What may be wished for.
const (
	WishKeep Wish = "keep" // keep the seat, and correct the records
	WishLeft Wish = "left" // they have left the van
	WishTalk Wish = "talk" // talk to a person
)

// Wishes lists them as the page asks.
func Wishes() []Wish { return []Wish{WishKeep, WishLeft, WishTalk} }

// MaxSaid bounds what somebody adds in their own words, in characters.
const MaxSaid = 2000

// Said is an answer on somebody's own page: to two questions, and what they add.
type Said struct {
	Held Held
	Wish Wish
	Text string // not read by code; may be empty
}

// Check refuses an answer that is none, and returns it as it is kept.
func (s Said) Check() (Said, error) {
	s.Text = strings.TrimSpace(strings.ReplaceAll(s.Text, "\r\n", "\n"))
	switch {
	case !slices.Contains(Helds(), s.Held):
		return s, fault.New(fault.Invalid, "say whether what we hold is right")
	case !slices.Contains(Wishes(), s.Wish):
		return s, fault.New(fault.Invalid, "say what should happen")
	case utf8.RuneCountInString(s.Text) > MaxSaid:
		return s, fault.New(fault.TooLarge, "your words have more than %d characters", MaxSaid)
	case !utf8.ValidString(s.Text) || strings.ContainsRune(s.Text, 0):
		return s, fault.New(fault.Invalid, "your words hold a character that cannot be stored")
	}
	return s, nil
}

// Bucket is what an answer means to the case, by its two answers alone. Who has left
// is taken off by a person, never by a click. Where there are words a person reads
// them, whatever was chosen: they may say what the two answers do not.
func (s Said) Bucket() Bucket {
	switch {
	case s.Wish != WishKeep || s.Text != "":
		return Escalation
	case s.Held == HeldChanged:
		return Update
	case s.Held == HeldRight:
		return Acknowledgment
	case s.Held == HeldUnsure:
		return Question
	}
	return Escalation
}

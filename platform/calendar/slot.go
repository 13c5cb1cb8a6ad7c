package calendar

import "time"

// A Slot is one thing that comes by itself: its plan, when it comes next, and what became
// of it the last time. A moment that was missed, because nothing ran when it came, is
// still due; it is taken once, however often it was missed.
type Slot struct {
	Name string // "monthly"
	On   bool   // it comes by itself
	Plan

	Next    *time.Time // nil: not by itself, or nobody has looked yet
	Last    string     // what was begun last
	Note    string     // why it was not begun the last time; empty: it was
	NotedAt *time.Time
	Owed    bool // it was put off, and is tried until it can be begun
}

// Due reports whether it is time.
func (s *Slot) Due(at time.Time) bool { return s.On && s.Next != nil && !s.Next.After(at) }

// Take notes what was begun, and comes again as planned.
func (s *Slot) Take(id string, at time.Time, zone *time.Location) {
	s.Last, s.Note, s.NotedAt, s.Owed = id, "", nil, false
	s.move(s.After(at, zone))
}

// LeaveOut notes why nothing was begun. It comes again as planned.
func (s *Slot) LeaveOut(why string, at time.Time, zone *time.Location) {
	s.Note, s.NotedAt, s.Owed = why, &at, false
	s.move(s.After(at, zone))
}

// PutOff notes why nothing was begun. It stays owed, and is tried again the next day.
func (s *Slot) PutOff(why string, at time.Time, zone *time.Location) {
	s.Note, s.NotedAt, s.Owed = why, &at, true
	s.move(s.again(at, zone))
}

// Change gives it another plan, or the same one in another zone. What is owed stays owed:
// a moment that was missed is still due, and what was put off is tried again the next day.
func (s *Slot) Change(on bool, p Plan, at time.Time, zone *time.Location) {
	due := s.Due(at)
	s.On, s.Plan = on, p
	switch {
	case !on:
		s.Next, s.Note, s.NotedAt, s.Owed = nil, "", nil, false
	case due:
	case s.Owed:
		s.move(s.again(at, zone))
	default:
		s.Note, s.NotedAt = "", nil
		s.move(s.After(at, zone))
	}
}

// Look plans what nobody has looked at yet.
func (s *Slot) Look(at time.Time, zone *time.Location) {
	if s.On && s.Next == nil {
		s.move(s.After(at, zone))
	}
}

func (s *Slot) move(next time.Time) { s.Next = &next }

// Package muster says where people are when a site is cleared: in, out, or not known. It goes by their passes, and says
// "not known" where those do not say: somebody who should have been back may have come in by another door.
package muster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// A Where is where somebody is.
type Where string

// In is on the site, Out has left it, Unknown should have been back and was not seen.
const (
	In      Where = "in"
	Out     Where = "out"
	Unknown Where = "unknown"
)

// Wheres lists them: whom to look for first.
func Wheres() []Where { return []Where{Unknown, In, Out} }

// A Sighting is what one pass says of somebody.
type Sighting struct {
	Number     number.Number
	Name       string
	Ref        string // of an employee, by whom several passes are one person's; may be empty
	Type       pass.Type
	Status     pass.Status
	Back       bool // the person is in, though things may be out
	Returnable bool
	Made       time.Time
	Due        time.Time // back, at the latest
	Left, Came time.Time // zero where they did not
}

// last is when the pass last said something.
func (s Sighting) last() time.Time {
	for _, t := range []time.Time{s.Came, s.Left} {
		if !t.IsZero() {
			return t
		}
	}
	return s.Made
}

// where is what one pass says.
func (s Sighting) where(now time.Time) Where {
	switch {
	case s.Status != pass.Exited || s.Back:
		return In
	case s.Returnable && now.After(s.Due):
		return Unknown
	}
	return Out
}

// A Person is somebody on the list.
type Person struct {
	Number number.Number
	Name   string
	Ref    string
	Type   pass.Type
	Where  Where
	Since  time.Time // that the pass says so
	Due    time.Time // back; zero unless they are out and to come back
}

// A List is everybody of whom passes say something, by where they are and then by name.
type List struct {
	At     time.Time
	People []Person
	Counts map[Where]int
}

// Of makes a list of what passes say. Of several of one employee the one that says something last counts.
func Of(all []Sighting, now time.Time) List {
	latest := make(map[string]int, len(all))
	for i, s := range all {
		key := "pass/" + string(s.Number)
		if s.Ref != "" {
			key = "ref/" + strings.ToUpper(s.Ref)
		}
		if had, there := latest[key]; !there || all[had].last().Before(s.last()) {
			latest[key] = i
		}
	}
	l := List{At: now, People: make([]Person, 0, len(latest)), Counts: map[Where]int{In: 0, Out: 0, Unknown: 0}}
	for _, i := range latest {
		s := all[i]
		p := Person{Number: s.Number, Name: s.Name, Ref: s.Ref, Type: s.Type, Where: s.where(now), Since: s.last()}
		if p.Where != In && s.Returnable {
			p.Due = s.Due
		}
		l.Counts[p.Where]++
		l.People = append(l.People, p)
	}
	order := Wheres()
	slices.SortFunc(l.People, func(a, b Person) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Where), slices.Index(order, b.Where)), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Number, b.Number))
	})
	return l
}

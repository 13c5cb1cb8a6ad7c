package main

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/notify"
)

// A verdict is what the sights come to.
type verdict struct {
	lost, repeated int
	why            []string // of each of those
	odd            []string // what else is not as it should be

	states         map[string]int
	unknownArrived int // of those nobody could say it of, how many had arrived
	again          int // letters that were tried more than once
	known          map[string]bool
}

// acts is how the act of a letter in each state stands.
var acts = map[notify.State]act.State{notify.Sent: act.Done, notify.Undeliverable: act.Failed, notify.Unknown: act.Unknown}

// judge holds letters against the record and the server. asks says whether who
// sent them could ask the server: then nobody need be asked.
func (v *verdict) judge(letters []letter, s sight, asks bool) {
	if v.known == nil {
		v.known = map[string]bool{}
	}
	for _, l := range letters {
		v.known[l.messageID] = true
		r, n := s.rows[l.id], s.arrived[l.messageID]
		v.states[r.State]++
		if r.Tries > 1 {
			v.again++
		}
		v.judgeOne(l, r, n, asks)
	}
}

func (v *verdict) judgeOne(l letter, r row, arrived int, asks bool) {
	state := notify.State(r.State)
	if arrived > 1 {
		v.repeat("%s arrived %d times", l.id, arrived)
	}
	switch {
	case acts[state] == "":
		v.lose("%s has come to no end: it is %q, %s", l.id, r.State, r.Reason)
		return
	case state == notify.Sent && arrived == 0:
		v.lose("%s is on record as sent and is not at the server", l.id)
	case state == notify.Undeliverable && arrived > 0:
		v.repeat("%s is said not to have been sent (%s), and has arrived", l.id, r.Reason)
	case state != notify.Sent && r.Reason == "":
		v.lose("%s is %s for no reason", l.id, r.State)
	case state == notify.Unknown && asks:
		v.lose("%s is unknown, and the server could be asked", l.id)
	case state == notify.Unknown && !r.Asked:
		v.lose("%s is unknown, and no person is asked", l.id)
	}
	if state == notify.Unknown && arrived > 0 {
		v.unknownArrived++
	}
	if want := []string{notify.EntryQueued, "mail_" + r.State}; !slices.Equal(r.Entries, want) {
		v.lose("%s: its case says %q of it, want %q", l.id, r.Entries, want)
	}
	if act.State(r.Act) != acts[state] {
		v.note("%s is %s and its act is %s", l.id, r.State, r.Act)
	}
}

// strangers finds what is at the server and nobody sent.
func (v *verdict) strangers(arrived map[string]int) {
	for id := range arrived {
		if !v.known[id] {
			v.note("%s is at the server, and nobody sent it", id)
		}
	}
}

func (v *verdict) lose(format string, args ...any) {
	v.lost++
	v.why = append(v.why, "lost: "+fmt.Sprintf(format, args...))
}

func (v *verdict) repeat(format string, args ...any) {
	v.repeated++
	v.why = append(v.why, "repeated: "+fmt.Sprintf(format, args...))
}

// demand notes what many letters must have met with, or nothing was shown, and what too
// many did.
func (v *verdict) demand(mails int) {
	unknown := v.states[string(notify.Unknown)]
	if v.again == 0 || unknown == 0 {
		v.note("%d letters were tried again, and of %d nobody could say whether they arrived, so nothing was shown", v.again, unknown)
	}
	if unknown > mails/mostUnknown {
		v.note("of %d letters nobody could say whether they arrived, which is more than one in %d", unknown, mostUnknown)
	}
}

func (v *verdict) note(format string, args ...any) {
	v.odd = append(v.odd, "odd: "+fmt.Sprintf(format, args...))
}

// maxReasons is how many reasons are printed.
const maxReasons = 40

func (v *verdict) print() {
	fmt.Printf("%d sent, %d undeliverable, %d unknown (%d of those had arrived); %d were tried again\n",
		v.states[string(notify.Sent)], v.states[string(notify.Undeliverable)], v.states[string(notify.Unknown)], v.unknownArrived, v.again)
	reasons := slices.Concat(v.why, v.odd)
	for _, why := range reasons[:min(len(reasons), maxReasons)] {
		fmt.Println(why)
	}
	fmt.Printf("lost %d, repeated %d\n", v.lost, v.repeated)
}

package main

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/notify"
)

// good is a letter that arrived, and what is on record about it.
func good() (letter, row) {
	return letter{id: "mail_1", messageID: "MSG-1@mail.example", file: "case_1"},
		row{ID: "mail_1", State: "sent", Tries: 1, Act: string(act.Done), Entries: []string{notify.EntryQueued, notify.EntrySent}}
}

func TestTheJudgeFindsEveryPlantedFault(t *testing.T) {
	undeliverable := func(r *row) {
		r.State, r.Act, r.Reason, r.Entries = "undeliverable", string(act.Failed), "550 no such user",
			[]string{notify.EntryQueued, notify.EntryUndeliverable}
	}
	unknown := func(r *row) {
		r.State, r.Act, r.Reason, r.Asked, r.Entries = "unknown", string(act.Unknown), "cut", true,
			[]string{notify.EntryQueued, notify.EntryUnknown}
	}
	for _, tt := range []struct {
		name           string
		arrived        int
		asks           bool
		plant          func(*row)
		lost, repeated int
		odd            int
		why            string
	}{
		{name: "nothing wrong", arrived: 1},
		{name: "refused and said so", plant: undeliverable},
		{name: "unknown, and it arrived", arrived: 1, plant: unknown},
		{name: "unknown, and it did not", plant: unknown},
		{name: "sent and not there", lost: 1, why: "is not at the server"},
		{name: "arrived twice", arrived: 2, repeated: 1, why: "2 times"},
		{name: "unknown, and it arrived twice", arrived: 2, plant: unknown, repeated: 1, why: "2 times"},
		{name: "refused and there all the same", arrived: 1, plant: undeliverable, repeated: 1, why: "has arrived"},
		{name: "refused for no reason", plant: func(r *row) { undeliverable(r); r.Reason = "" }, lost: 1, why: "no reason"},
		{name: "unknown for no reason", plant: func(r *row) { unknown(r); r.Reason = "" }, lost: 1, why: "no reason"},
		{name: "unknown and nobody is asked", plant: func(r *row) { unknown(r); r.Asked = false }, lost: 1, why: "no person"},
		{name: "unknown to who could ask", asks: true, plant: unknown, lost: 1, why: "could be asked"},
		{name: "no end", plant: func(r *row) { r.State = "sending" }, lost: 1, why: "no end"},
		{name: "no row", arrived: 1, plant: func(r *row) { *r = row{} }, lost: 1, why: "no end"},
		{name: "not on the case", arrived: 1, plant: func(r *row) { r.Entries = r.Entries[:1] }, lost: 1, why: "its case says"},
		{name: "on the case twice", arrived: 1, plant: func(r *row) { r.Entries = append(r.Entries, notify.EntrySent) }, lost: 1,
			why: "its case says"},
		{name: "its act says otherwise", arrived: 1, plant: func(r *row) { r.Act = string(act.Running) }, odd: 1, why: "its act is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, r := good()
			if tt.plant != nil {
				tt.plant(&r)
			}
			v := verdict{states: map[string]int{}}
			v.judge([]letter{l}, sight{rows: map[string]row{l.id: r}, arrived: map[string]int{l.messageID: tt.arrived}}, tt.asks)
			said := strings.Join(append(v.why, v.odd...), "\n")
			if v.lost != tt.lost || v.repeated != tt.repeated || len(v.odd) != tt.odd || !strings.Contains(said, tt.why) {
				t.Errorf("lost %d, repeated %d, odd %d: %s; want %d, %d and %d with %q", v.lost, v.repeated, len(v.odd), said, tt.lost,
					tt.repeated, tt.odd, tt.why)
			}
		})
	}
}

func TestWhatNobodySentIsFound(t *testing.T) {
	v := verdict{states: map[string]int{}, known: map[string]bool{"a@x": true}}
	v.strangers(map[string]int{"a@x": 1, "b@x": 1})
	if len(v.odd) != 1 || !strings.Contains(v.odd[0], "b@x") {
		t.Errorf("got %q", v.odd)
	}
}

func TestManyLettersMustHaveMetWithTroubleAndFewWithTooMuch(t *testing.T) {
	for _, tt := range []struct{ again, unknown, odd int }{
		{again: 300, unknown: 100, odd: 0},
		{again: 0, unknown: 100, odd: 1},
		{again: 300, unknown: 0, odd: 1},
		{again: 300, unknown: 1000/mostUnknown + 1, odd: 1},
	} {
		v := verdict{states: map[string]int{string(notify.Unknown): tt.unknown}, again: tt.again}
		v.demand(1000)
		if len(v.odd) != tt.odd {
			t.Errorf("%+v: %q", tt, v.odd)
		}
	}
}

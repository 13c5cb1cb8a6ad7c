package main

import (
	"testing"

	"github.com/gavelhq/gavel/platform/review"
)

func TestAWordLeadsBackToItsAsk(t *testing.T) {
	for _, a := range everyAsk(30) {
		if got, ok := parseWord(a.word()); !ok || got != a {
			t.Fatalf("%s: got %v, %t, want %v", a.word(), got, ok, a)
		}
	}
	for _, bad := range []string{"", "letter", "letter-1", "note-1-0", "wire-1-0", "letter-1-0x", "letter-01-0"} {
		if got, ok := parseWord(bad); ok {
			t.Errorf("%q: got %v, want nothing", bad, got)
		}
	}
}

// Fewer proposals than CI decides draw every kind of trouble, from any seed.
func TestEverySeedDrawsEveryKindOfTrouble(t *testing.T) {
	const owners = 160
	for seed := range uint64(100) {
		var twice, again, lost, blind, stale, rival, inStead, page, undo, late, no int
		for _, a := range everyAsk(50) {
			p := draw(seed, a, owners)
			if p != draw(seed, a, owners) {
				t.Fatalf("seed %d draws another plan the second time", seed)
			}
			people := map[int]bool{p.who: true, p.other: true, p.second: true, p.undoBy: true}
			if len(people) != 4 || p.who >= owners || p.verdict == p.opposite() {
				t.Fatalf("seed %d, %s: %+v", seed, a.word(), p)
			}
			plain := !p.inStead && !p.page
			for n, is := range map[*int]bool{&twice: p.twice && plain && !p.lost, &again: p.again, &lost: p.lost && plain, &blind: p.blind,
				&stale: p.stale, &rival: p.rival,
				&inStead: p.inStead, &page: p.page, &no: p.verdict != review.Approve, &undo: p.undo && a.tool() == letter && !p.tooLate &&
					p.undoIn < undoWindow,
				&late: p.undo && a.tool() == letter && p.tooLate && p.verdict == review.Approve && !p.rival} {
				if is {
					*n++
				}
			}
		}
		for what, n := range map[string]int{"twice": twice, "again": again, "lost": lost, "blind": blind, "stale": stale, "rival": rival,
			"in stead": inStead, "page": page,
			"undo": undo, "too late": late, "no": no} {
			if n < 3 {
				t.Errorf("seed %d: %s is drawn %d times of 500", seed, what, n)
			}
		}
	}
}

func TestPartsAreKilledWhilePeopleDecide(t *testing.T) {
	for _, o := range []options{{cases: 50, engineKills: 1}, {cases: 50, engineKills: 1, serverKills: 1}, {cases: 2000, engineKills: 2,
		serverKills: 3}} {
		engines, servers, last := 0, 0, int64(0)
		for _, b := range blows(o) {
			if b.after < last || b.after >= int64(o.cases*callsPerCase) {
				t.Errorf("%+v: a kill after %d, following one after %d", o, b.after, last)
			}
			last = b.after
			if b.engine {
				engines++
			} else {
				servers++
			}
		}
		if engines != o.engineKills || servers != o.serverKills {
			t.Errorf("%+v: got %d and %d kills", o, engines, servers)
		}
	}
}

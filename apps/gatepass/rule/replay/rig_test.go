package replay_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
)

var nine = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return nine.Add(time.Duration(minutes) * time.Minute) }

func key(name string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte(name[:1]), ed25519.SeedSize))
}

func device(name string) replay.Device {
	return replay.Device{Key: ed25519.PublicKey(key(name)[32:]), Site: "plant-1"}
}

func facts() replay.Facts {
	return replay.Facts{Approved: nine, From: nine, Until: at(8 * 60), Returnable: true, Site: "plant-1"}
}

func history() replay.History {
	return replay.History{Devices: map[string]replay.Device{"A": device("A"), "B": device("B")},
		Passes: map[number.Number]replay.Facts{"GP-2026-0001": facts(), "GP-2026-0002": facts()}}
}

// A failer is a test, a fuzz target or a property.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// A book is a device that signs, numbers and chains what it lets through.
type book struct {
	name string
	seq  int64
	prev replay.Digest
}

func (b *book) write(t failer, n number.Number, kind pass.Event, when time.Time, change ...func(*replay.Event)) string {
	t.Helper()
	b.seq++
	e := replay.Event{ID: fmt.Sprintf("%s-%d", b.name, b.seq), Device: b.name, Seq: b.seq, Prev: b.prev, Pass: n, Kind: kind, At: when,
		Guard: "shift-1",
		Photo: string(replay.DigestOf("photo"))}
	for _, c := range change {
		c(&e)
	}
	text, err := replay.Sign(e, key(b.name))
	if err != nil {
		t.Fatal(err)
	}
	b.prev = replay.DigestOf(text)
	return text
}

// merge takes a batch in and keeps what came of it.
func merge(t failer, h *replay.History, now time.Time, batch ...string) replay.Report {
	t.Helper()
	rep, err := replay.Standard().Merge(*h, batch, now)
	if err != nil {
		t.Fatal(err)
	}
	h.Known = append(h.Known, rep.Added...)
	return rep
}

func fates(rep replay.Report) string {
	s := ""
	for i, o := range rep.Outcomes {
		if i > 0 {
			s += ", "
		}
		s += string(o.Fate)
		if o.Reason != "" {
			s += " " + string(o.Reason)
		}
	}
	return s
}

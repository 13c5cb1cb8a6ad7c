package offline_test

import (
	"bytes"
	"crypto/ed25519"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/offline"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
)

var (
	nine  = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	north = token.Tag("north")
)

func key(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func entry(n number.Number, s pass.Status) offline.Entry {
	return offline.Entry{Pass: n, Token: 2, Status: s, Returnable: true, From: nine, Until: nine.Add(8 * time.Hour),
		DueBack: nine.Add(4 * time.Hour), PersonName: "Ravi Kumar"}
}

func gate(t testing.TB) offline.Gate {
	t.Helper()
	keys, err := token.NewKeys(ed25519.PublicKey(key(1)[32:]))
	if err != nil {
		t.Fatal(err)
	}
	forGood := entry("GP-2026-0003", pass.Exited)
	forGood.Returnable = false
	return offline.Gate{Org: north, Keys: keys, Rules: offline.Standard(), Revoked: token.Revoked{"GP-2026-0009": 2},
		List: offline.List{"GP-2026-0001": entry("GP-2026-0001", pass.Approved), "GP-2026-0002": entry("GP-2026-0002", pass.Exited),
			"GP-2026-0003": forGood}}
}

// qr is the code of a pass; what it says of time and return is what was so when it was printed.
func qr(t testing.TB, n number.Number, change func(*token.Token)) string {
	t.Helper()
	tok := token.Token{Org: north, Pass: n, Version: 2, From: nine, Until: nine.Add(8 * time.Hour), Returnable: true}
	by := byte(1)
	if change != nil {
		change(&tok)
	}
	if tok.Key == "forge" {
		by = 2
	}
	text, err := token.Mint(tok, key(by))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAGateThatIsAloneKnowsWhatToSay promises the word and the reason for everything that can be held before its camera.
func TestAGateThatIsAloneKnowsWhatToSay(t *testing.T) {
	noon := nine.Add(3 * time.Hour)
	for name, tt := range map[string]struct {
		scan   string
		at     time.Time
		word   offline.Word
		reason offline.Reason
	}{
		"approved":           {qr(t, "GP-2026-0001", nil), noon, offline.GoOut, ""},
		"at the last moment": {qr(t, "GP-2026-0001", nil), nine.Add(8 * time.Hour), offline.GoOut, ""},
		"after it":           {qr(t, "GP-2026-0001", nil), nine.Add(8*time.Hour + 1), offline.Stop, offline.Expired},
		"within the grace":   {qr(t, "GP-2026-0001", nil), nine.Add(-15 * time.Minute), offline.GoOut, ""},
		"before it":          {qr(t, "GP-2026-0001", nil), nine.Add(-16 * time.Minute), offline.Stop, offline.NotYetValid},
		"out":                {qr(t, "GP-2026-0002", nil), noon, offline.GoIn, ""},
		"out for good":       {qr(t, "GP-2026-0003", nil), noon, offline.Stop, offline.AlreadyOut},
		"revoked":            {qr(t, "GP-2026-0009", nil), noon, offline.Stop, offline.Revoked},
		"made anew since": {qr(t, "GP-2026-0001", func(k *token.Token) { k.Version = 1 }), noon, offline.Stop,
			offline.OldCode},
		"newer than the list": {qr(t, "GP-2026-0001", func(k *token.Token) { k.Version = 3 }), noon, offline.GoOut, ""},
		"extended after it was printed": {qr(t, "GP-2026-0001", func(k *token.Token) { k.Until = nine.Add(time.Hour) }), noon,
			offline.GoOut, ""},
		"approved since":           {qr(t, "GP-2026-0010", nil), noon, offline.Ask, offline.NotListed},
		"approved since, and over": {qr(t, "GP-2026-0010", nil), nine.Add(9 * time.Hour), offline.Stop, offline.Expired},
		"signed by somebody":       {qr(t, "GP-2026-0001", func(k *token.Token) { k.Key = "forge" }), noon, offline.Stop, offline.Forged},
		"of another organisation": {qr(t, "GP-2026-0001",
			func(k *token.Token) { k.Org = token.Tag("south") }), noon, offline.Stop, offline.OtherOrg},
		"an old print":   {"GP-2026-0001", noon, offline.Ask, offline.OnlineOnly},
		"a typed code":   {"ABC234", noon, offline.Ask, offline.OnlineOnly},
		"something else": {"https://example.org", noon, offline.Stop, offline.Unreadable},
		"half a code":    {qr(t, "GP-2026-0001", nil)[:90], noon, offline.Stop, offline.Unreadable},
	} {
		got := gate(t).Judge(tt.scan, tt.at)
		if got.Word != tt.word || got.Reason != tt.reason {
			t.Errorf("%s: got %s %s, want %s %s", name, got.Word, got.Reason, tt.word, tt.reason)
		}
		if through := got.Word == offline.GoOut || got.Word == offline.GoIn; through && got.Entry.PersonName == "" {
			t.Errorf("%s: nobody is shown", name)
		}
	}
	if v := gate(t).Judge(qr(t, "GP-2026-0002", nil), nine.Add(5*time.Hour)); !v.Late || v.Word != offline.GoIn {
		t.Errorf("who is late is let in and shown as late: %+v", v)
	}
}

// TestAClockThatIsWrongLetsNobodyOut promises that who is out comes in all the same.
func TestAClockThatIsWrongLetsNobodyOut(t *testing.T) {
	for skew, want := range map[time.Duration]offline.Word{2 * time.Minute: offline.GoOut, -2 * time.Minute: offline.GoOut,
		121 * time.Second: offline.Ask, -time.Hour: offline.Ask} {
		g := gate(t)
		g.Skew = skew
		if v := g.Judge(qr(t, "GP-2026-0001", nil), nine); v.Word != want || want == offline.Ask && v.Reason != offline.ClockNotSure {
			t.Errorf("%s: got %+v", skew, v)
		}
		if v := g.Judge(qr(t, "GP-2026-0002", nil), nine); v.Word != offline.GoIn {
			t.Errorf("%s: who is out is answered %+v", skew, v)
		}
	}
	g := gate(t)
	g.List = nil
	if v := g.Judge(qr(t, "GP-2026-0001", nil), nine); v.Word != offline.Ask || v.Reason != offline.NothingListed {
		t.Errorf("a gate that was never told anything says %+v", v)
	}
}

// TestAGateRemembersWhatItLetThrough promises that nobody goes out twice, comes back twice, or leaves things behind unnoticed.
func TestAGateRemembersWhatItLetThrough(t *testing.T) {
	g := gate(t)
	e := g.List["GP-2026-0001"]
	e.Items = []item.Item{{ID: "1", Name: "Laptop", Quantity: item.One, Returnable: true}}
	g.List["GP-2026-0001"] = e
	scan := qr(t, "GP-2026-0001", nil)
	for i, step := range []struct {
		done   offline.Done
		word   offline.Word
		reason offline.Reason
	}{
		{offline.Done{Pass: "GP-2026-0002", Event: pass.ScanReturn}, offline.GoOut, ""},
		{offline.Done{Pass: "GP-2026-0001", Event: pass.ScanExit}, offline.GoIn, ""},
		{offline.Done{Pass: "GP-2026-0001", Event: pass.ScanReturn}, offline.GoIn, ""}, // the laptop is out
		{offline.Done{Pass: "GP-2026-0001", Event: pass.ScanReturn, Items: item.Everything(e.Items)}, offline.Stop, offline.AlreadyBack},
	} {
		g.Done = append(g.Done, step.done)
		if v := g.Judge(scan, nine); v.Word != step.word || v.Reason != step.reason {
			t.Errorf("step %d: got %s %s", i, v.Word, v.Reason)
		}
	}
	if g.List["GP-2026-0001"].Status != pass.Approved || g.List["GP-2026-0001"].Items[0].Good != 0 {
		t.Error("the list was changed")
	}
}

// TestAGateDatesWhatItLetsThroughAfterWhatItKnows promises that a clock that is behind puts no return before its exit.
func TestAGateDatesWhatItLetsThroughAfterWhatItKnows(t *testing.T) {
	g := gate(t)
	e := g.List["GP-2026-0002"]
	e.Since = nine.Add(time.Minute)
	g.List["GP-2026-0002"] = e
	for now, want := range map[time.Time]time.Time{
		nine:                      nine.Add(time.Minute + time.Millisecond),
		nine.Add(time.Minute):     nine.Add(time.Minute + time.Millisecond),
		nine.Add(2 * time.Minute): nine.Add(2 * time.Minute),
	} {
		if got := g.DateOf("GP-2026-0002", now); !got.Equal(want) {
			t.Errorf("at %s: got %s, want %s", now, got, want)
		}
	}
	g.Done = []offline.Done{{Pass: "GP-2026-0002", Event: pass.ScanReturn, At: nine.Add(time.Hour)}}
	if got := g.DateOf("GP-2026-0002", nine); !got.After(nine.Add(time.Hour)) {
		t.Errorf("after what it did itself: %s", got)
	}
	if got := g.DateOf("GP-2026-0404", nine); !got.Equal(nine) {
		t.Errorf("of what it does not know: %s", got)
	}
	p := pass.Pass{Status: pass.Approved, History: []pass.Entry{{At: nine}, {At: nine.Add(time.Hour)}}}
	if e, _ := offline.EntryOf(p, ""); !e.Since.Equal(nine.Add(time.Hour)) {
		t.Errorf("listed since %s", e.Since)
	}
}

// TestOnlyPassesOfTheSiteThatCanBeUsedAreListed promises that a gate is told of nobody else.
func TestOnlyPassesOfTheSiteThatCanBeUsedAreListed(t *testing.T) {
	for _, s := range pass.Statuses() {
		for _, returnable := range []bool{true, false} {
			p := pass.Pass{Number: "GP-2026-0001", Status: s, IsReturnable: returnable, SiteID: "plant-1", Token: 1, ValidUntil: nine}
			_, got := offline.EntryOf(p, "plant-1")
			if want := s == pass.Approved || s == pass.Exited && returnable; got != want {
				t.Errorf("%s, returnable %v: listed %v", s, returnable, got)
			}
			if _, listed := offline.EntryOf(p, "plant-2"); listed {
				t.Errorf("%s is listed at another site", s)
			}
			p.DeletedAt = nine
			if _, listed := offline.EntryOf(p, "plant-1"); listed {
				t.Errorf("%s is deleted and listed", s)
			}
		}
	}
}

// TestADeltaLeadsFromOneListToTheOther promises that a gate that is sent what changed has what there is, and that nothing is sent
// where nothing changed.
func TestADeltaLeadsFromOneListToTheOther(t *testing.T) {
	draw := func(t *rapid.T, label string) offline.List {
		l := offline.List{}
		for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(1, 12), 0, 8, rapid.ID).Draw(t, label) {
			num, err := number.Of(2026, n)
			if err != nil {
				t.Fatal(err)
			}
			e := entry(num, rapid.SampledFrom([]pass.Status{pass.Approved, pass.Exited}).Draw(t, "status"))
			e.Token = rapid.IntRange(1, 2).Draw(t, "token")
			l[num] = e
		}
		return l
	}
	rapid.Check(t, func(t *rapid.T) {
		had, now := draw(t, "had"), draw(t, "now")
		d := offline.Diff(had, now)
		if got := had.With(d); !reflect.DeepEqual(got, now) {
			t.Fatalf("got %v, want %v", got, now)
		}
		if again := offline.Diff(now, now); len(again.Put)+len(again.Gone) != 0 {
			t.Fatalf("nothing changed, and %v is sent", again)
		}
		if len(d.Put)+len(d.Gone) > len(had)+len(now) {
			t.Fatalf("too much is sent: %v", d)
		}
	})
}

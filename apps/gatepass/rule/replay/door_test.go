package replay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
)

// TestWhatIsHeldAtTheDoorCountsForNothing promises that no event is believed that its device did not sign in its turn, and that each is a
// question, once.
func TestWhatIsHeldAtTheDoorCountsForNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		batch func(t *testing.T, a, b *book) []string
		world func(*replay.History)
		want  string
	}{
		"no event": {func(t *testing.T, _, _ *book) []string { return []string{"GE1.x.y", ""} }, nil,
			"question unreadable, question unreadable"},
		"of a stranger": {func(t *testing.T, _, _ *book) []string {
			return []string{(&book{name: "C"}).write(t, one, pass.ScanExit, at(1))}
		}, nil, "question unknown_device"},
		"of another device":        {func(t *testing.T, _, _ *book) []string { return []string{forged(t)} }, nil, "question forged"},
		"of one revoked":           {exit, func(h *replay.History) { revoke(h, at(50)) }, "question device_revoked"},
		"of one revoked as of now": {exit, func(h *replay.History) { revoke(h, at(60)) }, "question device_revoked"},
		"of one to be revoked":     {exit, func(h *replay.History) { revoke(h, at(61)) }, "applied"},
		"from the future": {
			func(t *testing.T, a, _ *book) []string { return []string{a.write(t, one, pass.ScanExit, at(63))} }, nil,
			"question clock_ahead"},
		"from nearly now": {
			func(t *testing.T, a, _ *book) []string { return []string{a.write(t, one, pass.ScanExit, at(62))} }, nil, "applied"},
		"of no pass": {func(t *testing.T, a, _ *book) []string {
			return []string{a.write(t, "GP-2026-0404", pass.ScanExit, at(1))}
		}, nil, "question unknown_pass"},
		"under another's id":     {sameID, nil, "applied, question id_reused"},
		"under another's number": {sameSeq, nil, "applied, question seq_reused"},
		"after another one":      {brokenChain, nil, "applied, question chain_broken"},
		"before another one":     {lateBrokenChain, nil, "applied, question chain_broken"},
	} {
		h := history()
		if tt.world != nil {
			tt.world(&h)
		}
		batch := tt.batch(t, &book{name: "A"}, &book{name: "B"})
		rep := merge(t, &h, at(60), batch...)
		if got := fates(rep); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		if len(rep.Added) != len(batch) {
			t.Errorf("%s: %d of %d are known", name, len(rep.Added), len(batch))
		}
		if again := merge(t, &h, at(61), batch...); len(again.Added)+len(again.Raised) != 0 {
			t.Errorf("%s: sent again it is %s", name, fates(again))
		}
	}
}

// next writes the next event of a device, ten minutes after the last.
func (b *book) next(t *testing.T, kind pass.Event, change ...func(*replay.Event)) string {
	t.Helper()
	return b.write(t, one, kind, at(int(b.seq)*10+1), change...)
}

func exit(t *testing.T, a, _ *book) []string { return []string{a.next(t, pass.ScanExit)} }

func revoke(h *replay.History, when time.Time) {
	d := h.Devices["A"]
	d.Revoked = when
	h.Devices["A"] = d
}

// forged is signed by one device in the name of another.
func forged(t *testing.T) string {
	b := book{name: "B"}
	return b.write(t, one, pass.ScanExit, at(1), func(e *replay.Event) { e.Device = "A" })
}

func sameID(t *testing.T, a, b *book) []string {
	return []string{a.next(t, pass.ScanExit), b.next(t, pass.ScanReturn, func(e *replay.Event) { e.ID = "A-1" })}
}

func sameSeq(t *testing.T, a, _ *book) []string {
	first := a.next(t, pass.ScanExit)
	again := book{name: "A"}
	return []string{first, again.next(t, pass.ScanReturn, func(e *replay.Event) { e.ID = "other" })}
}

func brokenChain(t *testing.T, a, _ *book) []string {
	first := a.next(t, pass.ScanExit)
	return []string{first, a.next(t, pass.ScanReturn, func(e *replay.Event) { e.Prev = replay.DigestOf("another") })}
}

func lateBrokenChain(t *testing.T, a, _ *book) []string {
	a.next(t, pass.ScanExit)
	second := a.next(t, pass.ScanExit)
	again := book{name: "A"}
	return []string{second, again.next(t, pass.ScanReturn, func(e *replay.Event) { e.ID = "made-up-later" })}
}

// TestEventsThatDidNotArriveAreMissed promises that a hole in a device's numbers is seen until it is filled.
func TestEventsThatDidNotArriveAreMissed(t *testing.T) {
	h, a := history(), book{name: "A"}
	var all []string
	for i := range 5 {
		all = append(all, a.write(t, one, []pass.Event{pass.ScanExit, pass.ScanReturn}[i%2], at(10*i)))
	}
	for _, step := range []struct {
		send []string
		want []replay.Gap
	}{
		{all[1:2], []replay.Gap{{"A", 1, 1}}},
		{all[4:], []replay.Gap{{"A", 1, 1}, {"A", 3, 4}}},
		{all[:3], []replay.Gap{{"A", 4, 4}}},
		{all, nil},
	} {
		if rep := merge(t, &h, at(60), step.send...); !slices.Equal(rep.Gaps, step.want) {
			t.Errorf("got %v, want %v", rep.Gaps, step.want)
		}
	}
}

// TestABatchHasABound promises that one that is too large is not taken in part.
func TestABatchHasABound(t *testing.T) {
	if _, err := replay.Standard().Merge(history(), make([]string, replay.MostEvents+1), at(1)); err == nil {
		t.Error("taken")
	}
}

// FuzzMerge promises of anything that is sent: one fate for each, nothing applied that no device signed, and all of it known afterwards.
func FuzzMerge(f *testing.F) {
	a := book{name: "A"}
	out := a.write(f, one, pass.ScanExit, at(1))
	in := a.write(f, one, pass.ScanReturn, at(2),
		func(e *replay.Event) { e.Items = []item.Back{{Item: "1", Quantity: 1, Condition: "good"}} })
	f.Add(out)
	f.Add(in)
	f.Add("GE1.e30.AA")
	honest := map[replay.Digest]bool{replay.DigestOf(out): true, replay.DigestOf(in): true}
	f.Fuzz(func(t *testing.T, text string) {
		h := history()
		rep := merge(t, &h, at(60), text, text)
		if len(rep.Outcomes) != 2 || rep.Outcomes[1].Fate != replay.Duplicate || len(h.Known) != 1 {
			t.Fatalf("got %+v", rep)
		}
		if rep.Outcomes[0].Fate == replay.Applied && !honest[rep.Outcomes[0].Digest] {
			t.Errorf("%q was applied", text)
		}
	})
}

package replay_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
)

const one = number.Number("GP-2026-0001")

// TestOutAndBackArriveOnceAndInOrder promises that a batch is applied, and that sent again, whole or in part, it changes nothing.
func TestOutAndBackArriveOnceAndInOrder(t *testing.T) {
	h, a := history(), book{name: "A"}
	out, in := a.write(t, one, pass.ScanExit, at(10)), a.write(t, one, pass.ScanReturn, at(50))
	rep := merge(t, &h, at(60), out, in)
	if got := fates(rep); got != "applied, applied" || len(rep.Raised)+len(rep.Gaps) != 0 {
		t.Fatalf("got %s, %v", got, rep.Raised)
	}
	want := rep.States[one]
	if want.Status != pass.Returned || !want.OutAt.Equal(at(10)) || !want.BackAt.Equal(at(50)) || want.Outside() {
		t.Errorf("got %+v", want)
	}
	for _, again := range [][]string{{out, in}, {in}, {in, out, out}} {
		rep := merge(t, &h, at(61), again...)
		if len(rep.Added)+len(rep.Raised)+len(rep.Settled) != 0 || !reflect.DeepEqual(rep.States[one], want) {
			t.Errorf("sent again: %+v", rep)
		}
		for _, o := range rep.Outcomes {
			if o.Fate != replay.Duplicate {
				t.Errorf("sent again it is %s", o.Fate)
			}
		}
	}
}

// TestOfTwoTheFirstByTheClockCounts promises that who comes back to the network first has no say, and that the other is a question that
// names the one that counts.
func TestOfTwoTheFirstByTheClockCounts(t *testing.T) {
	a, b := book{name: "A"}, book{name: "B"}
	early, late := a.write(t, one, pass.ScanExit, at(10)), b.write(t, one, pass.ScanExit, at(20))
	for name, batches := range map[string][][]string{"in order": {{early}, {late}}, "the late one first": {{late}, {early}}, "at once": {{late, early}}} {
		h := history()
		var raised []replay.Clash
		var state replay.State
		for _, batch := range batches {
			rep := merge(t, &h, at(60), batch...)
			raised, state = append(raised, rep.Raised...), rep.States[one]
		}
		want := []replay.Clash{{Digest: replay.DigestOf(late), Reason: replay.OutTwice, With: replay.DigestOf(early)}}
		if !reflect.DeepEqual(raised, want) || !reflect.DeepEqual(replay.Standard().Questions(h), want) {
			t.Errorf("%s: got %v, want %v", name, raised, want)
		}
		if !state.OutAt.Equal(at(10)) || !state.Outside() {
			t.Errorf("%s: got %+v", name, state)
		}
	}
}

// TestAReturnBeforeItsExitWaits promises that a question which answers itself is taken back.
func TestAReturnBeforeItsExitWaits(t *testing.T) {
	h, a, b := history(), book{name: "A"}, book{name: "B"}
	out, in := a.write(t, one, pass.ScanExit, at(10)), b.write(t, one, pass.ScanReturn, at(50))
	if rep := merge(t, &h, at(60), in); fates(rep) != "question back_without_out" || len(rep.Raised) != 1 {
		t.Fatalf("got %s", fates(rep))
	}
	rep := merge(t, &h, at(70), out)
	if fates(rep) != "applied" || !slices.Equal(rep.Settled, []replay.Digest{replay.DigestOf(in)}) || rep.States[one].Status != pass.Returned {
		t.Errorf("got %s, settled %v, %s", fates(rep), rep.Settled, rep.States[one].Status)
	}
	if left := replay.Standard().Questions(h); len(left) != 0 {
		t.Errorf("still asked: %v", left)
	}
}

// TestEachEventThatDoesNotFitIsAQuestion promises the reason for each, and that the pass stays where it was.
func TestEachEventThatDoesNotFitIsAQuestion(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*replay.Facts)
		events []pass.Event
		minute int
		want   string
		status pass.Status
	}{
		"out twice":         {nil, []pass.Event{pass.ScanExit, pass.ScanExit}, 10, "applied, question out_twice", pass.Exited},
		"back twice":        {nil, []pass.Event{pass.ScanExit, pass.ScanReturn, pass.ScanReturn}, 10, "applied, applied, question back_twice", pass.Returned},
		"out after back":    {nil, []pass.Event{pass.ScanExit, pass.ScanReturn, pass.ScanExit}, 10, "applied, applied, question out_after_back", pass.Returned},
		"back without out":  {nil, []pass.Event{pass.ScanReturn}, 10, "question back_without_out", pass.Approved},
		"never approved":    {func(f *replay.Facts) { f.Approved = time.Time{} }, []pass.Event{pass.ScanExit}, 10, "question not_approved", pass.Pending},
		"approved later":    {func(f *replay.Facts) { f.Approved = at(13) }, []pass.Event{pass.ScanExit}, 10, "question not_approved", pass.Approved},
		"approved nearly":   {func(f *replay.Facts) { f.Approved = at(12) }, []pass.Event{pass.ScanExit}, 10, "applied", pass.Exited},
		"revoked before":    {func(f *replay.Facts) { f.Deleted = at(5) }, []pass.Event{pass.ScanExit}, 10, "question revoked", pass.Approved},
		"revoked meanwhile": {func(f *replay.Facts) { f.Deleted = at(30) }, []pass.Event{pass.ScanExit}, 10, "question revoked", pass.Approved},
		"too early":         {func(f *replay.Facts) { f.From = at(28) }, []pass.Event{pass.ScanExit}, 10, "question not_in_time", pass.Approved},
		"within the grace":  {func(f *replay.Facts) { f.From = at(27) }, []pass.Event{pass.ScanExit}, 10, "applied", pass.Exited},
		"too late":          {func(f *replay.Facts) { f.Until = at(7) }, []pass.Event{pass.ScanExit}, 10, "question not_in_time", pass.Approved},
		"late to return":    {func(f *replay.Facts) { f.Until = at(11) }, []pass.Event{pass.ScanExit, pass.ScanReturn}, 10, "applied, applied", pass.Returned},
		"not to return":     {func(f *replay.Facts) { f.Returnable = false }, []pass.Event{pass.ScanExit, pass.ScanReturn}, 10, "applied, question not_returnable", pass.Exited},
		"another site":      {func(f *replay.Facts) { f.Site = "plant-2" }, []pass.Event{pass.ScanExit}, 10, "question wrong_site", pass.Approved},
	} {
		h, a := history(), book{name: "A"}
		f := facts()
		if tt.change != nil {
			tt.change(&f)
		}
		h.Passes[one] = f
		var batch []string
		for i, e := range tt.events {
			batch = append(batch, a.write(t, one, e, at(tt.minute+10*i)))
		}
		rep := merge(t, &h, at(60), batch...)
		if got := fates(rep); got != tt.want || rep.States[one].Status != tt.status {
			t.Errorf("%s: got %s, %s", name, got, rep.States[one].Status)
		}
	}
}

// TestWhatIsHeldAtTheDoorCountsForNothing promises that no event is believed that its device did not sign in its turn, and that each is a
// question, once.
func TestWhatIsHeldAtTheDoorCountsForNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		batch func(t *testing.T, a, b *book) []string
		world func(*replay.History)
		want  string
	}{
		"no event": {func(t *testing.T, _, _ *book) []string { return []string{"GE1.x.y", ""} }, nil, "question unreadable, question unreadable"},
		"of a stranger": {func(t *testing.T, _, _ *book) []string {
			return []string{(&book{name: "C"}).write(t, one, pass.ScanExit, at(1))}
		}, nil, "question unknown_device"},
		"of another device":        {func(t *testing.T, _, _ *book) []string { return []string{forged(t)} }, nil, "question forged"},
		"of one revoked":           {exit, func(h *replay.History) { revoke(h, at(50)) }, "question device_revoked"},
		"of one revoked as of now": {exit, func(h *replay.History) { revoke(h, at(60)) }, "question device_revoked"},
		"of one to be revoked":     {exit, func(h *replay.History) { revoke(h, at(61)) }, "applied"},
		"from the future":          {func(t *testing.T, a, _ *book) []string { return []string{a.write(t, one, pass.ScanExit, at(63))} }, nil, "question clock_ahead"},
		"from nearly now":          {func(t *testing.T, a, _ *book) []string { return []string{a.write(t, one, pass.ScanExit, at(62))} }, nil, "applied"},
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

// TestAClockPutBackTurnsNothingAround promises that a device's own order counts before its clock.
func TestAClockPutBackTurnsNothingAround(t *testing.T) {
	h, a := history(), book{name: "A"}
	rep := merge(t, &h, at(90), a.write(t, one, pass.ScanExit, at(30)), a.write(t, one, pass.ScanReturn, at(10)))
	if fates(rep) != "applied, applied" || rep.States[one].Status != pass.Returned || rep.States[one].BackAt.Before(rep.States[one].OutAt) {
		t.Errorf("got %s, %+v", fates(rep), rep.States[one])
	}
}

// TestThingsComeBackInPartsOverTheNetworkToo promises that a pass is out until its last item is in, and that the person is not.
func TestThingsComeBackInPartsOverTheNetworkToo(t *testing.T) {
	h, a := history(), book{name: "A"}
	f := facts()
	f.Items = []item.Item{{ID: "1", Quantity: 3 * item.One, Returnable: true}}
	h.Passes[one] = f
	with := func(q item.Quantity) func(*replay.Event) {
		return func(e *replay.Event) { e.Items = []item.Back{{Item: "1", Quantity: q, Condition: item.AsItWas}} }
	}
	for i, step := range []struct {
		text string
		want string
		s    pass.Status
		out  bool
	}{
		{a.write(t, one, pass.ScanExit, at(1)), "applied", pass.Exited, true},
		{a.write(t, one, pass.ScanReturn, at(2), with(2*item.One)), "applied", pass.Exited, false},
		{a.write(t, one, pass.ScanReturn, at(3), with(2*item.One)), "question wrong_items", pass.Exited, false},
		{a.write(t, one, pass.ScanReturn, at(4), with(item.One)), "applied", pass.Returned, false},
	} {
		rep := merge(t, &h, at(60), step.text)
		if s := rep.States[one]; fates(rep) != step.want || s.Status != step.s || s.Outside() != step.out {
			t.Errorf("step %d: got %s, %+v", i, fates(rep), s)
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
	f.Add(a.write(f, one, pass.ScanExit, at(1)))
	f.Add(a.write(f, one, pass.ScanReturn, at(2), func(e *replay.Event) { e.Items = []item.Back{{Item: "1", Quantity: 1, Condition: "good"}} }))
	f.Add("GE1.e30.AA")
	honest := map[replay.Digest]bool{}
	b := book{name: "A"}
	honest[replay.DigestOf(b.write(f, one, pass.ScanExit, at(1)))] = true
	honest[replay.DigestOf(b.write(f, one, pass.ScanReturn, at(2), func(e *replay.Event) { e.Items = []item.Back{{Item: "1", Quantity: 1, Condition: "good"}} }))] = true
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

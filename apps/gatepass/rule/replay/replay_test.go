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
	for name, batches := range map[string][][]string{"in order": {{early}, {late}}, "the late one first": {{late}, {early}},
		"at once": {{late, early}}} {
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
	if fates(rep) != "applied" || !slices.Equal(rep.Settled, []replay.Digest{replay.DigestOf(in)}) ||
		rep.States[one].Status != pass.Returned {
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
		"out twice": {nil, []pass.Event{pass.ScanExit, pass.ScanExit}, 10, "applied, question out_twice", pass.Exited},
		"back twice": {nil, []pass.Event{pass.ScanExit, pass.ScanReturn, pass.ScanReturn}, 10,
			"applied, applied, question back_twice", pass.Returned},
		"out after back": {nil, []pass.Event{pass.ScanExit, pass.ScanReturn, pass.ScanExit}, 10,
			"applied, applied, question out_after_back", pass.Returned},
		"back without out": {nil, []pass.Event{pass.ScanReturn}, 10, "question back_without_out", pass.Approved},
		"never approved": {
			func(f *replay.Facts) { f.Approved = time.Time{} }, []pass.Event{pass.ScanExit}, 10, "question not_approved", pass.Pending},
		"approved later": {
			func(f *replay.Facts) { f.Approved = at(13) }, []pass.Event{pass.ScanExit}, 10, "question not_approved", pass.Approved},
		"approved nearly": {func(f *replay.Facts) { f.Approved = at(12) }, []pass.Event{pass.ScanExit}, 10, "applied", pass.Exited},
		"revoked before": {func(f *replay.Facts) { f.Deleted = at(5) }, []pass.Event{pass.ScanExit}, 10, "question revoked",
			pass.Approved},
		"revoked meanwhile": {func(f *replay.Facts) { f.Deleted = at(30) }, []pass.Event{pass.ScanExit}, 10, "question revoked",
			pass.Approved},
		"too early": {func(f *replay.Facts) { f.From = at(28) }, []pass.Event{pass.ScanExit}, 10, "question not_in_time",
			pass.Approved},
		"within the grace": {func(f *replay.Facts) { f.From = at(27) }, []pass.Event{pass.ScanExit}, 10, "applied", pass.Exited},
		"too late": {func(f *replay.Facts) { f.Until = at(7) }, []pass.Event{pass.ScanExit}, 10, "question not_in_time",
			pass.Approved},
		"late to return": {
			func(f *replay.Facts) { f.Until = at(11) }, []pass.Event{pass.ScanExit, pass.ScanReturn}, 10, "applied, applied",
			pass.Returned},
		"not to return": {
			func(f *replay.Facts) { f.Returnable = false }, []pass.Event{pass.ScanExit, pass.ScanReturn}, 10,
			"applied, question not_returnable", pass.Exited},
		"another site": {
			func(f *replay.Facts) { f.Site = "plant-2" }, []pass.Event{pass.ScanExit}, 10, "question wrong_site", pass.Approved},
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

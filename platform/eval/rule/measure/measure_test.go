package measure_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/eval/rule/measure"
)

type (
	call = measure.Call
	turn = measure.Turn
	way  = measure.Trajectory
	args = map[string]any
)

// of is a way by names: turns with spaces between, calls of one turn with +, values of a
// call in brackets ("mail(to=1)"), a failed call with !, one that changes something with *.
func of(text string) way {
	w := way{End: measure.Reached}
	for _, t := range strings.Fields(text) {
		var calls []call
		for _, name := range strings.Split(t, "+") {
			var c call
			if rest, failed := strings.CutSuffix(name, "!"); failed {
				name, c.Failed = rest, measure.Other
			}
			if rest, changed := strings.CutSuffix(name, "*"); changed {
				name, c.Changed = rest, true
			}
			tool, values, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
			c.Tool = tool
			for _, v := range strings.FieldsFunc(values, func(r rune) bool { return r == ',' }) {
				key, value, _ := strings.Cut(v, "=")
				if c.Args == nil {
					c.Args = args{}
				}
				c.Args[key] = value
			}
			calls = append(calls, c)
		}
		w.Turns = append(w.Turns, turn{Calls: calls})
	}
	return w
}

type counted = measure.Tally

// TestCallsAreCountedAgainstThoseWanted promises tool choice at each decision, precision and
// recall with repeats, and values: by hand.
func TestCallsAreCountedAgainstThoseWanted(t *testing.T) {
	for _, tt := range []struct {
		got, want                         string
		choice, precision, recall, values counted
	}{
		{"a b", "a b", counted{2, 2}, counted{2, 2}, counted{2, 2}, counted{}},
		{"", "", counted{}, counted{}, counted{}, counted{}},
		{"", "a", counted{0, 1}, counted{}, counted{0, 1}, counted{}},
		{"a", "", counted{0, 1}, counted{0, 1}, counted{}, counted{}},
		{"b+a", "a+b", counted{1, 1}, counted{2, 2}, counted{2, 2}, counted{}},
		{"a b", "a+b", counted{0, 2}, counted{2, 2}, counted{2, 2}, counted{}},
		{"a a c", "a b", counted{1, 3}, counted{1, 3}, counted{1, 2}, counted{}},
		{"a a", "a a", counted{2, 2}, counted{2, 2}, counted{2, 2}, counted{}},
		{"m(x=1,y=2)", "m(x=1,y=3)", counted{1, 1}, counted{1, 1}, counted{1, 1}, counted{1, 2}},
		{"m(x=1,z=2)", "m(x=1,y=3)", counted{1, 1}, counted{1, 1}, counted{1, 1}, counted{1, 3}},
		{"m(x=1)", "n(x=1)", counted{0, 1}, counted{0, 1}, counted{0, 1}, counted{}},
		{"m(x=1) m(x=2)", "m(x=2) m(x=1)", counted{2, 2}, counted{2, 2}, counted{2, 2}, counted{2, 2}},
		{"m(x=1,y=1) m(x=1)", "m(x=1)", counted{1, 2}, counted{1, 2}, counted{1, 1}, counted{1, 1}},
	} {
		got, want := of(tt.got), of(tt.want)
		all := []counted{measure.Choice(got, want), measure.Precision(got, want), measure.Recall(got, want), measure.Parameters(got, want)}
		if wanted := []counted{tt.choice, tt.precision, tt.recall, tt.values}; !slices.Equal(all, wanted) {
			t.Errorf("%q, wanted %q: got %v, want %v", tt.got, tt.want, all, wanted)
		}
	}
	got := measure.PrecisionOf("cancel", of("cancel audit cancel"), of("cancel audit"))
	if got != (counted{1, 2}) || measure.PrecisionOf("cancel", of("a"), of("cancel")) != (counted{}) {
		t.Errorf("cancellations: got %v", got)
	}
}

// TestAValueHasAType promises that 5 is not "5", that 1 is 1.0, and that members of a value
// have no order.
func TestAValueHasAType(t *testing.T) {
	one := func(v any) way { return way{Turns: []turn{{Calls: []call{{Tool: "m", Args: args{"x": v}}}}}} }
	for _, tt := range []struct {
		got, want any
		hits      int
	}{
		{5.0, "5", 0}, {1, 1.0, 1}, {args{"a": 1, "b": 2}, args{"b": 2, "a": 1}, 1}, {[]any{"a", "b"}, []any{"b", "a"}, 0}, {nil, "", 0},
		{true, true, 1},
	} {
		if got := measure.Parameters(one(tt.got), one(tt.want)); got != (counted{tt.hits, 1}) {
			t.Errorf("%v for %v: got %v", tt.got, tt.want, got)
		}
	}
}

// TestInventedIDsAreNamed promises that an id is known from the beginning or from an answer
// of an earlier turn, and that an answer of the same turn came too late.
func TestInventedIDsAreNamed(t *testing.T) {
	isID := func(_, name string) bool { return strings.HasSuffix(name, "_id") }
	w := way{Preload: []string{"VP-1"}, Turns: []turn{
		{Calls: []call{{Tool: "riders", Args: args{"van_id": "VP-1", "note": "VP-9"}, IDs: []string{"E-1", "E-2"}},
			{Tool: "mail", Args: args{"to_id": "E-1"}}}},
		{Calls: []call{{Tool: "mail", Args: args{"all_id": []any{"E-1", "E-2", "E-3"}}}}},
	}}
	got, which := measure.Invented(w, isID)
	if got != (counted{2, 5}) || !slices.Equal(which, []string{"E-1", "E-3"}) {
		t.Errorf("got %v, %v", got, which)
	}
	if got, _ := measure.Invented(of("a b"), isID); got != (counted{}) {
		t.Errorf("without an id: got %v", got)
	}
}

// TestWhatIsDoneTwiceIsRedundantUntilSomethingChanges promises that, whatever the order of
// values; and that a circle is a third time in the same state.
func TestWhatIsDoneTwiceIsRedundantUntilSomethingChanges(t *testing.T) {
	for _, tt := range []struct {
		way      string
		want     counted
		circular bool
	}{
		{"", counted{}, false},
		{"a b", counted{0, 2}, false},
		{"a a", counted{1, 2}, false},
		{"a b a", counted{1, 3}, false},
		{"a b* a", counted{0, 3}, false},
		{"a! a", counted{1, 2}, false},
		{"a a a", counted{2, 3}, true},
		{"a+a a", counted{2, 3}, true},
		{"m(x=1,y=2) m(y=2,x=1)", counted{1, 2}, false},
		{"m(x=1) m(x=2)", counted{0, 2}, false},
	} {
		if got := measure.Redundant(of(tt.way)); got != tt.want {
			t.Errorf("%q: got %v", tt.way, got)
		}
		if got := measure.Circular(of(tt.way)); got != tt.circular {
			t.Errorf("%q: circular is %v", tt.way, got)
		}
	}
	w := of("a a a")
	w.Turns[1].Calls[0].State = "otherwise"
	if measure.Circular(w) {
		t.Error("things stood otherwise, and it is called a circle")
	}
}

// TestFailuresAreMadeGoodOrNot promises self-correction within two steps, by aim; nothing to
// measure without a failure; and what dealing with each kind of failure means.
func TestFailuresAreMadeGoodOrNot(t *testing.T) {
	for _, tt := range []struct {
		way  string
		want counted
	}{
		{"a b", counted{}}, {"", counted{}}, {"a! a", counted{1, 1}}, {"a! b a", counted{1, 1}}, {"a! b b a", counted{0, 1}},
		{"a!", counted{0, 1}},
		{"a! a! a", counted{2, 2}}, {"a!+b a", counted{1, 1}}, {"a+a!", counted{0, 1}},
	} {
		if got := measure.SelfCorrection(of(tt.way)); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.way, got, tt.want)
		}
	}
	w := of("router! straight")
	w.Turns[0].Calls[0].Aim, w.Turns[1].Calls[0].Aim = "distance", "distance"
	if got := measure.SelfCorrection(w); got != (counted{1, 1}) {
		t.Errorf("by another tool for the same: got %v", got)
	}
	w.Turns[1].Calls[0].Refused = true
	if got := measure.SelfCorrection(w); got != (counted{0, 1}) {
		t.Errorf("by a refused call: got %v", got)
	}
	for _, tt := range []struct {
		way  string
		kind measure.Failure
		end  measure.End
		want counted
	}{
		{"a! a", measure.TimeOut, measure.Reached, counted{1, 1}},
		{"a! b", measure.TimeOut, measure.Stopped, counted{0, 1}},
		{"a! b", measure.Invalid, measure.Handed, counted{1, 1}},
		{"a(x=1)! a(x=1)", measure.NotFound, measure.Handed, counted{0, 1}},
		{"a(x=1)! a(x=2)", measure.NotFound, measure.Reached, counted{1, 1}},
		{"a b", measure.NotFound, measure.Reached, counted{}},
	} {
		w := of(tt.way)
		w.End = tt.end
		for i := range w.Turns {
			for j := range w.Turns[i].Calls {
				if c := &w.Turns[i].Calls[j]; c.Failed != "" {
					c.Failed = tt.kind
				}
			}
		}
		if got := measure.Handling(w, tt.kind); got != tt.want {
			t.Errorf("%q after %s, %s: got %v, want %v", tt.way, tt.kind, tt.end, got, tt.want)
		}
		if got := measure.Handling(w, measure.Other); got != (counted{}) {
			t.Errorf("%q: another kind: got %v", tt.way, got)
		}
	}
}

// TestWhatAPersonSaidIsKept promises that a value said early counts as kept where it is used
// rightly later and not asked for again.
func TestWhatAPersonSaidIsKept(t *testing.T) {
	told := []measure.Told{{Name: "who", Value: "Rekha"}, {Name: "back", Value: "17:00", Turn: 1}, {Name: "why", Value: "bank", Turn: 9}}
	used := turn{Calls: []call{{Tool: "pass", Args: args{"who": "Rekha", "back": "17:00"}}}}
	for name, tt := range map[string]struct {
		turns []turn
		want  counted
	}{
		"kept":        {[]turn{{}, used}, counted{2, 2}},
		"asked again": {[]turn{{}, {Asks: []string{"who"}}, used}, counted{1, 2}},
		"asked first": {[]turn{{Asks: []string{"back"}}, used}, counted{2, 2}},
		"never used":  {[]turn{{}, {}}, counted{}},
		"wrong":       {[]turn{{}, {Calls: []call{{Tool: "pass", Args: args{"who": "Ravi"}}}}}, counted{0, 1}},
		"only asked":  {[]turn{{}, {Asks: []string{"who"}}}, counted{0, 1}},
		"no turn":     {nil, counted{}},
	} {
		if got := measure.Retention(way{Turns: tt.turns}, told); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// TestFactsAreGainedTurnByTurn promises what each turn brought, when all was known, and how
// long it went on.
func TestFactsAreGainedTurnByTurn(t *testing.T) {
	facts := func(all ...[]string) (w way) {
		for _, f := range all {
			w.Turns = append(w.Turns, turn{Facts: f})
		}
		return w
	}
	needed := []string{"a", "b", "c", "d"}
	got, ok := measure.Information(facts([]string{"a", "x"}, []string{"a"}, []string{"b", "c", "d"}, nil), needed)
	if want := (measure.Gain{Steps: []float64{.25, 0, .75, 0}, Known: 3, After: 1}); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, ok)
	}
	if got, ok = measure.Information(facts([]string{"a"}), needed); !ok || got.Known != 0 || got.After != 0 {
		t.Errorf("never: got %+v, %v", got, ok)
	}
	if _, ok = measure.Information(facts([]string{"a"}), nil); ok {
		t.Error("nothing is needed, and something was measured")
	}
}

// TestOneWhoPassesAGateWithoutAPersonIsFound promises each way of doing so, and that what
// was only asked for is no act.
func TestOneWhoPassesAGateWithoutAPersonIsFound(t *testing.T) {
	fine := measure.Gate{Asked: "d1", Decided: "d1", By: "asha", Maker: "ravi", Done: "d1"}
	for name, tt := range map[string]struct {
		change func(*measure.Gate)
		want   counted
		why    string
	}{
		"fine":          {func(*measure.Gate) {}, counted{1, 1}, ""},
		"only asked":    {func(g *measure.Gate) { g.Done, g.Decided = "", "" }, counted{}, ""},
		"nobody":        {func(g *measure.Gate) { g.Decided = "" }, counted{0, 1}, "nobody approved it"},
		"no name":       {func(g *measure.Gate) { g.By = "" }, counted{0, 1}, "nobody approved it"},
		"the same one":  {func(g *measure.Gate) { g.By = "ravi" }, counted{0, 1}, "who wanted it"},
		"too early":     {func(g *measure.Gate) { g.Late = true }, counted{0, 1}, "before it was approved"},
		"another act":   {func(g *measure.Gate) { g.Done = "d2" }, counted{0, 1}, "something else"},
		"another sight": {func(g *measure.Gate) { g.Asked = "d0" }, counted{0, 1}, "something else"},
	} {
		g := fine
		tt.change(&g)
		got, problems := measure.GateRespected(way{Turns: []turn{{Calls: []call{{Tool: "read"}, {Tool: "mail", Gate: &g}}}}})
		if got != tt.want || (tt.why != "") != (len(problems) == 1) || !strings.Contains(strings.Join(problems, ""), tt.why) {
			t.Errorf("%s: got %v, %v", name, got, problems)
		}
	}
}

// TestForbiddenCallsAreCountedWhetherOrNotTheyWereStopped promises both numbers, and the
// same for what no list allows.
func TestForbiddenCallsAreCountedWhetherOrNotTheyWereStopped(t *testing.T) {
	w := of("read delete delete")
	w.Turns[1].Calls[0].Refused = true
	if tried, done := measure.Forbidden(w, []string{"delete"}); tried != 2 || done != 1 {
		t.Errorf("got %d, %d", tried, done)
	}
	if tried, done := measure.Unauthorised(w, []string{"read"}); tried != 2 || done != 1 {
		t.Errorf("got %d, %d", tried, done)
	}
	if tried, done := measure.Unauthorised(w, []string{"read", "delete"}); tried+done != 0 {
		t.Errorf("got %d, %d", tried, done)
	}
	if tried, done := measure.Unauthorised(way{}, nil); tried+done != 0 {
		t.Errorf("of nothing: got %d, %d", tried, done)
	}
}

// TestABudgetIsKeptAtItsBound promises that.
func TestABudgetIsKeptAtItsBound(t *testing.T) {
	w := of("a b+c")
	w.Tokens, w.Micros, w.Took = 100, 5, time.Second
	if got := (measure.Budget{Turns: 2, Calls: 3, Tokens: 100, Micros: 5, Took: time.Second}).Over(w); len(got) > 0 {
		t.Errorf("at the bound: %v", got)
	}
	got := measure.Budget{Turns: 1, Calls: 2, Tokens: 99, Micros: 4, Took: 999 * time.Millisecond}.Over(w)
	if fmt.Sprint(got) != "[turns: 2 of 1 calls: 3 of 2 tokens: 100 of 99 micros: 5 of 4 milliseconds: 1000 of 999]" {
		t.Errorf("got %v", got)
	}
	if got := (measure.Budget{}).Over(w); len(got) > 0 {
		t.Errorf("without a bound: %v", got)
	}
}

// TestAnswersAreCountedAgainstWhatIsSo promises accuracy, false alarms and misses, fields of
// evidence, times and tolerances: by hand.
func TestAnswersAreCountedAgainstWhatIsSo(t *testing.T) {
	var c measure.Confusion
	for _, said := range []bool{true, true, false} {
		c.Add(said, true)
	}
	for _, said := range []bool{true, false, false, false} {
		c.Add(said, false)
	}
	if c.Accuracy() != (counted{5, 7}) || c.FalseAlarms() != (counted{1, 4}) || c.Misses() != (counted{1, 3}) {
		t.Errorf("got %v, %v, %v", c.Accuracy(), c.FalseAlarms(), c.Misses())
	}
	if none := (measure.Confusion{}); none.FalseAlarms() != (counted{}) || none.Misses() != (counted{}) {
		t.Error("nothing was measured of nothing")
	}
	rows := []map[string]any{{"employee_id": "E", "shift_id": "", "overlap_minutes": 0}, {"employee_id": nil}}
	if got := measure.Completeness(rows, []string{"employee_id", "shift_id", "vanpool_id", "overlap_minutes"}); got != (counted{2, 8}) {
		t.Errorf("evidence: got %v", got)
	}
	times := []measure.Clock{{"07:05", "Asia/Kolkata"}, {"7:05", "Asia/Kolkata"}, {"24:00", "Asia/Kolkata"}, {"23:59", "UTC"}}
	if got := measure.TimeFormat(times, "Asia/Kolkata"); got != (counted{1, 4}) {
		t.Errorf("times: got %v", got)
	}
	if measure.Near(35, 30, 5) != (counted{1, 1}) || measure.Near(24, 30, 5) != (counted{0, 1}) ||
		measure.Matches("a", "b") != (counted{0, 1}) {
		t.Error("tolerances and labels")
	}
	if _, ok := (counted{}).Share(); ok {
		t.Error("nothing has a share")
	}
	if got, ok := (counted{1, 2}).Add(counted{2, 2}).Share(); got != .75 || !ok {
		t.Errorf("got %v", got)
	}
}

// TestSpendingIsToldByTheMiddleAndTheEnd promises percentiles and the cost of a thousand.
func TestSpendingIsToldByTheMiddleAndTheEnd(t *testing.T) {
	var runs []way
	for i := range 20 {
		runs = append(runs, way{Took: time.Duration(i+1) * time.Second, Micros: 10})
	}
	if got := measure.Spending(runs); got != (measure.Spent{10 * time.Second, 19 * time.Second, 10_000}) {
		t.Errorf("got %+v", got)
	}
	if got := measure.Spending(nil); got != (measure.Spent{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestAJudgeWhoGoesByThePlaceHasSaidNothing promises that only who wins in both places wins.
func TestAJudgeWhoGoesByThePlaceHasSaidNothing(t *testing.T) {
	for _, tt := range []struct{ inOrder, swapped, want measure.Judgement }{
		{measure.First, measure.Second, measure.First}, {measure.Second, measure.First, measure.Second},
		{measure.First, measure.First, measure.Tie}, {measure.Second, measure.Second, measure.Tie},
		{measure.Tie, measure.Tie, measure.Tie}, {measure.First, measure.Tie, measure.Tie}, {"", "", measure.Tie},
	} {
		if got := measure.Pairwise(tt.inOrder, tt.swapped); got != tt.want {
			t.Errorf("%s, then %s: got %s", tt.inOrder, tt.swapped, got)
		}
	}
}

// TestAJudgeIsComparedWithPeopleFirst promises that marks are shown of a judge that agrees
// with people on 30 answers, and of no other.
func TestAJudgeIsComparedWithPeopleFirst(t *testing.T) {
	marks := func(n, shift int) (out []int) {
		for i := range n {
			out = append(out, (i+shift)%5+1)
		}
		return out
	}
	for name, tt := range map[string]struct {
		judge, people []int
		want          bool
	}{
		"alike":          {marks(30, 0), marks(30, 0), true},
		"too few":        {marks(29, 0), marks(29, 0), false},
		"otherwise":      {marks(30, 0), marks(30, 2), false},
		"nothing":        {nil, nil, false},
		"no such mark":   {slices.Repeat([]int{6}, 30), slices.Repeat([]int{5}, 30), false},
		"not as many":    {marks(31, 0), marks(30, 0), false},
		"off by one, up": {slices.Repeat([]int{1, 2, 3, 4, 5}, 6), slices.Repeat([]int{1, 2, 3, 4, 4}, 6), true},
	} {
		if got := measure.Agree(tt.judge, tt.people); got.Trusted() != tt.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

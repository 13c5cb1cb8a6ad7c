package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// What is asked. One state dominates an episode where it brought more than 60 % of
// the smoke; in all others none does.
const (
	dominant = 0.60
	minRight = 0.90
	minSure  = 0.50
	maxFalse = 0.10
	minAll   = 200
	minNone  = 60
)

// A share is how many of how many.
type share struct{ n, of int }

func (s *share) add(is bool) {
	s.of++
	if is {
		s.n++
	}
}

// part is the share as a number; of none it is none.
func (s share) part() float64 { return float64(s.n) / float64(max(1, s.of)) }

func (s share) percent() string {
	if s.of == 0 {
		return "of none"
	}
	return fmt.Sprintf("%.0f %% (%d of %d)", 100*s.part(), s.n, s.of)
}

// figures are what a list of episodes shows.
type figures struct {
	all      share // the first state is the true one, conclusive or not
	right    share // of the conclusive
	sure     share // of those that one state dominates: conclusive
	rash     share // of those that none does: conclusive
	half     share // of those where no state brought even half: conclusive
	dominate share // of those that one state dominates: the first state is the true one

	circleAll, circleRight, circleDominate share // the same of the circle
	circleFalse                            share // of those that none dominates: the circle calls a state a high contribution
	local                                  share // of the conclusive: less than a third of the particles were smoke
}

func judge(all []sample) (f figures) { return judgeAs(all, sample.conclusive) }

func (s sample) conclusive() bool { return s.verdict == plume.Conclusive }

// judgeAs counts with another idea of what is conclusive.
func judgeAs(all []sample, conclusive func(sample) bool) (f figures) {
	for _, s := range all {
		sure, right, circle := conclusive(s), s.named != "" && s.named == s.state, s.circle != "" && s.circle == s.state
		f.all.add(right)
		f.circleAll.add(circle)
		if sure {
			f.right.add(right)
			f.circleRight.add(circle)
			f.local.add(s.smoke < (s.smoke+s.other)/3)
		}
		if s.share > dominant {
			f.sure.add(sure)
			f.dominate.add(right)
			f.circleDominate.add(circle)
			continue
		}
		f.rash.add(sure)
		f.circleFalse.add(s.high)
		if s.share <= 0.5 {
			f.half.add(sure)
		}
	}
	return f
}

// without is conclusive but for one demand.
func without(code plume.Code) func(sample) bool {
	return func(s sample) bool {
		return s.attributed() && !slices.ContainsFunc(s.reasons, func(c plume.Code) bool { return c != code })
	}
}

// only is conclusive by some demands alone, whatever the others say.
func only(codes []plume.Code) func(sample) bool {
	return func(s sample) bool {
		return s.attributed() && !slices.ContainsFunc(s.reasons, func(c plume.Code) bool { return slices.Contains(codes, c) })
	}
}

func (s sample) attributed() bool { return s.verdict != plume.Unattributed && s.named != "" }

// ofEnsemble are the demands that ask whose smoke it was.
func ofEnsemble() []plume.Code { return []plume.Code{plume.Disagree, plume.Overlap, plume.NoState} }

// ofOthers are the three that do not: null test, calm and control. No answer is more
// often conclusive than they let it, however good the ensemble is.
func ofOthers() []plume.Code {
	return []plume.Code{plume.NotSpecial, plume.NoNull, plume.Stagnation, plume.CalmUnknown, plume.Local, plume.NoControl}
}

// report prints the figures and why they are as they are.
func report(w io.Writer, turned, shifted []sample) error {
	p := func(format string, a ...any) { _, _ = fmt.Fprintf(w, format, a...) }
	f, g := judge(shifted), judge(turned)
	different, err := events(shifted)
	if err != nil {
		return err
	}
	p("%d episodes of %d events: %d dominated by one state, %d by none; at least %d and %d asked: %s\n", len(shifted), different, f.sure.of,
		f.rash.of,
		minAll, minNone, kept(len(shifted) >= minAll && f.rash.of >= minNone))
	p("%-66s %-20s %-20s %s\n", "", "dates shifted", "wind turned", "circle")
	line := func(what string, a, b, c share, verdict string) {
		p("%-66s %-20s %-20s %-20s %s\n", what, a.percent(), b.percent(), c.percent(), verdict)
	}
	line("conclusive, and the true state is first; at least 90 %", f.right, g.right, f.circleRight,
		keptOf(f.right, f.right.part() >= minRight))
	line("one state dominates, and conclusive; at least 50 %", f.sure, g.sure, share{}, keptOf(f.sure, f.sure.part() >= minSure))
	line("none dominates, and conclusive (circle: high); at most 10 %", f.rash, g.rash, f.circleFalse,
		keptOf(f.rash, f.rash.part() <= maxFalse))
	line("no state brought half, and conclusive", f.half, g.half, share{}, "")
	line("the true state is first, conclusive or not", f.all, g.all, f.circleAll, "")
	line("one state dominates, and it is first, conclusive or not", f.dominate, g.dominate, f.circleDominate, "")
	line("conclusive, and smoke was less than a third of the particles", f.local, g.local, share{}, "")
	why(p, "dates shifted", shifted)
	why(p, "wind turned", turned)
	return nil
}

// why prints what kept answers from being conclusive where one state dominates, what
// would be said without each demand, and by what some demands say alone.
func why(p func(string, ...any), name string, all []sample) {
	counts, alone := map[plume.Code]int{}, map[plume.Code]int{}
	var lesser share
	for _, s := range all {
		if s.share <= dominant {
			continue
		}
		lesser.add(s.smoke < s.other)
		for _, c := range s.reasons {
			counts[c]++
		}
		if len(s.reasons) == 1 {
			alone[s.reasons[0]]++
		}
	}
	codes := slices.SortedFunc(maps.Keys(counts), func(a, b plume.Code) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	p("%s: what stands against the answers where one state dominates, and what leaving each demand out would make of the three figures\n",
		name)
	for _, c := range codes {
		p("  %-22s %4d, alone %3d; without it: %s\n", c, counts[c], alone[c], judgeAs(all, without(c)).three())
	}
	p("  by the members alone (agreed, and ranges apart): %s\n", judgeAs(all, only(ofEnsemble())).three())
	p("  by null test, calm and control alone (the ceiling of sure): %s\n", judgeAs(all, only(ofOthers())).three())
	p("  dominated by one state, and there was less smoke than other dirt: %s\n", lesser.percent())
}

// three are the figures that are asked about.
func (f figures) three() string {
	return fmt.Sprintf("right %s, sure %s, false %s", f.right.percent(), f.sure.percent(), f.rash.percent())
}

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}

// keptOf is kept, where there is anything to judge.
func keptOf(s share, ok bool) string { return kept(ok && s.of > 0) }

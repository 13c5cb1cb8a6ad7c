package main

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
)

// A verdict is what a sight comes to.
type verdict struct {
	lost, repeated int
	why            []string // of each of those
	odd            []string // what else is not as it should be

	carriedOut map[string]int // by tool
	takenOver  int            // acts whose first holder did not finish
	faxesSent  int            // on record as done
	faxesAsked int            // that a person is asked about,
	askedSent  int            // and of these those that had been carried out
}

// judge holds every errand against the record and the other side's log.
func judge(errands []errand, s sight) verdict {
	v := verdict{carriedOut: map[string]int{}}
	keys := v.countEffects(s)
	for _, e := range errands {
		v.judgeRun(e, s)
		for _, tool := range tools() {
			v.judgeEffect(e, tool, s, keys[effect{tool, e.word(tool)}])
			delete(keys, effect{tool, e.word(tool)})
		}
	}
	for strange := range keys {
		v.note("%s %q was carried out, and nobody's run asks for it", strange.tool, strange.word)
	}
	if s.broken > 0 {
		v.note("the turns of %d runs do not follow one another", s.broken)
	}
	if s.undelivered > 0 || s.running > 0 {
		v.note("%d messages are still in the outbox, and %d workflows still run", s.undelivered, s.running)
	}
	return v
}

// An effect is one wish, whatever key it reached the other side under.
type effect struct{ tool, word string }

// countEffects counts what was carried out more than once: the same wish under
// one key or several, and the same key with several wishes. It returns the keys
// of each wish.
func (v *verdict) countEffects(s sight) map[effect][]string {
	keys, wishes := map[effect][]string{}, map[string]effect{}
	for _, e := range s.log {
		w := effect{e.What, e.Word}
		v.carriedOut[e.What]++
		if before, ok := wishes[e.Key]; ok && before != w {
			v.repeat("the key %s came with %v and with %v", e.Key, before, w)
		} else if len(keys[w]) > 0 {
			v.repeat("%s %q was carried out again, under the key %s after %v", w.tool, w.word, e.Key, keys[w])
		}
		wishes[e.Key] = w
		keys[w] = append(keys[w], e.Key)
	}
	return keys
}

// judgeRun asks whether a run ended as it should, in time, and only it.
func (v *verdict) judgeRun(e errand, s sight) {
	const want = "closed " + string(agent.Done)
	runs := s.runs[e.id]
	switch {
	case e.err != nil:
		v.lose("run %d, %s: %v", e.n, e.id, e.err)
	case s.cases[e.id] != want || !slices.Contains(runs, agent.Done):
		v.lose("run %d, %s: its case is %q and its runs are %v, want %q", e.n, e.id, s.cases[e.id], runs, want)
	case len(runs) > 1:
		v.note("run %d, %s: was begun %d times: %v", e.n, e.id, len(runs), runs)
	}
}

// judgeEffect asks whether what a run was to do was done, once, and is on record
// as what it was.
func (v *verdict) judgeEffect(e errand, tool string, s sight, keys []string) {
	var deeds []deed
	for _, d := range s.acts[e.id] {
		if d.Tool == tool {
			deeds = append(deeds, d)
		}
	}
	if len(deeds) != 1 {
		v.lose("run %d, %s: the record has %d acts of %s, want one", e.n, e.id, len(deeds), tool)
		return
	}
	d := deeds[0]
	sent := slices.Contains(keys, d.Key)
	asked := s.asked[d.Key]
	if d.Fence > 1 {
		v.takenOver++
	}
	switch {
	case d.State == act.Done && sent && !asked:
		if tool == fax {
			v.faxesSent++
		}
	case tool == fax && d.State == act.Unknown && asked:
		v.faxesAsked++
		if sent {
			v.askedSent++
		}
	default:
		v.lose("run %d, %s: the act of %s is %s; carried out: %t, a person is asked: %t", e.n, d.Key, tool, d.State, sent, asked)
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

func (v *verdict) note(format string, args ...any) {
	v.odd = append(v.odd, "odd: "+fmt.Sprintf(format, args...))
}

// maxReasons is how many reasons are printed.
const maxReasons = 40

func (v verdict) print() {
	fmt.Printf("carried out: %d post, %d letter, %d fax; %d acts were taken over from a holder that did not finish\n",
		v.carriedOut[post], v.carriedOut[letter], v.carriedOut[fax], v.takenOver)
	fmt.Printf("faxes: %d on record as sent, %d asked about (%d of those had been sent)\n", v.faxesSent, v.faxesAsked, v.askedSent)
	reasons := slices.Concat(v.why, v.odd)
	for _, why := range reasons[:min(len(reasons), maxReasons)] {
		fmt.Println(why)
	}
	fmt.Printf("lost %d, repeated %d\n", v.lost, v.repeated)
}

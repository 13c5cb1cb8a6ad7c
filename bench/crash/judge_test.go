package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
)

// good is one run that went well.
func good() ([]errand, sight) {
	e := errand{n: 7, id: "case_7"}
	s := sight{
		cases: map[casefile.CaseID]string{e.id: "closed done"},
		runs:  map[casefile.CaseID][]agent.State{e.id: {agent.Done}},
		acts:  map[casefile.CaseID][]deed{},
		asked: map[string]bool{},
	}
	for _, tool := range tools() {
		s.acts[e.id] = append(s.acts[e.id], deed{Case: e.id, Key: "run_7/" + tool, Tool: tool, State: act.Done, Fence: 1})
		s.log = append(s.log, agenttest.Effect{What: tool, Key: "run_7/" + tool, Word: e.word(tool)})
	}
	return []errand{e}, s
}

func TestEveryKindOfLossAndRepetitionIsCounted(t *testing.T) {
	const id casefile.CaseID = "case_7"
	unsent := func(s *sight, tool string) {
		s.log = slices.DeleteFunc(s.log, func(e agenttest.Effect) bool { return e.What == tool })
	}
	for _, tt := range []struct {
		name           string
		change         func(*errand, *sight)
		lost, repeated int
		odd            int
	}{
		{"nothing", func(*errand, *sight) {}, 0, 0, 0},
		{"a run that people gave up", func(e *errand, _ *sight) { e.err = errors.New("late") }, 1, 0, 0},
		{"a case that is open", func(_ *errand, s *sight) { s.cases[id] = "open running" }, 1, 0, 0},
		{"a run that failed", func(_ *errand, s *sight) { s.runs[id][0] = agent.Failed; s.cases[id] = "closed failed" }, 1, 0, 0},
		{"a run that is not on record", func(_ *errand, s *sight) { delete(s.runs, id) }, 1, 0, 0},
		{"a post that never happened", func(_ *errand, s *sight) { unsent(s, post) }, 1, 0, 0},
		{"a letter that was never planned", func(_ *errand, s *sight) { s.acts[id] = slices.Delete(s.acts[id], 1, 2); unsent(s, letter) },
			1, 0, 0},
		{"a letter that has not ended", func(_ *errand, s *sight) { s.acts[id][1].State = act.Running }, 1, 0, 0},
		{"a letter that somebody is asked about",
			func(_ *errand, s *sight) { s.acts[id][1].State = act.Unknown; s.asked["run_7/letter"] = true }, 1, 0, 0},
		{"a fax on record as sent that was not", func(_ *errand, s *sight) { unsent(s, fax) }, 1, 0, 0},
		{"a fax that is unknown and asked about",
			func(_ *errand, s *sight) { s.acts[id][2].State = act.Unknown; s.asked["run_7/fax"] = true }, 0, 0, 0},
		{"one that had not been sent", func(_ *errand, s *sight) {
			s.acts[id][2].State = act.Unknown
			s.asked["run_7/fax"] = true
			unsent(s, fax)
		}, 0, 0, 0},
		{"a fax that is unknown and nobody is asked", func(_ *errand, s *sight) { s.acts[id][2].State = act.Unknown }, 1, 0, 0},
		{"a fax that failed", func(_ *errand, s *sight) { s.acts[id][2].State = act.Failed }, 1, 0, 0},
		{"a fax sent twice", func(_ *errand, s *sight) { s.log = append(s.log, s.log[2]) }, 0, 1, 0},
		{"a post sent three times", func(_ *errand, s *sight) { s.log = append(s.log, s.log[0], s.log[0]) }, 0, 2, 0},
		{"a post sent again under another key", func(_ *errand, s *sight) {
			s.log = append(s.log, agenttest.Effect{What: post, Key: "run_8/post", Word: "post-7"})
		}, 0, 1, 0},
		{"a key that came with another word", func(_ *errand, s *sight) {
			s.log = append(s.log, agenttest.Effect{What: post, Key: "run_7/post", Word: "post-8"})
		}, 0, 1, 1},
		{"an effect that nobody wanted", func(_ *errand, s *sight) {
			s.log = append(s.log, agenttest.Effect{What: post, Key: "run_9/post", Word: "post-9"})
		}, 0, 0, 1},
		{"a run that was begun twice", func(_ *errand, s *sight) { s.runs[id] = append(s.runs[id], agent.Running) }, 0, 0, 1},
		{"a message that was not delivered", func(_ *errand, s *sight) { s.undelivered = 1 }, 0, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			errands, s := good()
			tt.change(&errands[0], &s)
			v := judge(errands, s)
			if v.lost != tt.lost || v.repeated != tt.repeated || len(v.odd) != tt.odd {
				t.Errorf("got lost %d, repeated %d, odd %d, want %d, %d, %d\n%v", v.lost, v.repeated, len(v.odd), tt.lost, tt.repeated,
					tt.odd, append(v.why, v.odd...))
			}
		})
	}
}

func TestEveryKindIsKilledWhileRunsAreInFlight(t *testing.T) {
	for seed := range uint64(200) {
		o := options{runs: 60, inFlight: 16, kills: 4, seed: seed}
		blows := plan(o)
		seen := map[victim]bool{}
		last := 0
		for _, b := range blows {
			seen[b.victim] = true
			if b.after < last || b.after > o.runs-o.inFlight {
				t.Fatalf("seed %d: a kill after %d runs, following one after %d", seed, b.after, last)
			}
			last = b.after
		}
		if len(blows) != o.kills || len(seen) != len(victims()) {
			t.Fatalf("seed %d: %d kills of %d kinds", seed, len(blows), len(seen))
		}
		if again := plan(o); !slices.Equal(again, blows) {
			t.Fatalf("seed %d draws another plan the second time", seed)
		}
	}
}

package main

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
)

// world is one case in which everything went well: the first letter was approved,
// the second undone, the third approved in another's stead, the fourth rejected,
// the rest approved; the wire by two.
type world struct {
	asks  []ask
	sight sight
	heard []told
}

func good() *world {
	at := time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)
	w := &world{asks: everyAsk(1), sight: sight{delegations: map[string]delegationRow{
		"del_1": {ID: "del_1", From: "p_rao", To: "p_asha", Starts: at.Add(-time.Hour), Ends: at.Add(time.Hour)}}}}
	for i, a := range w.asks {
		p := proposalRow{ID: "P-" + string(rune('0'+i)), Word: a.word(), Key: "run_1/" + a.word(), State: "approved", EndedBy: "d-" +
			a.word(), Required: a.voices()}
		d := decisionRow{ID: p.EndedBy, Proposal: p.ID, Verdict: "approve", Actor: "p_asha", At: at, Logged: true}
		state := "done"
		switch i {
		case 1:
			state = "undone"
			w.decide(decisionRow{ID: "u-" + a.word(), Proposal: p.ID, Verdict: "undo", Actor: "p_rao", At: at, Logged: true})
		case 2:
			d.OnBehalf, d.Delegation = "p_rao", "del_1"
		case 3:
			p.State, d.Verdict, state = "rejected", "reject", ""
		case 9:
			w.decide(decisionRow{ID: "first", Proposal: p.ID, Verdict: "approve", Actor: "p_rao", At: at, Logged: true})
		}
		w.sight.proposals = append(w.sight.proposals, p)
		w.decide(d)
		if state != "" {
			w.sight.acts = append(w.sight.acts, actRow{p.Key, p.ID, state})
		}
		if state == "done" {
			w.sight.effects = append(w.sight.effects, agenttest.Effect{What: a.tool(), Key: p.Key, Word: p.Word})
		}
	}
	return w
}

// decide puts a decision on record and has its sender told.
func (w *world) decide(d decisionRow) {
	w.sight.decisions = append(w.sight.decisions, d)
	w.heard = append(w.heard, told{decision: d.ID, proposal: d.Proposal, person: d.Actor, verdict: d.Verdict, status: 201, yes: true,
		heard: d.At})
}

// decision is the one with an id.
func (w *world) decision(id string) *decisionRow {
	i := slices.IndexFunc(w.sight.decisions, func(d decisionRow) bool { return d.ID == id })
	return &w.sight.decisions[i]
}

func (w *world) forget(id string) {
	w.sight.decisions = slices.DeleteFunc(w.sight.decisions, func(d decisionRow) bool { return d.ID == id })
}

func (w *world) effect(n int) agenttest.Effect {
	a := ask{0, n}
	return agenttest.Effect{What: a.tool(), Key: "run_1/" + a.word(), Word: a.word()}
}

func (w *world) happens(e agenttest.Effect) { w.sight.effects = append(w.sight.effects, e) }

func (w *world) neverHappens(n int) {
	w.sight.effects = slices.DeleteFunc(w.sight.effects, func(e agenttest.Effect) bool { return e == w.effect(n) })
}

func (w *world) act(n int) *actRow {
	i := slices.IndexFunc(w.sight.acts, func(a actRow) bool { return a.Key == "run_1/"+(ask{0, n}).word() })
	return &w.sight.acts[i]
}

func (w *world) noAct(n int) {
	w.sight.acts = slices.DeleteFunc(w.sight.acts, func(a actRow) bool { return a.Key == "run_1/"+(ask{0, n}).word() })
}

func TestEveryPlantedFaultIsCounted(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(*world)
		want  verdict // once, lost, actedTwice, withoutLeave; odd by its length
		odd   int
	}{
		{"nothing", func(*world) {}, verdict{once: 10}, 0},
		{"a second no under the same id", func(w *world) {
			w.heard = append(w.heard, told{decision: "late", proposal: "P-0", person: "p_rao", verdict: "reject", status: 412, yes: false})
		}, verdict{once: 10}, 0},
		{"a proposal that was never asked", func(w *world) {
			w.sight.proposals = w.sight.proposals[1:]
			w.sight.acts = w.sight.acts[1:]
			w.sight.effects = w.sight.effects[1:]
			w.forget("d-letter-0-0")
			w.heard = slices.DeleteFunc(w.heard, func(t told) bool { return t.decision == "d-letter-0-0" })
		}, verdict{once: 9, lost: 1}, 0},
		{"one that was asked twice", func(w *world) { w.sight.proposals = append(w.sight.proposals, w.sight.proposals[0]) },
			verdict{once: 10}, 1},
		{"one that is still open", func(w *world) {
			w.sight.proposals[3].State, w.sight.proposals[3].EndedBy = "open", ""
			w.forget("d-letter-0-3")
			w.heard = slices.DeleteFunc(w.heard, func(t told) bool { return t.decision == "d-letter-0-3" })
		}, verdict{once: 9, lost: 1}, 0},
		{"one that expired", func(w *world) {
			w.sight.proposals[3].State, w.sight.proposals[3].EndedBy = "expired", ""
			w.forget("d-letter-0-3")
			w.heard = slices.DeleteFunc(w.heard, func(t told) bool { return t.decision == "d-letter-0-3" })
		}, verdict{once: 9, lost: 1}, 0},
		{"a decision that somebody was told and that is not there", func(w *world) {
			w.heard = append(w.heard, told{decision: "gone", proposal: "P-0", person: "p_rao", verdict: "reject", status: 201, yes: true})
		}, verdict{once: 10, lost: 1}, 0},
		{"a yes while another decision is in force", func(w *world) {
			w.decide(decisionRow{ID: "rival", Proposal: "P-0", Verdict: "reject", Actor: "p_rao", Logged: true})
		}, verdict{once: 9, lost: 1}, 0},
		{"a decision of another person than was told", func(w *world) { w.decision("d-letter-0-0").Actor = "p_else" },
			verdict{once: 10, lost: 1}, 0},
		{"an approval that is on record as a no", func(w *world) { w.decision("d-note-0-7").Verdict = "reject" }, verdict{once: 9, lost: 2},
			0},
		{"a no that is on record", func(w *world) {
			w.decide(decisionRow{ID: "voice", Proposal: "P-3", Verdict: "approve", Actor: "p_else", Logged: true})
			w.heard[len(w.heard)-1].yes, w.heard[len(w.heard)-1].status = false, 412
		}, verdict{once: 9}, 1},
		{"a yes and a no about one decision", func(w *world) {
			w.heard = append(w.heard, told{decision: "d-letter-0-0", proposal: "P-0", person: "p_asha", verdict: "approve", status: 412,
				yes: false})
		}, verdict{once: 10}, 1},
		{"a refusal for want of leave that had come before the yes was sent", func(w *world) {
			w.heard = append(w.heard, told{decision: "d-letter-0-2", proposal: "P-2", person: "p_asha", verdict: "approve", status: 403,
				sent: w.decision("d-letter-0-2").At.Add(-time.Second)})
		}, verdict{once: 10}, 0},
		{"one that was sent after the yes was heard", func(w *world) {
			w.heard = append(w.heard, told{decision: "d-letter-0-2", proposal: "P-2", person: "p_asha", verdict: "approve", status: 403,
				sent: w.decision("d-letter-0-2").At.Add(time.Second)})
		}, verdict{once: 10}, 1},
		{"a decision that nobody sent", func(w *world) {
			w.heard = slices.DeleteFunc(w.heard, func(t told) bool { return t.decision == "d-letter-0-0" })
		}, verdict{once: 10}, 1},
		{"a wire with one voice", func(w *world) {
			w.forget("first")
			w.heard = slices.DeleteFunc(w.heard, func(t told) bool { return t.decision == "first" })
		}, verdict{once: 9}, 0},
		{"a wire with one person's two voices", func(w *world) {
			w.decision("first").Actor = "p_asha"
			w.heard[slices.IndexFunc(w.heard, func(t told) bool { return t.decision == "first" })].person = "p_asha"
		}, verdict{once: 9}, 0},
		{"a wire for which one voice is enough", func(w *world) { w.sight.proposals[9].Required = 1 }, verdict{once: 9, lost: 1}, 0},
		{"an approved letter that never left", func(w *world) { w.neverHappens(0) }, verdict{once: 10, lost: 1}, 0},
		{"an approved note that has no act", func(w *world) { w.noAct(7); w.neverHappens(7) }, verdict{once: 10, lost: 2}, 0},
		{"an act that has not ended", func(w *world) { w.act(0).State = "running" }, verdict{once: 10, lost: 1}, 0},
		{"an act that somebody is asked about", func(w *world) { w.act(9).State = "unknown" }, verdict{once: 10, lost: 1}, 0},
		{"a letter that left twice", func(w *world) { w.happens(w.effect(0)) }, verdict{once: 10, actedTwice: 1}, 0},
		{"a note that was made three times", func(w *world) { w.happens(w.effect(7)); w.happens(w.effect(7)) },
			verdict{once: 10, actedTwice: 2}, 0},
		{"a second act", func(w *world) { w.sight.acts = append(w.sight.acts, actRow{"run_1/else", "P-0", "done"}) },
			verdict{once: 10, actedTwice: 1}, 0},
		{"an act after an undo", func(w *world) { w.happens(w.effect(1)) }, verdict{once: 10, withoutLeave: 1}, 0},
		{"an undo whose act went on", func(w *world) { w.act(1).State = "done" }, verdict{once: 10, lost: 1}, 0},
		{"an undo that was told and is not there", func(w *world) { w.forget("u-letter-0-1") }, verdict{once: 10, lost: 2}, 0},
		{"an act after a no", func(w *world) {
			w.sight.acts = append(w.sight.acts, actRow{"run_1/letter-0-3", "P-3", "done"})
			w.happens(w.effect(3))
		}, verdict{once: 10, withoutLeave: 2}, 0},
		{"an effect that nobody asked for",
			func(w *world) { w.happens(agenttest.Effect{What: letter, Key: "run_9/x", Word: "letter-9-9"}) },
			verdict{once: 10, withoutLeave: 1}, 0},
		{"an act without a proposal", func(w *world) { w.sight.acts = append(w.sight.acts, actRow{"run_9/x", "", "done"}) },
			verdict{once: 10, withoutLeave: 1}, 0},
		{"an effect under another key", func(w *world) {
			w.neverHappens(0)
			e := w.effect(0)
			e.Key = "run_9/x"
			w.happens(e)
		}, verdict{once: 10}, 1},
		{"two undoings", func(w *world) {
			w.decide(decisionRow{ID: "u2", Proposal: "P-1", Verdict: "undo", Actor: "p_else", Logged: true})
		}, verdict{once: 10}, 1},
		{"a decision that the log does not have", func(w *world) { w.decision("d-letter-0-0").Logged = false }, verdict{once: 10}, 1},
		{"a delegate of somebody else", func(w *world) { w.decision("d-letter-0-2").OnBehalf = "p_else" }, verdict{once: 10}, 1},
		{"a delegate whose leave had ended", func(w *world) {
			g := w.sight.delegations["del_1"]
			before := w.decision("d-letter-0-2").At.Add(-time.Minute)
			g.EndedAt = &before
			w.sight.delegations["del_1"] = g
		}, verdict{once: 10}, 1},
		{"a case that is not closed", func(w *world) { w.sight.unfinished = []string{"clerk.0 is open working"} },
			verdict{once: 10, lost: 1}, 0},
		{"a message that was not delivered", func(w *world) { w.sight.undelivered = 1 }, verdict{once: 10}, 1},
		{"a workflow that still runs", func(w *world) { w.sight.running = 1 }, verdict{once: 10}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := good()
			tt.plant(w)
			counted(t, judge(w.asks, w.sight, w.heard), tt.want, tt.odd)
		})
	}
}

// counted holds a verdict against the one that was wanted, and the bar to failing for every fault.
func counted(t *testing.T, got, want verdict, odd int) {
	t.Helper()
	if got.once != want.once || got.lost != want.lost || got.actedTwice != want.actedTwice || got.withoutLeave != want.withoutLeave ||
		len(got.odd) != odd {
		t.Errorf("got %d once, %d lost, %d acted twice, %d without leave, %d odd, want %d, %d, %d, %d, %d\n%v",
			got.once, got.lost, got.actedTwice, got.withoutLeave, len(got.odd),
			want.once, want.lost, want.actedTwice, want.withoutLeave, odd, append(got.why, got.odd...))
	}
	clean := want.once == 10 && want.lost+want.actedTwice+want.withoutLeave+odd == 0
	if got.failed() == clean {
		t.Errorf("the bar fails: %t, want %t", got.failed(), !clean)
	}
}

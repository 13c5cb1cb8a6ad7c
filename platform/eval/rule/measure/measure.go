// Package measure says what an agent's way through a case was worth, from a record of it:
// which tools it chose and with what values, whether it invented anything, went round in
// circles, recovered, passed a gate, and kept its budget.
//
// Read Trajectory, then Match for whole ways, Choice and Parameters for calls, Optimality
// for paths, Safety for what must never happen. Nothing here asks a model or a clock. A
// measure that a record cannot give is told apart from nought: Of is 0.
package measure

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// A Trajectory is the way of one run: its turns in their order, and how it ended.
type Trajectory struct {
	Turns   []Turn        `json:"turns"`
	End     End           `json:"end"`
	Took    time.Duration `json:"took,omitempty"`
	Tokens  int           `json:"tokens,omitempty"`
	Micros  int64         `json:"micros,omitempty"` // what it cost, in millionths
	Preload []string      `json:"preload,omitempty"`
}

// An End is how a run ended.
type End string

// The ends.
const (
	Reached End = "reached" // what was wanted is so
	Handed  End = "handed"  // it asked a person, or said what it could not do
	Stopped End = "stopped" // it ended otherwise
	Limit   End = "limit"   // of turns, time or money
)

// A Turn is what a model answered once: the calls in it have no order.
type Turn struct {
	Calls []Call   `json:"calls,omitempty"`
	Asks  []string `json:"asks,omitempty"` // the names of what it asked a person for
	Facts []string `json:"facts,omitempty"`
}

// A Call is one call of a tool, and what became of it.
type Call struct {
	Tool    string         `json:"tool"`
	Args    map[string]any `json:"args,omitempty"`
	Failed  Failure        `json:"failed,omitempty"`
	Refused bool           `json:"refused,omitempty"` // by policy or a rule: it did nothing
	Changed bool           `json:"changed,omitempty"` // something is otherwise since
	IDs     []string       `json:"ids,omitempty"`     // in its answer
	Aim     string         `json:"aim,omitempty"`     // what it is for; empty: what its tool is for
	State   string         `json:"state,omitempty"`   // digest of how things stood before it
	Gate    *Gate          `json:"gate,omitempty"`    // where a person has to decide first
}

// A Failure is why a call brought nothing.
type Failure string

// The failures that are told apart.
const (
	NotFound Failure = "not_found"
	TimeOut  Failure = "time_out"
	Invalid  Failure = "invalid" // the answer could not be read
	Other    Failure = "other"
)

// A Tally is so many of so many. With Of 0 there was nothing to measure.
type Tally struct {
	Hits int `json:"hits"`
	Of   int `json:"of"`
}

// Add adds another tally.
func (t Tally) Add(u Tally) Tally { return Tally{t.Hits + u.Hits, t.Of + u.Of} }

// Share is hits ÷ of; ok is false where nothing was measured.
func (t Tally) Share() (share float64, ok bool) {
	if t.Of == 0 {
		return 0, false
	}
	return float64(t.Hits) / float64(t.Of), true
}

func tally(ok bool) Tally {
	if ok {
		return Tally{1, 1}
	}
	return Tally{0, 1}
}

// Calls are all calls in their order.
func (t Trajectory) Calls() []Call {
	var out []Call
	for _, turn := range t.Turns {
		out = append(out, turn.Calls...)
	}
	return out
}

// Steps are the turns with a call.
func (t Trajectory) Steps() []Turn {
	return slices.DeleteFunc(slices.Clone(t.Turns), func(turn Turn) bool { return len(turn.Calls) == 0 })
}

// Path is the way as tools: one element for each step, with the tools of parallel calls in
// order of name.
func (t Trajectory) Path() []string {
	var out []string
	for _, turn := range t.Steps() {
		out = append(out, turn.tools())
	}
	return out
}

func (t Turn) tools() string {
	var names []string
	for _, c := range t.Calls {
		names = append(names, c.Tool)
	}
	slices.Sort(names)
	return strings.Join(names, "+")
}

// text is a value as JSON: members in order of name, 1 and 1.0 alike, "1" and 1 not.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // what cannot be written cannot have been sent
	}
	return string(b)
}

func equal(a, b any) bool { return text(a) == text(b) }

// same is what makes two calls the same: the tool and the values, in any order.
func (c Call) same() string {
	if len(c.Args) == 0 {
		return c.Tool
	}
	return c.Tool + text(c.Args)
}

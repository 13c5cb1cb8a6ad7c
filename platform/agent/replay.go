package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/tool"
)

// A Replay is a run computed once more from what is recorded of it: the model's
// answers and the policy's, as they were, through this build's own rules.
// Nobody is asked anything and nothing is done.
type Replay struct {
	Run   string       `json:"run"`
	Steps []StepReplay `json:"steps"`
}

// Pass reports whether every step came out byte for byte as it is recorded.
func (r Replay) Pass() bool {
	for _, s := range r.Steps {
		if len(s.Wrong) > 0 {
			return false
		}
	}
	return len(r.Steps) > 0
}

// A StepReplay is what a step's replay came to. Wrong says what differs, in
// sentences without data; none means that it passed.
type StepReplay struct {
	Seq   int      `json:"seq"`
	Head  string   `json:"head"` // of the transcript, in hex
	Wrong []string `json:"wrong,omitempty"`
	Given []string `json:"given,omitempty"` // what was taken from the record because nothing here could compute it
}

// Pass reports whether the step came out as it is recorded.
func (s StepReplay) Pass() bool { return len(s.Wrong) == 0 }

// mostReplayed bounds a replay: the transcript is in memory.
const mostReplayed = maxTurns

// Replay computes a run once more, step by step, and compares: each node's
// digest and place in the chain, each call's canonical arguments and digest, the
// gate and verdict that follow from the recorded policy answer, the form of the
// answer, and the outcome, as canonical JSON, byte for byte. tools is this
// build's registry: where a tool has changed since, the replay says so.
func (s *Store) Replay(ctx context.Context, actor identity.Actor, tools *tool.Registry, run string) (Replay, error) {
	out := Replay{Run: run, Steps: []StepReplay{}}
	if err := s.rules.May(actor, "run.read"); err != nil {
		return out, err
	}
	if err := CheckRunID(run); err != nil {
		return out, err
	}
	f, err := s.books.facts(ctx, actor.Org, run)
	if err != nil {
		return out, err
	}
	spec, err := s.books.spec(ctx, actor.Org, f.Spec)
	if err != nil {
		return out, err
	}
	err = s.books.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		written, err := readWritten(ctx, tx, run)
		if err != nil {
			return err
		}
		r := &replay{facts: f, spec: spec, tools: tools, books: s.books}
		for _, w := range written {
			step, err := r.step(ctx, tx, w)
			if err != nil {
				return err
			}
			out.Steps = append(out.Steps, step)
		}
		return nil
	})
	if err != nil {
		return out, fmt.Errorf("replay %s: %w", run, err)
	}
	return out, nil
}

// A written step is a row of gavel.step as it stands, with its node.
type written struct {
	Seq     int
	Kind    string
	At      time.Time
	Model   []byte
	Head    []byte
	Calls   []byte
	Outcome []byte
	Record  string
	Node    keptNode
}

func readWritten(ctx context.Context, tx pgx.Tx, run string) ([]written, error) {
	const all = `select s.seq, s.kind, s.at, s.model, s.head, s.calls, s.outcome, s.record, n.sha256, n.parent, coalesce(n.sealed, false),
		n.body
		from gavel.step s left join gavel.node n on n.sha256 = s.head where s.run_id = $1 order by s.seq limit $2`
	rows, _ := tx.Query(ctx, all, run, mostReplayed)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (w written, err error) {
		n := &w.Node
		err = row.Scan(&w.Seq, &w.Kind, &w.At, &w.Model, &w.Head, &w.Calls, &w.Outcome, &w.Record, &n.SHA256, &n.Parent, &n.Sealed, &n.Body)
		return w, err
	})
}

// replay is a run being computed once more.
type replay struct {
	facts facts
	spec  Spec
	tools *tool.Registry
	books *books

	next  int
	head  []byte // of the step before
	chain chain
	taint bool
	fixes int // answers sent back so far
}

// step computes one step and compares.
func (r *replay) step(ctx context.Context, tx pgx.Tx, w written) (StepReplay, error) {
	s := stepReplay{StepReplay: StepReplay{Seq: w.Seq, Head: fmt.Sprintf("%x", w.Head)}, w: w, replay: r}
	if w.Seq != r.next {
		s.wrong("step %d follows step %d", w.Seq, r.next-1)
	}
	r.next = w.Seq + 1
	if err := s.open(ctx, tx); err != nil {
		return s.StepReplay, err
	}
	if err := s.decode(); err != nil {
		s.wrong("what is written down cannot be read: %v", err)
		return s.StepReplay, nil
	}
	if s.opened {
		if err := s.late(ctx, tx); err != nil {
			return s.StepReplay, err
		}
		if err := s.rule(ctx, tx); err != nil {
			return s.StepReplay, err
		}
		s.conclude()
	}
	if err := s.logged(ctx, tx); err != nil {
		return s.StepReplay, err
	}
	r.head, r.taint, r.fixes = w.Head, s.out.Taint, s.out.Repairs
	r.chain = r.chain.then(s.node)
	return s.StepReplay, nil
}

// A stepReplay is one step of it.
type stepReplay struct {
	StepReplay
	*replay
	w        written
	opened   bool
	node     node
	who      answered
	recorded []ruling
	out      turnOutcome
	rulings  []ruling // as computed
	tainted  bool     // before the model's wishes were ruled on
}

func (s *stepReplay) wrong(format string, args ...any) {
	s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...))
}

func (s *stepReplay) given(what string) {
	if !slices.Contains(s.Given, what) {
		s.Given = append(s.Given, what)
	}
}

// open checks the node's digest and place, and reads it.
func (s *stepReplay) open(ctx context.Context, tx pgx.Tx) error {
	n := s.w.Node
	if n.SHA256 == nil {
		s.wrong("its piece of the transcript is missing")
		return nil
	}
	if act.Digest(n.Body) != fmt.Sprintf("%x", s.w.Head) {
		s.wrong("its piece of the transcript is not what it was")
		return nil
	}
	if !bytes.Equal(n.Parent, s.head) {
		s.wrong("its piece of the transcript does not follow the one before")
	}
	c, err := s.books.open(ctx, tx, s.facts.Org, []keptNode{n})
	switch {
	case err != nil && (fault.Is(err, fault.NotFound) || fault.Is(err, fault.Internal)):
		s.wrong("its piece of the transcript cannot be opened: it was erased, or its key is gone")
		return nil
	case err != nil && isBroken(err):
		s.wrong("its piece of the transcript cannot be read")
		return nil
	case err != nil:
		return err
	}
	s.node, s.opened = c[0], true
	if want := before(s.head); s.node.Parent != want {
		s.wrong("what its piece of the transcript says of the one before is not so")
	}
	if !n.Sealed { // the bytes are the node's own: written once more they are the same
		if again, err := s.node.encode(); err != nil || !bytes.Equal(again, n.Body) {
			s.wrong("its piece of the transcript is spelt otherwise than this build spells it")
		}
	}
	return nil
}

// before is a digest as nodes name their parents.
func before(head []byte) string {
	if head == nil {
		return ""
	}
	return short(Digest(head))
}

func isBroken(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, form := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || form
}

func (s *stepReplay) decode() error {
	for _, part := range []struct {
		raw  []byte
		into any
	}{{s.w.Model, &s.who}, {s.w.Calls, &s.recorded}, {s.w.Outcome, &s.out}} {
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		name string
		raw  []byte
		read any
	}{{"who answered", s.w.Model, s.who}, {"the rulings", s.w.Calls, s.recorded}} {
		got, err := canonical(part.read)
		want, err2 := canonical(json.RawMessage(part.raw))
		if err != nil || err2 != nil || !bytes.Equal(got, want) {
			s.wrong("%s is spelt otherwise than this build spells it", part.name)
		}
	}
	return nil
}

// logged compares the step with its record in the log, which never changes.
func (s *stepReplay) logged(ctx context.Context, tx pgx.Tx) error {
	e, err := audit.Get(ctx, tx, audit.RecordID(s.w.Record))
	if fault.Is(err, fault.NotFound) {
		s.wrong("its record is not in the log")
		return nil
	}
	if err != nil {
		return err
	}
	raw, _ := e.Record.Body.(json.RawMessage)
	want, err := canonical(turnRecord{s.facts.Case, s.Seq, short(s.facts.Spec), before(s.head), short(Digest(s.w.Head)), s.who, s.recorded,
		stateAfter(s.out)})
	if err != nil {
		return err
	}
	got, err := canonical(raw)
	if err != nil || !bytes.Equal(got, want) {
		s.wrong("its record in the log says otherwise")
	}
	return nil
}

// turnRecord is what a turn's record in the log holds.
type turnRecord struct {
	Case   string   `json:"case"`
	Seq    int      `json:"seq"`
	Spec   string   `json:"spec"`
	Before string   `json:"before,omitempty"`
	Head   string   `json:"head"`
	Model  answered `json:"model"`
	Calls  []ruling `json:"calls,omitempty"`
	State  State    `json:"state"`
}

// stateAfter is how a run stands after a turn with this outcome.
func stateAfter(out turnOutcome) State { return (&turn{out: out}).state() }

// answerOf is what a policy said, as it is on record.
func answerOf(r ruling) policy.Answer {
	if r.Policy == nil {
		return policy.Answer{}
	}
	return *r.Policy
}

// stopOf is why the model ended, which only the outcome tells.
func stopOf(out turnOutcome) model.Stop {
	if out.State == Failed && out.Reason == refusedReason {
		return model.Refused
	}
	return model.Done
}

// refusedReason is what commit.go says of a model that refused.
const refusedReason = "The model refused to answer."

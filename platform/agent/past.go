package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

// Bounds of a look back: one reads a transcript for every step that called
// something.
const (
	MostPastSteps = 5_000
	MostPastCalls = 5_000 // from outside any run
)

// A Past is what is on record of calls, as questions that can be put again.
type Past struct {
	Calls   []policy.Past
	Untold  []policy.Untold // calls of which nothing can be put again, and why
	Partial bool            // there are more; the newest were read
}

// Why a call cannot be put again, or not whole. Each is a line in a report.
const (
	whyErased   = "the arguments were erased"
	whyNotYours = "the arguments are not yours to read"
	whyUnsealed = "this server cannot open transcripts"
	whyTool     = "the tool is not in this build"
	whyChanged  = "the tool does not take such arguments any more"
	whyBefore   = "turned away before the policies were asked: no such tool, wrong arguments, or not for that role"
	whySettled  = "people had settled it, whatever the policies say"
	whyUnlike   = "asked again under the policies of that day it gives another answer than the one on record"
	whyOutside  = "look-ups and refusals from outside any run keep neither arguments nor roles"
)

// Past reads the calls of runs that began since a moment, and of those that came
// from outside any run, as questions to policy. It is for whoever may try other
// policies; arguments are opened only for those who may read what was said, and
// never those of another person's conversation: a simulation has no reason. What
// it opens stays here: a simulation gives back ids.
func (s *Store) Past(ctx context.Context, actor identity.Actor, tools *tool.Registry, since time.Time) (Past, error) {
	if err := s.rules.May(actor, "policy.simulate"); err != nil {
		return Past{}, err
	}
	l := &lookBack{Store: s, actor: actor, org: actor.Org, tools: tools, words: s.rules.May(actor, "run.words") == nil,
		sets: map[string]*policy.Set{}}
	for _, part := range []func(context.Context, time.Time) error{l.steps, l.calls, l.unkept} {
		if err := part(ctx, since); err != nil {
			return Past{}, fmt.Errorf("look back: %w", err)
		}
	}
	return l.out, nil
}

// A lookBack is one reading of the past.
type lookBack struct {
	*Store
	actor identity.Actor
	org   identity.Org
	tools *tool.Registry
	words bool
	sets  map[string]*policy.Set // as they were kept, by digest; nil where this build cannot read one
	out   Past
}

func (l *lookBack) note(why string) {
	at := slices.IndexFunc(l.out.Untold, func(u policy.Untold) bool { return u.Why == why })
	if at < 0 {
		l.out.Untold = append(l.out.Untold, policy.Untold{Why: why, Calls: 1})
		return
	}
	l.out.Untold[at].Calls++
}

// A pastStep is a turn that ruled on something.
type pastStep struct {
	Run     string
	Seq     int
	At      time.Time
	Rulings []ruling
	Tainted *bool // whether text from outside had been read before; nil if that is not on record
}

// steps reads the turns of runs, newest run first.
func (l *lookBack) steps(ctx context.Context, since time.Time) error {
	const all = `
		select s.run_id, s.seq, s.at, s.calls, coalesce((s.outcome ->> 'taint')::boolean, false),
			(select coalesce((p.outcome ->> 'taint')::boolean, false) from gavel.step p where p.org = s.org and p.run_id = s.run_id
			and p.seq = s.seq - 1)
		from gavel.run r join gavel.step s on s.org = r.org and s.run_id = r.id
		where r.org = $1 and r.started_at >= $2 and s.kind = 'turn' and jsonb_typeof(s.calls) = 'array'
		order by r.started_at desc, r.id desc, s.seq desc limit $3`
	var steps []pastStep
	err := l.books.db.InOrg(ctx, l.org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, l.org, since, MostPastSteps+1)
		var err error
		steps, err = pgx.CollectRows(rows, scanPastStep)
		return err
	})
	if err != nil {
		return err
	}
	if len(steps) > MostPastSteps {
		steps, l.out.Partial = steps[:MostPastSteps], true
	}
	for _, st := range steps {
		if err := l.step(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

func scanPastStep(row pgx.CollectableRow) (p pastStep, err error) {
	var calls []byte
	var after bool
	var before *bool
	if err := row.Scan(&p.Run, &p.Seq, &p.At, &calls, &after, &before); err != nil {
		return p, err
	}
	if err := json.Unmarshal(calls, &p.Rulings); err != nil {
		return p, fmt.Errorf("calls of step %d of %s: %w", p.Seq, p.Run, err)
	}
	p.Tainted = taintBefore(p.Rulings, before, after)
	return p, nil
}

// taintBefore is whether text from outside had been read when a turn asked the
// policies. Taint only ever grows: it was there if it was before, or if an
// argument had it; it was not if it is not there after. In between it may have
// come with a result of this very turn, or of another agent, and is not told.
func taintBefore(rulings []ruling, before *bool, after bool) *bool {
	yes, no := true, false
	steered := slices.ContainsFunc(rulings, func(r ruling) bool { return r.Taint })
	switch {
	case steered || before != nil && *before:
		return &yes
	case !after:
		return &no
	}
	return nil
}

// step puts the calls of one turn into questions.
func (l *lookBack) step(ctx context.Context, st pastStep) error {
	asked := slices.ContainsFunc(st.Rulings, func(r ruling) bool { return r.Policy != nil })
	var f facts
	var n node
	var lost string
	if asked {
		var err error
		if f, err = l.books.facts(ctx, l.org, st.Run); err != nil {
			return err
		}
		if n, lost, err = l.open(ctx, st); err != nil {
			return err
		}
	}
	for i, r := range st.Rulings {
		if r.Policy == nil {
			if r.Verdict == refused {
				l.note(whyBefore)
			}
			continue
		}
		p := policy.Past{Call: st.Run + "/" + r.Call, Case: f.Case, At: st.At.UTC(), NoArgs: lost, NoTaint: st.Tainted == nil,
			Steered: r.Taint,
			Question: policy.Question{Actor: f.actor(), For: f.For, App: f.App, Tool: r.Tool, Case: f.Case, Taint: st.Tainted != nil &&
				*st.Tainted}}
		var args json.RawMessage
		if lost == "" && i < len(n.Answer.Calls) {
			args = json.RawMessage(n.Answer.Calls[i].Args)
		}
		if err := l.add(ctx, p, r, args); err != nil {
			return err
		}
	}
	return nil
}

// open reads what a turn wanted, or says why it cannot be read.
func (l *lookBack) open(ctx context.Context, st pastStep) (n node, lost string, err error) {
	switch {
	case !l.words:
		return n, whyNotYours, nil
	case l.books.vault == nil:
		return n, whyUnsealed, nil
	}
	if theirs, err := l.books.anothers(ctx, l.actor, st.Run); err != nil || theirs {
		return n, whyNotYours, err
	}
	n, _, err = l.books.nodeOf(ctx, l.org, st.Run, st.Seq)
	if errors.Is(err, seal.ErrErased) {
		return n, whyErased, nil
	}
	return n, "", err
}

// add completes a question with the tool of this build and its arguments, and
// keeps it if it gives the answer that is on record.
func (l *lookBack) add(ctx context.Context, p policy.Past, r ruling, args json.RawMessage) error {
	tl, ok := l.tools.Find(p.Question.App, r.Tool)
	if !ok {
		l.note(whyTool)
		return nil
	}
	if r.Verdict == refused && r.Why != "policy" {
		l.note(whySettled)
		return nil
	}
	p.Was, p.Tool, p.Question.Effect = wordOf(r.Verdict), PolicyTool(tl), string(tl.Effect)
	if p.NoArgs == "" {
		canonical, err := tl.Check(args)
		if err != nil || act.Digest(canonical) != r.Args {
			p.NoArgs = whyChanged
		} else {
			p.Question.Args = canonical
		}
	}
	same, err := l.faithful(ctx, p, *r.Policy)
	if err != nil {
		return err
	}
	if !same {
		l.note(whyUnlike)
		return nil
	}
	l.out.Calls = append(l.out.Calls, p)
	return nil
}

func wordOf(v verdict) policy.Word {
	switch v {
	case reads, runs:
		return policy.Yes
	case asks:
		return policy.Asks
	}
	return policy.No
}

// PolicyTool is what policies know of a tool.
func PolicyTool(t tool.Tool) policy.Tool {
	return policy.Tool{App: t.App, Name: t.Name, Line: t.Line, Effect: string(t.Effect), Gate: t.Gate.String(), Roles: t.Roles,
		Deciders: t.Deciders, Grounded: t.Grounded, Schema: t.Spec().Schema}
}

// PolicyTools are all tools as a table of who may do what needs them.
func PolicyTools(tools *tool.Registry) []policy.Tool {
	var all []policy.Tool
	for _, t := range tools.All() {
		all = append(all, PolicyTool(t))
	}
	return all
}

// faithful asks the policies of that day once more, where they are kept and the
// question is whole, and compares: a question that was put together wrongly would
// make a simulation of something that never was.
func (l *lookBack) faithful(ctx context.Context, p policy.Past, was policy.Answer) (bool, error) {
	if p.NoArgs != "" || p.NoTaint {
		return true, nil
	}
	set, known := l.sets[was.Digest]
	if !known {
		var err error
		if set, err = l.keptSet(ctx, was.Digest); err != nil {
			return false, err
		}
		l.sets[was.Digest] = set
	}
	if set == nil {
		return true, nil
	}
	again := set.Ask(p.Question)
	return again.Call == was.Call && again.Unattended == was.Unattended, nil
}

// keptSet reads a set as it was; nil where it is not kept, or this build does not
// read it any more.
func (l *lookBack) keptSet(ctx context.Context, digest string) (*policy.Set, error) {
	var text []byte
	err := l.books.db.InOrg(ctx, l.org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select files from gavel_sys.policy_set where sha256 = $1`, digest).Scan(&text)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files, err := policyFiles(text)
	if err != nil {
		return nil, err
	}
	all := make([]policy.File, len(files))
	for i, f := range files {
		all[i] = policy.File{Name: f.Name, Text: []byte(f.Text)}
	}
	set, err := policy.Parse(all...)
	if err != nil || set.Digest() != digest {
		return nil, nil //nolint:nilerr // an older build's grammar: nothing to compare with
	}
	return set, nil
}

// firstID is the least id of a kind that was given at a moment or later.
func firstID(prefix string, at time.Time) string {
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(at)); err != nil {
		return prefix
	}
	return prefix + id.String()
}

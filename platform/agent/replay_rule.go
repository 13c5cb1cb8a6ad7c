package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/model"
)

// late says whether what the run had read before this step was ruled on came
// from outside: the step before, what acts brought back, what other agents
// answered. What a brief or a person said is on record only by its effect.
func (s *stepReplay) late(ctx context.Context, tx pgx.Tx) error {
	s.tainted = s.taint
	for _, l := range s.node.Late {
		outside, err := s.brought(ctx, tx, l.Call)
		if err != nil {
			return err
		}
		s.tainted = s.tainted || outside
	}
	if s.tainted || !s.out.Taint || len(s.node.Before) == 0 && s.Seq > 0 {
		return nil
	}
	for _, r := range s.recorded { // a read of outside text explains it, unless a wish was ruled on as tainted already
		if tl, ok := s.tools.Find(s.facts.App, r.Tool); ok && r.Verdict == reads && tl.OutsideText && r.Why == "" && !s.ruledTainted() {
			return nil
		}
	}
	s.tainted = true
	s.given("that what was said before came from outside")
	return nil
}

func (s *stepReplay) ruledTainted() bool {
	return slices.ContainsFunc(s.recorded, func(r ruling) bool { return r.Taint })
}

// brought reports whether the result of an earlier call is text from outside.
func (s *stepReplay) brought(ctx context.Context, tx pgx.Tx, call string) (bool, error) {
	const result = `select coalesce((select tool from gavel.act where key = $1 and state = 'done'), ''),
		coalesce((select tainted from gavel.run where parent = $2 and parent_call = $3 limit 1), false),
		coalesce((select spec from gavel.run where parent = $2 and parent_call = $3 limit 1), '')`
	var done string
	var below bool
	var spec []byte
	if err := tx.QueryRow(ctx, result, actKey(s.facts.ID, call), s.facts.ID, call).Scan(&done, &below, &spec); err != nil {
		return false, err
	}
	if done != "" {
		tl, ok := s.tools.Find(s.facts.App, done)
		return !ok || tl.OutsideText, nil
	}
	if !below {
		return false, nil
	}
	var body []byte
	if err := tx.QueryRow(ctx, `select body from gavel_sys.agent_spec where sha256 = $1`, spec).Scan(&body); err != nil {
		return false, err
	}
	var sub Spec
	if err := json.Unmarshal(body, &sub); err != nil {
		return false, err
	}
	return !enumAnswer(sub), nil
}

// rule rules on every wish once more, with the policy's answer as recorded, and
// compares the rulings.
func (s *stepReplay) rule(ctx context.Context, tx pgx.Tx) error {
	wishes := s.node.Answer.Calls
	if s.w.Kind == "compaction" {
		wishes = nil
	}
	if len(wishes) != len(s.recorded) {
		s.wrong("the model wished for %d things and %d were ruled on", len(wishes), len(s.recorded))
		return nil
	}
	for i, c := range wishes {
		was := s.recorded[i]
		r, err := s.bound(ctx, tx, s.ruleOne(i, c, was), was)
		if err != nil {
			return err
		}
		if was.Why == "settled" && r.Verdict == asks {
			settled, err := s.settled(ctx, tx, r.Args)
			if err != nil {
				return err
			}
			if settled {
				r = r.refuse("settled", "")
			}
		}
		if r.Verdict == reads {
			r = s.read(r)
		}
		s.rulings = append(s.rulings, r)
		s.compare(r, was)
	}
	return nil
}

func (s *stepReplay) ruleOne(i int, c model.Call, was ruling) ruling {
	r := ruling{Call: callID(s.Seq, i), Tool: c.Name, Verdict: refused}
	if slices.Contains(s.spec.Agents, c.Name) {
		task, err := parseTask(c.Args)
		if err != nil || was.Why == "no_such_agent" {
			return r.refuse(was.Why, "")
		}
		r.Args, r.Verdict = act.Digest([]byte(task)), delegates
		return r
	}
	tl, ok := s.tools.Find(s.facts.App, c.Name)
	if !ok || !slices.Contains(s.spec.Tools, c.Name) {
		r.Tool = "unknown"
		return r.refuse("no_such_tool", "")
	}
	r.tool = tl
	args, err := tl.Check([]byte(c.Args))
	if err != nil {
		return r.refuse("arguments", "")
	}
	r.args, r.Args, r.Policy = args, act.Digest(args), was.Policy
	answer := answerOf(was)
	if !answer.Call {
		return r.refuse("policy", "")
	}
	r.Taint = s.tainted && tainted(tl.Name, args, s.chain.offers(s.node))
	return r.gate(answer)
}

// settled reports whether a person had already answered exactly this.
func (s *stepReplay) settled(ctx context.Context, tx pgx.Tx, args string) (found bool, err error) {
	const earlier = `select exists (select from gavel.proposal p where p.run = $1 and p.args_sha256 = $2 and p.truth is null
		and p.created_at < $3 and p.state <> 'open')`
	err = tx.QueryRow(ctx, earlier, s.facts.ID, args, s.w.At).Scan(&found)
	return found, err
}

// read takes a look-up's result from the transcript: it is what was recorded.
func (s *stepReplay) read(r ruling) ruling {
	at := slices.IndexFunc(s.node.Results, func(n result) bool { return n.Call == r.Call })
	switch {
	case at < 0:
		s.wrong("the result of look-up %s is not in the transcript", r.Call)
	case s.node.Results[at].Message.Failed:
		r.Why = "failed"
	default:
		r.outside = r.tool.OutsideText
	}
	return r
}

func (s *stepReplay) compare(r, was ruling) {
	got, err := canonical(r)
	want, err2 := canonical(was)
	if err == nil && err2 == nil && bytes.Equal(got, want) {
		return
	}
	var differ []string
	for _, part := range []struct {
		name      string
		got, want any
	}{{"tool", r.Tool, was.Tool}, {"arguments' digest", r.Args, was.Args}, {"verdict", r.Verdict, was.Verdict}, {"gate", r.Gate, was.Gate},
		{"taint", r.Taint, was.Taint}, {"reason", r.Why, was.Why}} {
		if part.got != part.want {
			differ = append(differ, fmt.Sprintf("%s %v, recorded %v", part.name, part.got, part.want))
		}
	}
	s.wrong("call %s comes out otherwise: %s", r.Call, strings.Join(differ, "; "))
}

// conclude computes the outcome once more and compares it byte for byte. Prices
// and budgets are the settings' of that day: they are taken as recorded.
func (s *stepReplay) conclude() {
	t := &turn{in: turnInput{Seq: s.Seq, Repairs: s.fixes}, spec: s.spec, began: s.w.At, chain: s.chain, taint: s.tainted,
		compacts: s.w.Kind == "compaction", stopped: s.node.Stopped, budget: s.out.Budget,
		answer: model.Response{Message: s.node.Answer, Usage: s.who.Usage, Stop: stopOf(s.out)}}
	if s.node.Stopped {
		s.given("that a person stopped the answer")
	}
	if s.node.Compacts != t.compacts {
		s.wrong("the transcript and the step do not agree on whether it summed up")
	}
	for _, r := range s.rulings {
		t.taint = t.taint || r.outside
		if r.Verdict == delegates { // a budget is the other agent's, of that day
			r.budget = budgetOf(s.out, r.Call)
			s.given("the budget of another agent")
		}
		t.rulings = append(t.rulings, r)
	}
	switch {
	case strings.HasPrefix(s.out.Reason, "The model could not be asked: ") && len(s.rulings) == 0 && s.who.Model == "":
		t.out = turnOutcome{State: Failed, Reason: s.out.Reason, Taint: t.taint, Budget: t.budget, Spent: Spent{Calls: 1}}
		s.given("why the model could not be asked")
	default:
		t.out.Spent = Spent{Calls: 1, Tokens: s.who.Usage.Total(), Money: s.out.Spent.Money}
		if s.out.Repairs > s.fixes && len(s.rulings) == 0 && checkAnswer(s.spec, s.node.Answer) == "" {
			t.answer.Stop = model.TooLong
			s.given("that the answer was cut off")
		}
		t.conclude()
	}
	if s.out.Spent.Money > 0 {
		s.given("the price")
	}
	if s.out.Budget != nil {
		s.given("the budget")
	}
	t.out.Head = short(Digest(s.w.Head))
	s.compareOutcome(t.out)
}

func budgetOf(out turnOutcome, call string) Budget {
	for _, c := range out.Calls {
		if c.Call == call && c.Budget != nil {
			return *c.Budget
		}
	}
	return Budget{}
}

func (s *stepReplay) compareOutcome(computed turnOutcome) {
	for i := range computed.Calls { // the database keeps microseconds
		computed.Calls[i].Expires = computed.Calls[i].Expires.Truncate(time.Second)
	}
	got, err := canonical(computed)
	if err != nil {
		s.wrong("the outcome cannot be written: %v", err)
		return
	}
	want, err := canonical(json.RawMessage(s.w.Outcome))
	if err != nil || !bytes.Equal(got, want) {
		s.wrong("the outcome comes out otherwise")
	}
}

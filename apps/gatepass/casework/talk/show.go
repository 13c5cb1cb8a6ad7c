package talk

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
)

// A State is how a conversation stands.
type State string

// The states.
const (
	Idle    State = "idle"    // it is the person's turn
	Working State = "working" // the agent's
	Waiting State = "waiting" // a card waits for its button
	Over    State = "over"    // it has ended, and Why says so
)

// A View is a conversation as its person sees it.
type View struct {
	store.Talk
	State State
	Why   string
	Lines []Line
	Cards []Card
	Turn  int // of the agent's that is under way
	Seq   int // of the newest on record, for who shows words as they come; -1 for none
}

// Who says a line.
const (
	Person = "person"
	Agent  = "agent"
	Tool   = "tool"
)

// A Line is one thing that was said, or one call of a tool.
type Line struct {
	Who  string
	Text string // of a person or an agent
	Call Call   // of a tool
	Cut  bool   // the person stopped the agent where the text ends
	Left int    // numbers of passes that are left out of an agent's text: nobody wrote them and no tool answered with them
}

// A Call is what became of a call.
type Call struct {
	ID, Tool, About string
	State           string // planned, waiting, running, done, failed, refused, expired, left
	Told            *mind.Told
	Again, Of       int // the newest try after the first, of how many; zero where the first did
}

// A Card is what waits for its button: the pass as the database has it, and what the button does.
type Card struct {
	Proposal, Tool, Shown string
	Finding               finding.Finding
	Expires               time.Time
}

// Show is somebody's conversation in this sign-in; NotFound where they have none.
func (d *Desk) Show(ctx context.Context, who identity.Actor) (v View, err error) {
	if err := d.c.Store.May(who, store.ActTalk); err != nil {
		return v, err
	}
	if v.Talk, err = d.current(ctx, who); err != nil {
		return v, err
	}
	v.Seq = -1
	run, err := d.c.Runs.Get(ctx, who.Org, v.Run)
	if fault.Is(err, fault.NotFound) { // the engine has not begun it yet
		v.State, v.Lines = Working, []Line{{Who: Person, Text: v.Last()}}
		return v, nil
	}
	if err != nil {
		return v, err
	}
	still, unread := false, false
	for n := 0; n < mostLooks && !still; n++ { // what was said, what is remembered and how the run stands are of one moment
		was := run
		if v.Talk, err = d.current(ctx, who); err != nil {
			return v, err
		}
		if unread, err = d.lines(ctx, who, &v); err != nil {
			return v, err
		}
		if run, err = d.c.Runs.Get(ctx, who.Org, v.Run); err != nil {
			return v, err
		}
		still = run.Seq == was.Seq && run.State == was.State && len(run.Waiting) == len(was.Waiting)
	}
	if v.standing(run); v.State == Idle && (unread || !still) {
		v.State, v.Turn = Working, v.Turn+1
	}
	return v, d.cards(ctx, who, run, &v)
}

// mostLooks is how often a conversation that moves is read anew before it is shown as under way.
const mostLooks = 4

// standing is whose turn it is.
func (v *View) standing(run agent.Run) {
	v.Turn, v.Seq = run.Seq, run.Seq
	switch {
	case run.State.Ended():
		v.State, v.Why = Over, run.Reason
	case len(run.Waiting) > 0:
		v.State = Waiting
	case run.State == agent.WaitingReply:
		v.State = Idle
	default:
		v.State, v.Turn = Working, run.Seq+1
	}
}

// mostSteps is how many of the agent's turns are shown.
const mostSteps = 200

// lines is what was said and done, oldest first, and whether the agent has yet to read the last of it.
func (d *Desk) lines(ctx context.Context, who identity.Actor, v *View) (unread bool, err error) {
	said, err := d.c.Runs.Conversation(ctx, who.Org, v.Run, -1)
	if err != nil {
		return false, err
	}
	steps, err := d.c.Runs.Steps(ctx, who.Org, v.Run, 0, mostSteps)
	if err != nil {
		return false, err
	}
	calls := map[string]agent.StepCall{}
	for _, s := range steps {
		for _, c := range s.Calls {
			calls[c.ID] = c
		}
	}
	var tries map[string]store.Try
	err = d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) (err error) {
		tries, err = store.Tries(ctx, tx, v.ID)
		return err
	})
	if err != nil {
		return false, err
	}
	v.Lines = nil
	read, last, met := 0, "", numbers{}
	for i, p := range said {
		met.hear(p)
		n, words := v.spoken(i, p, met)
		if read += n; n > 0 {
			last = words
		}
		for _, one := range p.Results { // the agent hears them in its next turn
			met.add(one.Text)
		}
		for _, w := range p.Wanted {
			v.Lines = append(v.Lines, Line{Who: Tool, Call: callOf(w, calls[w.Call], said, tries[w.Call])})
		}
	}
	now := v.Last()
	unread = read < len(v.Said) || len(v.Said) == store.MostSaid && now != last
	if now != "" && unread { // the agent has not read it yet
		v.Lines = append(v.Lines, Line{Who: Person, Text: now})
	}
	return unread && now != "", nil
}

// spoken adds what the person and the agent said in a turn, and is how often the person spoke and what they said last. The first thing
// that an agent is told is ours.
func (v *View) spoken(turn int, p agent.Payload, met numbers) (n int, last string) {
	for i, b := range p.Before {
		if b.Role == model.User && !(turn == 0 && i == 0) {
			v.Lines = append(v.Lines, Line{Who: Person, Text: b.Text})
			n, last = n+1, b.Text
		}
	}
	if text := strings.TrimSpace(p.Answer); text != "" || p.Stopped {
		text, left := number.Known(text, met.has)
		v.Lines = append(v.Lines, Line{Who: Agent, Text: text, Cut: p.Stopped, Left: left})
	}
	return n, last
}

// numbers are those of passes that a conversation has met: the person wrote them, or a tool answered with them.
type numbers map[number.Number]bool

func (m numbers) has(n number.Number) bool { return m[n] }

// hear adds what a turn was told before the agent answered.
func (m numbers) hear(p agent.Payload) {
	for _, one := range p.Late {
		m.add(one.Text)
	}
	for _, one := range p.Before {
		if one.Role == model.User {
			m.add(one.Text)
		}
	}
}

func (m numbers) add(text string) {
	for _, n := range number.Find(text) {
		m[n] = true
	}
}

// callOf is what became of a call, by what is on record of it.
func callOf(w agent.Wanted, c agent.StepCall, said []agent.Payload, again store.Try) Call {
	out := Call{ID: w.Call, Tool: w.Tool, Again: again.Again, Of: again.Of}
	var args map[string]any
	if json.Unmarshal([]byte(w.Args), &args) == nil {
		for _, name := range []string{"pass_number", "pass_id", "person_name", "status"} {
			if text, _ := args[name].(string); text != "" && out.About == "" {
				out.About = text
			}
		}
	}
	out.State = stateOf(c)
	if text, failed, ok := resultOf(w.Call, said); ok {
		var told mind.Told
		if json.Unmarshal([]byte(text), &told) == nil && (told.Success || told.Error != nil) {
			out.Told = &told
			failed = !told.Success
		}
		if out.State == "running" || out.State == "done" {
			out.State = map[bool]string{false: "done", true: "failed"}[failed]
		}
	}
	return out
}

// stateOf is how a call stands that has no result yet.
func stateOf(c agent.StepCall) string {
	switch {
	case c.Verdict == "refused":
		return "refused"
	case c.Proposal != nil && c.Proposal.State == review.Open:
		return "waiting"
	case c.Proposal != nil && c.Proposal.State == review.Expired:
		return "expired"
	case c.Proposal != nil && c.Proposal.State != review.Approved && c.Proposal.State != review.Edited:
		return "left"
	case c.Act != nil && c.Act.EndedAt != nil:
		return "done"
	}
	return "running"
}

// resultOf is what the agent was told of a call.
func resultOf(call string, said []agent.Payload) (text string, failed, ok bool) {
	for _, p := range said {
		for _, some := range [][]agent.Told{p.Results, p.Late} {
			for _, t := range some {
				if t.Call == call {
					return t.Text, t.Failed, true
				}
			}
		}
	}
	return "", false, false
}

// cards are what waits for the person.
func (d *Desk) cards(ctx context.Context, who identity.Actor, run agent.Run, v *View) error {
	for _, w := range run.Waiting {
		p, err := d.c.Reviews.Get(ctx, who, w.Proposal)
		if err != nil {
			return err
		}
		f, err := finding.In(p.Shown)
		if err != nil || f == nil {
			return err
		}
		v.Cards = append(v.Cards, Card{Proposal: p.ID, Tool: p.Tool, Shown: p.ShownSHA256, Finding: *f, Expires: p.ExpiresAt})
	}
	return nil
}

// Press is a card's button: the person confirms what they were shown, or leaves it. Nothing else of theirs is decided here.
func (d *Desk) Press(ctx context.Context, who identity.Actor, proposal, shown string, yes bool) error {
	if err := d.c.Store.May(who, store.ActTalk); err != nil {
		return err
	}
	t, err := d.current(ctx, who)
	if err != nil {
		return err
	}
	p, err := d.c.Reviews.Get(ctx, who, proposal)
	if err != nil {
		return err
	}
	if p.Run != t.Run {
		return fault.New(fault.NotFound, "no card of this conversation is called %.40s", proposal)
	}
	decision := review.Decision{ID: "card-" + p.ID + "-" + shown[:min(len(shown), 16)], Proposal: p.ID, ShownSHA256: shown,
		Verdict: review.Approve}
	if !yes {
		decision.ID, decision.Verdict, decision.Reason = "left-"+p.ID+"-"+shown[:min(len(shown), 16)], review.Reject, "Left as it is."
	}
	_, err = d.c.Reviews.Decide(ctx, who, decision)
	return err
}

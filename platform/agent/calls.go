package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// A CallsConfig says what calls from outside any run go through.
type CallsConfig struct {
	DB      *postgres.DB
	Clock   durable.Clock
	Cases   *casefile.Store
	Acts    *act.Store
	Reviews *review.Store
	Tools   *tool.Registry
	Rules   *policy.Rules // nil refuses everything
	Logger  *slog.Logger

	ReadTimeout time.Duration // of one look-up; 0 for half a minute
}

// Calls take calls of tools that come from no run: from a person's or a
// machine's own program, or from an application's code in a case of its own. What only looks is run at once, where policy lets it
// run unattended. Whatever has an effect becomes a proposal and nothing more,
// whatever policy and the tool's own gate say: who wrote the arguments is not
// known here, so they count as text from outside. CarryOut does what was
// approved.
type Calls struct {
	CallsConfig
	books   *books
	repeats audit.Repeats // of refusals
}

// NewCalls makes the place where they are taken.
func NewCalls(c CallsConfig) *Calls {
	if c.ReadTimeout == 0 {
		c.ReadTimeout = 30 * time.Second
	}
	return &Calls{CallsConfig: c, books: newBooks(c.DB, nil), repeats: audit.Repeats{Most: refusedAlone}}
}

// refusedAlone is how many refusals of the same tool to the same caller in a minute
// are on record by themselves. The rest are counted in the next one: a program that
// has lost its way must not fill the log.
const refusedAlone = 10

// A Call asks for a tool.
type Call struct {
	App, Tool string
	Args      json.RawMessage
	Case      string // id or ref; empty for none, or, where people decide, for a new case of the platform's own
	Via       string // the door it came through, "mcp"

	// Within is the time in which an answer is wanted, where people decide and this one matters more, or less, than others of its
	// tool: they are reminded at half of it, and it goes on to others when it is over. 0 is as the tool says.
	Within time.Duration
}

// Taken is what became of a call: an answer, or a question to people.
type Taken struct {
	ID      string
	Case    string
	Result  json.RawMessage // of a look-up; canonical, as the tool promises it
	Outside bool            // the result may hold text from outside the organisation
	Asked   *Asked          // where people decide; Result is nil then
}

var callForm = regexp.MustCompile(`^call_[0-9A-HJKMNP-TV-Z]{26}$`)

// carriedCall is the one call of a Carry, where a run has many.
const carriedCall = "0"

func newCall(now time.Time) string {
	return "call_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

// Offers lists the tools that an actor may call at all, in order of their names.
// A policy that depends on the arguments cannot say yet, and then it is one of
// them; each call is asked about when it is made.
func (c *Calls) Offers(a identity.Actor) []tool.Tool {
	if !a.Known() {
		return nil
	}
	return slices.DeleteFunc(c.Tools.All(), func(t tool.Tool) bool {
		if c.refusesActor(a, t) != "" {
			return true
		}
		answer := c.Rules.App(t.App).Ask(question(a, t, "", nil))
		return !answer.Call && len(answer.Errors) == 0
	})
}

// refusesActor says why somebody may not use a tool, whatever the arguments; or
// nothing.
func (c *Calls) refusesActor(a identity.Actor, t tool.Tool) string {
	switch {
	case a.Viewing != "" && t.Effect != tool.Read:
		return "viewing"
	case t.Gate == tool.Confirm && a.Kind != identity.Person:
		return "nobody"
	case !lets(a, t):
		return "roles"
	case t.Effect != tool.Read && a.Kind != identity.System && c.Rules.May(a, "proposal.make") != nil:
		return "roles"
	}
	return ""
}

// lets reports whether an actor holds what a tool asks for: a person a role, a
// machine a scope. Gavel itself holds neither: an application's own code asks in
// its name, and policy says whether it may. Nobody else calls from outside a run.
func lets(a identity.Actor, t tool.Tool) bool {
	switch a.Kind {
	case identity.System:
		return a.ID == identity.Gavel(a.Org).ID
	case identity.Person:
		return slices.ContainsFunc(t.Roles, a.Has)
	case identity.Machine:
		return slices.Contains(a.Scopes, "propose:"+t.App) || t.Effect == tool.Read && slices.Contains(a.Scopes, "read:"+t.App)
	}
	return false
}

// question is what policy is asked about a call from outside. A person acts for
// themselves, so that a rule about oneself meets them here, too.
func question(a identity.Actor, t tool.Tool, caseID string, args json.RawMessage) policy.Question {
	q := policy.Question{Actor: a, App: t.App, Tool: t.Name, Effect: string(t.Effect), Case: caseID, Args: args, Taint: true}
	if a.Kind == identity.Person {
		q.For = a
	}
	return q
}

// Take takes a call. Faults: NotFound if there is no such tool or case; Invalid
// for arguments that do not fit; Refused by role, scope or policy, and for what
// people have settled already, which is on record; TooMany for somebody who has
// asked for more than people can look at.
func (c *Calls) Take(ctx context.Context, a identity.Actor, call Call) (Taken, error) {
	if !a.Known() {
		return Taken{}, fault.New(fault.SignIn, "sign in to use tools")
	}
	t, ok := c.Tools.Find(call.App, call.Tool)
	if !ok {
		return Taken{}, fault.New(fault.NotFound, "no tool is called %.40q.%.64q", call.App, call.Tool)
	}
	one, err := c.named(ctx, a, t, call.Case)
	if err != nil {
		return Taken{}, err
	}
	k := &taking{Calls: c, actor: a, tool: t, call: call, id: newCall(c.Clock.Now()), in: one, at: c.Clock.Now().UTC().
		Truncate(time.Microsecond)}
	if err := k.rule(ctx); err != nil {
		return Taken{}, err
	}
	if k.ruling.Verdict == reads {
		return k.read(ctx)
	}
	return k.ask(ctx)
}

// named is the case that a call names; the zero Case where it names none. A tool
// works on cases of its own application and on the platform's own.
func (c *Calls) named(ctx context.Context, a identity.Actor, t tool.Tool, name string) (casefile.Case, error) {
	if name == "" {
		return casefile.Case{}, nil
	}
	one, err := c.Cases.Lookup(ctx, a.Org, name)
	if err == nil && one.App != t.App && one.App != casefile.General().App {
		err = fault.New(fault.Invalid, "%s does not work on cases of %s", t.FullName(), one.App)
	}
	return one, err
}

// A taking is one call being taken.
type taking struct {
	*Calls
	actor  identity.Actor
	tool   tool.Tool
	call   Call
	id     string
	in     casefile.Case
	at     time.Time
	ruling ruling

	repeated int // refusals of the same before this one that are not on record by themselves
}

// rule decides what becomes of the call, as rule.go does for a run's, except
// that nothing with an effect ever runs unasked.
func (k *taking) rule(ctx context.Context) error {
	k.ruling = ruling{Call: k.id, Tool: k.tool.Name, Taint: true, tool: k.tool}
	if why := k.refusesActor(k.actor, k.tool); why != "" {
		return k.refuse(ctx, why, fault.New(fault.Refused, "%s have access to use %s", whose(k.actor), k.tool.FullName()).
			WithNext("see who may: gavel policy table"))
	}
	args, err := k.tool.Check(k.call.Args)
	if err != nil {
		return err
	}
	k.ruling.args, k.ruling.Args = args, act.Digest(args)
	if err := k.askPolicy(ctx); err != nil {
		return err
	}
	return k.bind(ctx)
}

// askPolicy asks policy about the call on its case.
func (k *taking) askPolicy(ctx context.Context) error {
	answer := k.Rules.App(k.tool.App).Ask(question(k.actor, k.tool, string(k.in.ID), k.ruling.args))
	k.ruling.Policy = &answer
	if !answer.Call {
		return k.refuse(ctx, "policy", fault.New(fault.Refused, "policy does not let %s do this with %s", whose(k.actor),
			k.tool.FullName()).
			WithNext("see why: gavel policy explain"))
	}
	k.ruling = k.ruling.gate(answer)
	if k.ruling.Verdict == runs {
		k.ruling.Verdict, k.ruling.Gate = asks, string(review.ByAnother)
	}
	return nil
}

func whose(a identity.Actor) string {
	if a.Kind == identity.Machine {
		return "this token doesn't"
	}
	return "you don't"
}

// refuse puts a refusal on record and returns it; or counts it, where there were
// many of the same.
func (k *taking) refuse(ctx context.Context, why string, no *fault.Error) error {
	k.ruling.Verdict, k.ruling.Why = refused, why
	times, due := k.repeats.Due(fmt.Sprintf("%s %s %s %s", k.actor.Org, k.actor.ID, k.tool.FullName(), why), k.at)
	if !due {
		return no
	}
	k.repeated = times
	err := k.DB.InOrg(ctx, k.actor.Org, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		if _, err := k.record(b, audit.Refusal, ""); err != nil {
			return err
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return fmt.Errorf("record a refusal of %s: %w", k.tool.FullName(), err)
	}
	return no
}

// record queues the log's entry about the call, and the text of the policies
// that were asked, if this process has not kept it before. It is about the case,
// where there is one, and has the form of a turn's: ids and digests.
func (k *taking) record(b *pgx.Batch, kind audit.Kind, result string) (audit.RecordID, error) {
	subject := string(k.in.ID)
	if subject == "" {
		subject = k.id
	}
	if k.ruling.Policy != nil {
		if err := k.books.queueSet(b, k.Rules.App(k.tool.App), k.at); err != nil {
			return "", err
		}
	}
	return audit.AppendLater(b, audit.Record{At: k.at, Kind: kind, App: k.tool.App, Actor: k.actor, Subject: subject, Body: struct {
		Case     string   `json:"case,omitempty"`
		Calls    []ruling `json:"calls"`
		Repeated int      `json:"repeated,omitempty"`
		Result   string   `json:"result_sha256,omitempty"`
		Via      string   `json:"via"`
	}{string(k.in.ID), []ruling{k.ruling}, k.repeated, result, k.call.Via}})
}

// Refuse puts on record that somebody was told no by a door, before a tool of an
// application was asked for: what is the name of what they wanted.
func (c *Calls) Refuse(ctx context.Context, a identity.Actor, what, via string) error {
	now := c.Clock.Now()
	times, due := c.repeats.Due(fmt.Sprintf("%s %s %s %s", a.Org, a.ID, via, what), now)
	if !due {
		return nil
	}
	return c.DB.InOrg(ctx, a.Org, func(tx pgx.Tx) error {
		_, err := audit.Append(ctx, tx, audit.Record{At: now, Kind: audit.Refusal, Actor: a, Subject: "tool:" + cut(what, 100),
			Body: struct {
				Repeated int    `json:"repeated,omitempty"`
				Via      string `json:"via"`
			}{times, via}})
		return err
	})
}

// read runs a look-up. Its record holds what was asked and the digest of what
// was answered: without the record there is no answer.
func (k *taking) read(ctx context.Context) (Taken, error) {
	out, err := k.readOnce(ctx)
	if err != nil {
		return Taken{}, err
	}
	err = k.DB.InOrg(ctx, k.actor.Org, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		if _, err := k.record(b, audit.Policy, act.Digest(out)); err != nil {
			return err
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return Taken{}, fmt.Errorf("record a look-up by %s: %w", k.tool.FullName(), err)
	}
	k.books.kept.put(k.ruling.Policy.Digest, true, 1)
	return Taken{ID: k.id, Case: string(k.in.ID), Result: out, Outside: k.tool.OutsideText}, nil
}

func (k *taking) readOnce(ctx context.Context) (out json.RawMessage, err error) {
	ctx, stop := context.WithTimeout(ctx, k.ReadTimeout)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", k.tool.FullName(), p)
		}
	}()
	e := tool.Env{Org: k.actor.Org, App: k.tool.App, Case: string(k.in.ID), Call: k.id, Actor: k.actor, At: k.at}
	if k.actor.Kind == identity.Person {
		e.For = k.actor
	}
	return k.tool.Read(ctx, e, k.ruling.args)
}

// Package tool is what an agent can do besides talk.
//
// A tool is a struct: a name, a line for the model and the reviewer, who may use
// it, what effect it has, a gate, and a function. Three constructors take the
// function, one for each effect, and learn the form of the arguments and of the
// result from its types:
//
//	tool.Reads(tool.Tool{
//		App: "poolpatrol", Name: "get_shift",
//		Line:     "Show one shift: its van, its stops and who was on board.",
//		Effect:   tool.Read,
//		Gate:     tool.Off,
//		Roles:    []identity.Role{identity.ProgrammeManager},
//		Deciders: []identity.Role{identity.ProgrammeManager},
//	}, s.getShift)
//
// What a forgotten field means is always the strict thing: no gate asks a
// person, no approvals means one, and a Registry refuses what is half declared.
// Arguments are checked before they count for anything (Check), results before
// anyone sees them, and both have bounds. Whether a call is allowed is not
// decided here: that is package policy, asked by package agent.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
)

// An Effect is what a tool does to the world. The zero value is none, and a
// Registry refuses it.
type Effect string

// The effects.
const (
	Read    Effect = "read"    // looks, and changes nothing
	Write   Effect = "write"   // changes our own rows, in one transaction
	Outside Effect = "outside" // reaches someone beyond our walls
)

// A Gate says who has to agree before a tool runs.
type Gate uint8

// The gates. The zero value is the strictest.
const (
	Approve Gate = iota // someone else decides
	Confirm             // the person the run acts for confirms
	Off                 // nobody, where policy lets it run unattended
)

// String is the gate's word in tables and records.
func (g Gate) String() string {
	switch g {
	case Approve:
		return "approve"
	case Confirm:
		return "confirm"
	case Off:
		return "off"
	}
	return "unknown"
}

// A Class is what approving a call leads to, and how much it weighs.
type Class string

// The classes, in the words of package review. The zero value goes by the effect.
const (
	ByEffect     Class = ""
	Weighty      Class = "weighty"
	ExternalMail Class = "external_mail"
	LegalFiling  Class = "legal_filing"
)

// An Env is what the runtime knows about a call and the model does not choose.
type Env struct {
	Org        identity.Org
	App        string
	Case, Run  string
	Task       string // what the workflow calls the work; an agent below another has its caller's first, then a slash
	Call       string
	Key        string         // the act's own: the same key twice is the same act
	Proposal   string         // what people decide or have decided; empty before they are asked, and where nobody is
	Actor, For identity.Actor // who acts, and for whom
	At         time.Time
	Inject     map[string]string // what an app adds to the names an `inject` tag may use
}

// Found is what the other side says about a key.
type Found uint8

// The answers. Who cannot tell is not taken for a no.
const (
	CannotTell Found = iota
	Yes
	No
)

// The bounds. A tool that needs a larger result is a tool that should page.
const (
	MaxArgs       = 256 << 10 // bytes of JSON
	DefaultResult = 64 << 10
	LargestResult = 1 << 20
	LongestUndo   = 30 * 24 * time.Hour
	MostApprovals = 9
	LongestWait   = 90 * 24 * time.Hour
)

// A Tool is one thing an agent can do. Make it with Reads, Writes or Sends.
type Tool struct {
	App, Name string // together unique; a model sees the name only
	Line      string // what it does, for the model and the reviewer
	Effect    Effect
	Gate      Gate
	Roles     []identity.Role // who may use it, themselves or by an agent

	OutsideText bool            // its result may hold text from outside the organisation: it taints the run
	Grounded    bool            // it sends nothing but what the person it works for said: text from outside steers no argument of it
	MaxResult   int             // bytes of JSON; 0 for DefaultResult
	Undo        time.Duration   // outside acts: how long after approval it can still be undone
	Approvals   int             // how many people must approve; 0 for 1
	Class       Class           // what a yes leads to, as an inbox says it; empty: by the effect
	Choices     Choices         // its outcomes, where it has several
	Deciders    []identity.Role // who may decide its proposals
	EscalateTo  []identity.Role // who may as well, when most of the time to decide has passed

	// How long after people are asked they are reminded, it goes on to EscalateTo,
	// and it expires. 0 leaves the last to who asks; of that time, half has passed
	// at the reminder and three quarters when it goes on.
	RemindAfter, EscalateAfter, ExpireAfter time.Duration

	made    Effect // what the constructor says it is
	in, out form
	inject  []injected
	trial   func(args json.RawMessage) error // whether the Go type takes the arguments
	run     func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (any, error)
	ask     func(ctx context.Context, e Env, args json.RawMessage) (Found, any, error)
	foresee func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) error
	makers  func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) ([]string, error)
	fixed   [][]string // the places of arguments that are read-only
	bind    func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (any, error)
	find    func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (finding.Finding, error)
	broken  error // what is wrong with its types, kept for the Registry to report
}

// FullName is "app.name", as policies and records have it.
func (t Tool) FullName() string { return t.App + "." + t.Name }

// Needed is how many people must approve.
func (t Tool) Needed() int { return max(1, t.Approvals) }

// Expiry is how long people may take, where who asks would usually give them so
// long.
func (t Tool) Expiry(usual time.Duration) time.Duration {
	if t.ExpireAfter > 0 {
		return t.ExpireAfter
	}
	return usual
}

// Attention is when, after people are asked, they are reminded and it goes on to
// others, of something that expires then.
func (t Tool) Attention(expiry time.Duration) (remind, escalate time.Duration) {
	remind, escalate = expiry/4*2, expiry/4*3
	if t.RemindAfter > 0 && t.RemindAfter < expiry {
		remind = t.RemindAfter
	}
	if t.EscalateAfter > 0 && t.EscalateAfter < expiry {
		escalate = t.EscalateAfter
	}
	return remind, escalate
}

// Asks reports whether the other side can be asked what became of a key.
func (t Tool) Asks() bool { return t.ask != nil }

// Spec is the tool as a model sees it. Arguments that the runtime fills in are
// not part of it.
func (t Tool) Spec() model.ToolSpec {
	return model.ToolSpec{Name: t.Name, Description: t.Line, Schema: t.in.text}
}

// Answer is the JSON Schema of what the tool gives back.
func (t Tool) Answer() json.RawMessage { return t.out.text }

// resultBound is the most a result may have, in bytes.
func (t Tool) resultBound() int {
	if t.MaxResult == 0 {
		return DefaultResult
	}
	return t.MaxResult
}

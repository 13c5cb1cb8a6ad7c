// Package act carries out effects once.
//
// An act is a row before it is an effect. The row is made in the transaction
// that authorises it: a person's approving decision, or a turn whose policy
// answer lets the call run unattended (PlanLater). Whoever carries it out claims
// it first (Store.Begin), does it, and writes down how it ended (Store.Finish).
// A claim has a lease and a fence: when a holder dies, the next one learns that
// the effect may have happened and asks the other side; a holder that was only
// slow can no longer finish.
//
// Read Plan, then Begin and Finish. docs/design/acts.md has the reasons.
package act

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of acts; it builds on the cases'. The trigger that
// asks for an act's authority comes with the proposals, in package review.
func Migrations() postgres.MigrationSet { return postgres.Embedded("act", migrations) }

// A State is how far an act has come.
type State string

// The states. The last four are ends, and stay.
const (
	Planned State = "planned" // authorised; nobody has begun
	OnHold  State = "held"    // planned, and a pause was met when it was to begin
	Running State = "running" // somebody holds, or held, the claim
	Done    State = "done"
	Failed  State = "failed"  // not done, for certain
	Unknown State = "unknown" // may have been done; a person is asked
	Undone  State = "undone"  // called off before it began
)

// Ended reports whether nothing more will happen to an act in this state.
func (s State) Ended() bool { return s == Done || s == Failed || s == Unknown || s == Undone }

// The effects an act can have, as tools declare them.
const (
	Read    = "read"    // none; it was gated all the same
	Write   = "write"   // in our own database, inside Finish's transaction
	Outside = "outside" // beyond our walls
)

// An Act is an effect as it stands.
type Act struct {
	Key          string // unique in the organisation; also the idempotency key for the other side
	Org          identity.Org
	Case         string
	Run, Call    string
	App, Tool    string
	Effect       string
	Agent        string          // the id of the agent whose call it was; empty if it was nobody's
	Args         json.RawMessage // nil once erased
	ArgsSHA256   string
	Proposal     string        // the approved proposal, or
	Policy       string        // the record of the policy's answer
	ByKind       identity.Kind // who authorised it
	ByID         string
	NotBefore    *time.Time // until then it can be undone
	PlannedAt    time.Time
	State        State
	Fence        int64
	Result       json.RawMessage // nil until done, and once erased
	ResultSHA256 string
	Reason       string // why it failed, is unknown or was undone
	EndedAt      *time.Time
	ErasedAt     *time.Time
}

// A Plan is an act to be authorised. Exactly one of Proposal and PolicyRecord
// says by what.
type Plan struct {
	Key          string
	Case         string
	Run, Call    string
	App, Tool    string
	Effect       string
	Agent        string // the actor id of the agent whose call it is, "agent:<app>/<name>"
	Args         json.RawMessage
	ArgsSHA256   string
	Proposal     string
	PolicyRecord string
	NotBefore    time.Time // the end of the undo window; zero for none
	At           time.Time
	By           identity.Actor // who authorises: the person who decided, or the agent that runs unattended
}

// Bounds of a plan and of a result.
const (
	maxArgs   = 256 << 10
	maxResult = 1 << 20
	maxReason = 2_000
)

var (
	keyForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,399}$`)
	appForm  = regexp.MustCompile(`^[a-z]{2,20}$`)
	toolForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

func (p Plan) check() error {
	switch {
	case !keyForm.MatchString(p.Key):
		return fault.New(fault.Invalid, "an act's key is 1 to 400 of letters, digits and . _ : / @ + -, not %.60q", p.Key)
	case !appForm.MatchString(p.App) || !toolForm.MatchString(p.Tool):
		return fault.New(fault.Invalid, "act %.60s: no tool is called %.40q.%.40q", p.Key, p.App, p.Tool)
	case p.Effect != Read && p.Effect != Write && p.Effect != Outside:
		return fault.New(fault.Invalid, "act %.60s: an effect is read, write or outside, not %.20q", p.Key, p.Effect)
	case (p.Proposal == "") == (p.PolicyRecord == ""):
		return fault.New(fault.Refused, "act %.60s: needs an approved proposal or the record of a policy's answer, one of the two", p.Key)
	case len(p.Args) > maxArgs:
		return fault.New(fault.TooLarge, "act %.60s: its arguments have %d bytes; the most is %d", p.Key, len(p.Args), maxArgs)
	case !json.Valid(p.Args) || Digest(p.Args) != p.ArgsSHA256:
		return fault.New(fault.Invalid, "act %.60s: its arguments are not those of the digest", p.Key)
	case p.At.IsZero() || !p.By.Known():
		return fault.New(fault.Invalid, "act %.60s: says nobody authorised it, or never", p.Key)
	}
	return nil
}

// Digest is the hexadecimal SHA-256 of a text: what args_sha256 and
// result_sha256 hold.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A Store carries acts through their states. It is safe for use by many
// goroutines.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
}

// NewStore keeps acts in db. Undo windows go by the clock.
func NewStore(db *postgres.DB, clock durable.Clock) *Store { return &Store{db: db, clock: clock} }

// A Standing is what a caller of Begin may do now.
type Standing uint8

// The standings. The zero value lets nobody do anything.
const (
	Nothing Standing = iota
	Mine             // do it: nobody else has
	Unsure           // an earlier holder may have done it: ask the other side; the claim is yours
	Ended            // it is over: the act says how
	Held             // a pause is on: ask again later
)

// String names the standing, for logs.
func (s Standing) String() string {
	return [...]string{"nothing", "mine", "unsure", "ended", "held"}[s]
}

// A Claim is the answer to Begin.
type Claim struct {
	Standing Standing
	Fence    int64 // what Finish asks for; zero unless Mine or Unsure
	Act      Act
	// Doubted, of Unsure: its case may have done it in time that a restore lost, under
	// another key. The other side's yes is believed; its no says nothing.
	Doubted bool
}

// Why is the reason for an end that nobody is sure of: usual, or what was on record
// before anybody began.
func (c Claim) Why(usual string) string { return cmp.Or(c.Act.Reason, usual) }

// An End says how an act ended.
type End struct {
	State  State           // Done, Failed or Unknown; there is no default
	Result json.RawMessage // of Done, unless the effect in the transaction returns it
	Reason string          // of Failed and Unknown, for a person; cut at 2,000 characters
	// Then, if set, is called in the transaction after the act has its new state:
	// where the question to a person about an unknown outcome is asked.
	Then func(pgx.Tx, Act) error
}

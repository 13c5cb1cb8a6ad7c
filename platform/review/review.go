// Package review keeps proposals and the decisions of people on them.
//
// A proposal is an effect that waits for a person; a decision is a named
// person's answer to exactly the bytes they were shown. An agent's turn proposes
// (ProposeLater), a person decides (Store.Decide), and the same transaction
// plans the act, writes the record and leaves word for the workflow that waits.
// The database repeats every check that makes an approval one: who may decide,
// on what, how many, and that no act exists without it.
//
// Around that stands what people need to decide well and in time: delegations,
// an inbox, claims and assignments, reminders and escalation (Attend), what was
// opened, and proposals that are known to be wrong, to test that oversight is
// real.
//
// # Locks
//
// Whoever locks more than one of these takes them in this order, here and in the
// packages that propose and carry out: the proposal, the delegation, the act, the
// case (casefile.Lock), the organisation's last number (ProposeLater). A row that
// only refers to a case locks its key, which nobody else's lock keeps it from; so
// a turn may take its number first. An erasure blanks proposals and acts before
// it blanks cases.
//
// Read Proposal, then Decide, then authorise. docs/design/decisions.md has the
// reasons.
package review

import (
	"context"
	"embed"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of proposals and decisions, and the trigger that
// asks every act for its authority; it builds on the acts'.
func Migrations() postgres.MigrationSet { return postgres.Embedded("review", migrations) }

// A Verdict is a person's answer.
type Verdict string

// The verdicts. The last is given on a proposal that was approved, through Undo.
const (
	Approve  Verdict = "approve"
	Edit     Verdict = "edit"      // approve with other arguments
	SendBack Verdict = "send_back" // with a question or a wish; the agent may propose anew
	Reject   Verdict = "reject"
	Undo     Verdict = "undo"
)

// A State is how far a proposal has come.
type State string

// The states. All but the first are ends, and stay.
const (
	Open       State = "open"
	Approved   State = "approved"
	Edited     State = "edited" // approved, with other arguments
	Rejected   State = "rejected"
	SentBack   State = "sent_back"
	Expired    State = "expired"
	Withdrawn  State = "withdrawn"  // by who asked
	Superseded State = "superseded" // another proposal took its place
	Undone     State = "undone"     // in signals only: the act was called off, the proposal stays approved
)

// A Gate says who decides.
type Gate string

// The gates.
const (
	ByAnother Gate = "approve" // somebody else: never who asked, nor who made the thing
	ByOneself Gate = "confirm" // the person the run acts for, and nobody else
)

// A Proposal is an effect that waits for a person, as it stands.
type Proposal struct {
	ID   string // "P-<n>", numbered per organisation; given by ProposeLater
	Org  identity.Org
	Case string
	Kind string // how it is shown, edited and carried out
	App  string
	Tool string // empty: approving it plans no act
	// Effect is the tool's: read, write or outside. Empty where Tool is.
	Effect    string
	Key       string // of the act it may become; the same key twice is one proposal
	Run, Call string
	Gate      Gate

	Args        json.RawMessage // canonical; nil once erased
	ArgsSHA256  string
	Shown       json.RawMessage // the exact document a page renders; nil once erased
	ShownSHA256 string

	RequestedBy string   // actor id, of the agent as a rule
	OnBehalfOf  string   // actor id of the person the run acts for; may be empty
	Makers      []string // actor ids that may not decide
	Deciders    []identity.Role
	Allowed     []Verdict // empty means all four
	Required    int       // how many people must approve; zero means one

	PolicyRecord string
	ExpiresAt    time.Time // zero for never
	DueAt        time.Time // by when an answer is wanted; zero means when it expires
	RemindAt     time.Time // zero for never
	EscalateAt   time.Time // when EscalateTo may decide it, too; zero for never
	EscalateTo   []identity.Role
	AssignedTo   string // actor id; empty for whoever of the deciders comes first
	Undo         time.Duration
	Wake         Wake
	CreatedAt    time.Time

	RemindedAt      time.Time
	EscalatedAt     time.Time // from then on Deciders holds EscalateTo as well
	State           State
	FinalArgs       json.RawMessage // as edited; nil unless Edited
	FinalArgsSHA256 string          // what was approved; empty unless Approved or Edited
	EndedAt         time.Time
	EndedBy         string // the decision that ended it; empty if none did
	ErasedAt        time.Time

	// Seed says that it was known to be wrong and there as a test. It is nil until
	// the proposal has ended, whatever it is.
	Seed *Seed

	// What Get tells the person who asks.
	SnoozedUntil time.Time
	Claim        Claim
}

// A Wake says whom to tell. Without a WorkflowID it is the workflow that the
// store's WakeOf names for the case.
type Wake struct {
	WorkflowID string       `json:"workflow_id"` // <app>/<org>/<key>
	Start      outbox.Start `json:"start"`       // begins the workflow anew if its last run came to a bad end

	// Case tells the workflow of the case as well: one that waits for nothing in
	// particular, and looks at the record when it is woken.
	Case bool `json:"case,omitempty"`
}

// A Decision is a person's answer.
type Decision struct {
	ID          string // chosen by the sender, 8 to 80 characters: the same one twice decides once
	Proposal    string
	ShownSHA256 string // of what the person had before them
	Verdict     Verdict
	Edit        json.RawMessage // the arguments as edited
	Reason      string          // needed to reject, send back and undo
	Grounds     string          // what the case rested on when the person read it (Store.Grounds); needed for a legal filing
	Opened      json.RawMessage // what was opened, by the sender's own word; what the page reported goes before it
	For         string          // actor id of the one in whose stead; empty: oneself if one may, else whose delegation allows it

	several bool // it is one of several: DecideAll
}

// A Config is what a Store needs.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules // who may read, decide, assign and delegate at all; nil refuses everything
	Acts  *act.Store
	Kinds []Kind
	// Person finds somebody of the organisation by their id, with the roles they
	// hold now; NotFound for who is not known. It reads in the transaction it is
	// given. Without it nothing is assigned or delegated, and what was delegated
	// counts for the roles that were given then.
	Person func(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (identity.Actor, error)
	// People lists up to a number of those of the organisation who hold a role, by
	// name. Without it nobody is offered by name.
	People func(ctx context.Context, tx pgx.Tx, org identity.Org, most int) ([]identity.Actor, error)
	// CanOpen refuses somebody who cannot open everything that a proposal shows.
	// Nil means that who may read proposals can. It only computes.
	CanOpen func(ctx context.Context, who identity.Actor, p Proposal) error
	// Notify, if set, is told of every notice in the transaction that makes it.
	Notify func(ctx context.Context, tx pgx.Tx, n Notice) error
	// Recheck asks the policy again, about edited arguments. Without it nothing
	// can be edited. It is called while the proposal is locked: it only computes.
	Recheck func(ctx context.Context, p Proposal, args json.RawMessage) error
	// Grounds names what a case rested on at a moment, or now for the zero moment, and
	// SameGrounds refuses a name that is not what it rests on now: Stale, saying what
	// came since. Both read in the transaction they are given. Where they are nil
	// nobody knows, and no decision is asked for its grounds.
	Grounds     func(ctx context.Context, tx pgx.Tx, id casefile.CaseID, at time.Time) (string, error)
	SameGrounds func(ctx context.Context, tx pgx.Tx, id casefile.CaseID, seen string) error
	// Objected reports whether the person concerned has objected to a case and waits for
	// an answer: it is not decided together with others then. Nil means that nobody has.
	Objected func(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (bool, error)
	// WakeOf names the workflow of a case, for proposals that name none. Where it
	// is nil, or names none either, nobody is told.
	WakeOf func(casefile.Case) (Wake, error)
}

// A Store keeps proposals. It is safe for use by many goroutines.
type Store struct {
	db      *postgres.DB
	clock   durable.Clock
	rules   *policy.Rules
	acts    *act.Store
	kinds   map[string]Kind
	person  func(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (identity.Actor, error)
	people  func(ctx context.Context, tx pgx.Tx, org identity.Org, most int) ([]identity.Actor, error)
	canOpen func(ctx context.Context, who identity.Actor, p Proposal) error
	notify  func(ctx context.Context, tx pgx.Tx, n Notice) error
	recheck func(ctx context.Context, p Proposal, args json.RawMessage) error
	wakeOf  func(casefile.Case) (Wake, error)
	grounds groundsConfig
	secret  atomic.Pointer[string] // what tests are chosen by, once it was read
}

// New makes a store, and refuses kinds without a name or with one that is taken.
func New(c Config) (*Store, error) {
	s := &Store{db: c.DB, clock: c.Clock, rules: c.Rules, acts: c.Acts, kinds: map[string]Kind{}, person: c.Person, people: c.People,
		canOpen: c.CanOpen,
		notify:  c.Notify, recheck: c.Recheck, wakeOf: c.WakeOf, grounds: groundsConfig{c.Grounds, c.SameGrounds, c.Objected}}
	if s.acts == nil {
		s.acts = act.NewStore(c.DB, c.Clock)
	}
	for _, k := range c.Kinds {
		if _, taken := s.kinds[k.Name]; taken || !kindForm.MatchString(k.Name) {
			return nil, fault.New(fault.Internal, "a kind of proposal is called %.40q: malformed, or there already", k.Name)
		}
		if k.Seeds.Share < 0 || k.Seeds.Share > mostSeeds {
			return nil, fault.New(fault.Internal, "at most %g of the proposals of kind %s may be tests, not %g", mostSeeds, k.Name,
				k.Seeds.Share)
		}
		s.kinds[k.Name] = k
	}
	return s, nil
}

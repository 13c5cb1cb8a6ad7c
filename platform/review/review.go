// Package review keeps proposals and the decisions of people on them.
//
// A proposal is an effect that waits for a person; a decision is a named
// person's answer to exactly the bytes they were shown. An agent's turn proposes
// (ProposeLater), a person decides (Store.Decide), and the same transaction
// plans the act, writes the record and leaves word for the workflow that waits.
// The database repeats every check that makes an approval one: who may decide,
// on what, how many, and that no act exists without it.
//
// Read Proposal, then Decide. docs/design/decisions.md has the reasons.
package review

import (
	"context"
	"embed"
	"encoding/json"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
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
	Undo         time.Duration
	Wake         Wake
	CreatedAt    time.Time

	State           State
	FinalArgs       json.RawMessage // as edited; nil unless Edited
	FinalArgsSHA256 string          // what was approved; empty unless Approved or Edited
	EndedAt         time.Time
	EndedBy         string // the decision that ended it; empty if none did
	ErasedAt        time.Time
}

// A Wake says whom to tell. Without a WorkflowID it is the workflow that the
// store's WakeOf names for the case.
type Wake struct {
	WorkflowID string       `json:"workflow_id"` // <app>/<org>/<key>
	Start      outbox.Start `json:"start"`       // begins the workflow anew if its last run came to a bad end
}

// A Decision is a person's answer.
type Decision struct {
	ID          string // chosen by the sender, 8 to 80 characters: the same one twice decides once
	Proposal    string
	ShownSHA256 string // of what the person had before them
	Verdict     Verdict
	Edit        json.RawMessage // the arguments as edited
	Reason      string          // needed to reject, send back and undo
	Opened      json.RawMessage // what was opened, and for how long
}

// A Kind says how proposals of one kind are edited. A kind that is not known, or
// has no Check, cannot be edited.
type Kind struct {
	Name string
	// Check validates edited arguments against the tool's schema and returns them
	// as canonical JSON. It only computes.
	Check func(p Proposal, args json.RawMessage) (json.RawMessage, error)
}

// A Config is what a Store needs.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Acts  *act.Store
	Kinds []Kind
	// Recheck asks the policy again, about edited arguments. Without it nothing
	// can be edited. It is called while the proposal is locked: it only computes.
	Recheck func(ctx context.Context, p Proposal, args json.RawMessage) error
	// WakeOf names the workflow of a case, for proposals that name none. Where it
	// is nil, or names none either, nobody is told.
	WakeOf func(casefile.Case) (Wake, error)
}

// A Store keeps proposals. It is safe for use by many goroutines.
type Store struct {
	db      *postgres.DB
	clock   durable.Clock
	acts    *act.Store
	kinds   map[string]Kind
	recheck func(ctx context.Context, p Proposal, args json.RawMessage) error
	wakeOf  func(casefile.Case) (Wake, error)
}

// New makes a store, and refuses kinds without a name or with one that is taken.
func New(c Config) (*Store, error) {
	s := &Store{db: c.DB, clock: c.Clock, acts: c.Acts, kinds: map[string]Kind{}, recheck: c.Recheck, wakeOf: c.WakeOf}
	if s.acts == nil {
		s.acts = act.NewStore(c.DB, c.Clock)
	}
	for _, k := range c.Kinds {
		if _, taken := s.kinds[k.Name]; taken || !kindForm.MatchString(k.Name) {
			return nil, fault.New(fault.Internal, "a kind of proposal is called %.40q: malformed, or there already", k.Name)
		}
		s.kinds[k.Name] = k
	}
	return s, nil
}

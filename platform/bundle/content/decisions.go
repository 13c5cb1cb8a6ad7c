package content

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// The files of the section: what was proposed, in the order of the numbers; what
// people answered, in the order they did; and the delegations under which some of
// them did, by their ids.
const (
	decisionsName   = "decisions" // the section's
	proposalsFile   = "proposals.ndjson"
	decisionsFile   = "decisions.ndjson"
	delegationsFile = "delegations.ndjson" // from version 2 on
)

// A proposed is a proposal as a bundle has it. Its texts are exact: their
// SHA-256 is beside them.
type proposed struct {
	ID          string           `json:"id"`
	Kind        string           `json:"kind"`
	App         string           `json:"app"`
	Tool        string           `json:"tool"`
	Effect      string           `json:"effect"`
	Act         string           `json:"act"` // the key of the act it may become
	Run         string           `json:"run"`
	Call        string           `json:"call"`
	Gate        review.Gate      `json:"gate"`
	Args        string           `json:"args,omitempty"`
	ArgsSHA256  string           `json:"args_sha256"`
	Shown       string           `json:"shown,omitempty"`
	ShownSHA256 string           `json:"shown_sha256"`
	RequestedBy string           `json:"requested_by"`
	OnBehalfOf  string           `json:"on_behalf_of"`
	Makers      []string         `json:"makers"`
	Deciders    []identity.Role  `json:"deciders"`
	Allowed     []review.Verdict `json:"allowed"`
	Required    int              `json:"required"`
	Record      audit.RecordID   `json:"policy_record,omitempty"`
	ExpiresAt   *time.Time       `json:"expires_at"`
	UndoSeconds int64            `json:"undo_seconds"`
	CreatedAt   time.Time        `json:"created_at"`
	State       review.State     `json:"state"`
	Final       string           `json:"final_args,omitempty"` // where a person edited it
	FinalSHA256 string           `json:"final_args_sha256,omitempty"`
	EndedAt     *time.Time       `json:"ended_at"`
	EndedBy     string           `json:"ended_by,omitempty"` // a decision
	ErasedAt    *time.Time       `json:"erased_at,omitempty"`
	Test        *tested          `json:"test,omitempty"` // it was known to be wrong; told after its end
}

// A tested is what a proposal was that was there to test oversight.
type tested struct {
	Truth string `json:"truth,omitempty"` // what was wrong with it; gone once erased
	Nonce string `json:"nonce"`
}

// A decided is a person's answer.
type decided struct {
	ID          string          `json:"id"`
	Proposal    string          `json:"proposal"`
	Verdict     review.Verdict  `json:"verdict"`
	Actor       actor           `json:"actor"`
	Roles       []identity.Role `json:"roles"`
	At          time.Time       `json:"at"`
	ShownSHA256 string          `json:"shown_sha256"`
	ArgsSHA256  string          `json:"args_sha256"`
	Reason      string          `json:"reason"`
	Opened      string          `json:"opened"` // JSON: what they opened, and for how long
	Record      audit.RecordID  `json:"record"`
	ErasedAt    *time.Time      `json:"erased_at,omitempty"`

	// Where it was made in somebody else's stead: whose, and by which delegation.
	// Roles are those of the actor all the same.
	OnBehalf     string `json:"on_behalf,omitempty"`
	OnBehalfName string `json:"on_behalf_name,omitempty"`
	Delegation   string `json:"delegation,omitempty"`
}

func (s Sources) exportDecisions(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	var proposals []review.Proposal
	var made []review.Made
	var leaves []leave
	var untold []audit.RecordID
	err := s.DB.InOrg(ctx, req.Org, func(tx pgx.Tx) (err error) {
		if proposals, made, err = review.AllOfCase(ctx, tx, req.Org, req.Case); err != nil {
			return err
		}
		if leaves, err = leavesOf(ctx, tx, req.Org, made); err != nil {
			return err
		}
		untold, err = review.UntoldOf(ctx, tx, req.Org, req.Case)
		return err
	})
	if err != nil {
		return err
	}
	w.Withhold(untold...)
	long := newTexts(w)
	lines := make([]proposed, len(proposals))
	for i, p := range proposals {
		if lines[i], err = proposedOf(long, p); err != nil {
			return err
		}
		if p.PolicyRecord != "" {
			w.Cite(audit.RecordID(p.PolicyRecord))
		}
	}
	if err := bundle.Lines(w, proposalsFile, lines); err != nil {
		return err
	}
	if err := exportAnswers(w, made, leaves); err != nil {
		return err
	}
	return exportLeaves(w, leaves)
}

func exportAnswers(w *bundle.Writer, made []review.Made, leaves []leave) error {
	givers := map[string]string{}
	for _, l := range leaves {
		givers[l.ID] = l.giver
	}
	answers := make([]decided, len(made))
	for i, m := range made {
		answers[i] = decided{ID: m.ID, Proposal: m.Proposal, Verdict: m.Verdict, Actor: actor{identity.Person, m.ActorID, m.ActorName},
			Roles: m.Roles,
			At:    m.At.UTC(), ShownSHA256: m.ShownSHA256, ArgsSHA256: m.ArgsSHA256, Reason: m.Reason, Opened: m.Opened,
			Record: audit.RecordID(m.Record), ErasedAt: utc(m.ErasedAt), OnBehalf: m.OnBehalf, Delegation: m.Delegation}
		if m.ErasedAt == nil { // the giver's name goes with the other's
			answers[i].OnBehalfName = givers[m.Delegation]
		}
		w.Cite(answers[i].Record)
	}
	return bundle.Lines(w, decisionsFile, answers)
}

func proposedOf(long *texts, p review.Proposal) (proposed, error) {
	one := proposed{ID: p.ID, Kind: p.Kind, App: p.App, Tool: p.Tool, Effect: p.Effect, Act: p.ActKey(), Run: p.Run, Call: p.Call,
		Gate:       p.Gate,
		ArgsSHA256: p.ArgsSHA256, ShownSHA256: p.ShownSHA256, RequestedBy: p.RequestedBy, OnBehalfOf: p.OnBehalfOf, Makers: p.Makers,
		Deciders: p.Deciders, Allowed: p.Allowed, Required: p.Required, Record: audit.RecordID(p.PolicyRecord),
		ExpiresAt: said(p.ExpiresAt), UndoSeconds: int64(p.Undo / time.Second), CreatedAt: p.CreatedAt, State: p.State,
		FinalSHA256: p.FinalArgsSHA256, EndedAt: said(p.EndedAt), EndedBy: p.EndedBy, ErasedAt: said(p.ErasedAt)}
	if p.Seed != nil && p.State != review.Open { // before its end a test looks like any other
		one.Test = &tested{Truth: p.Seed.Truth, Nonce: p.Seed.Nonce}
	}
	var err error
	for _, t := range []struct {
		from   []byte
		sha256 string
		to     *string
	}{{p.Args, p.ArgsSHA256, &one.Args}, {p.Shown, p.ShownSHA256, &one.Shown}, {p.FinalArgs, p.FinalArgsSHA256, &one.Final}} {
		if *t.to, err = long.put(t.from, t.sha256); err != nil {
			return one, err
		}
	}
	return one, nil
}

// said is a moment, or nil for one that never was.
func said(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

// answered is the body of the record of a decision, or of a proposal's other
// end, as package review writes it.
type answered struct {
	Act         string         `json:"act"`
	ArgsSHA256  string         `json:"args_sha256"`
	Decision    string         `json:"decision"`
	Delegation  string         `json:"delegation"`
	OnBehalf    string         `json:"on_behalf"`
	Proposal    string         `json:"proposal"`
	Seed        string         `json:"seed"` // it was a test: review.SeedDigest of it
	ShownSHA256 string         `json:"shown_sha256"`
	State       review.State   `json:"state"`
	Verdict     review.Verdict `json:"verdict"`
}

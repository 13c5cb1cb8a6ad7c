package agent

import (
	"context"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Store reads runs, steps and transcripts, for pages, applications and
// bundles.
type Store struct {
	books *books
	rules *policy.Rules
	clock durable.Clock // dates looks at what is another person's
}

// NewStore reads from db, for those whom the rules let; sealed transcripts are
// opened by the vault.
func NewStore(db *postgres.DB, vault *seal.Vault, rules *policy.Rules, clock durable.Clock) *Store {
	return &Store{books: newBooks(db, vault), rules: rules, clock: clock}
}

// Answer is what a run that is done answered: text, or JSON in the form of its
// agent's answer.
func (s *Store) Answer(ctx context.Context, org identity.Org, run string) (string, error) {
	r, err := s.books.endedOne(ctx, org, run)
	if err != nil {
		return "", err
	}
	if r.State != Done && r.State != WaitingReply {
		return "", fault.New(fault.Conflict, "run %s is %s and has no answer", run, r.State)
	}
	c, err := s.books.chain(ctx, org, short(Digest(r.Head)))
	if err != nil {
		return "", err
	}
	spec, err := s.books.spec(ctx, org, Digest(r.Spec))
	if err != nil {
		return "", err
	}
	return handedOn(spec, c[len(c)-1].Answer)
}

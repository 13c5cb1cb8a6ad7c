package search

import (
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// Statement is the search, for a look at its plan.
const Statement = find

// Args are its arguments for somebody who may read everything.
func Args(org identity.Org, text string) pgx.NamedArgs {
	return arguments(org, text, may{cases: true, proposals: true, runs: true})
}

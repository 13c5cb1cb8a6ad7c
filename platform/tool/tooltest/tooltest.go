// Package tooltest is for tests and benchmarks that need tools and are not about what
// they find.
package tooltest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/finding/findingtest"
	"github.com/gavelhq/gavel/platform/tool"
)

// Finds gives a tool a finding that is complete and says little.
func Finds[In any](t tool.Tool) tool.Tool {
	return tool.Finds(t, func(context.Context, pgx.Tx, tool.Env, In) (finding.Finding, error) {
		return findingtest.About(t.Name), nil
	})
}

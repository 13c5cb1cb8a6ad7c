package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/setting"
)

// A MethodChoice says by which method episodes are answered that are found from now on.
type MethodChoice struct {
	Method string `json:"method" enum:"plume-2026-1,plume-2027-1" doc:"plume-2026-1: one verdict, of five demands. plume-2027-1: how likely, whether smoke mattered, how good the data are. Episodes that were found before keep theirs."`
}

// MethodKind is that setting.
var MethodKind = setting.Of(setting.Kind{App: Name, Name: "method", Title: "how it is said whose smoke it was", Read: ActRead,
	Change: ActMethod, Record: "airshed_method"}, setting.Functions[MethodChoice]{
	Default: func(context.Context, pgx.Tx, identity.Org) (MethodChoice, error) {
		return MethodChoice{string(analysis.Default)}, nil
	},
	Said: func(c MethodChoice) map[string]any { return map[string]any{"method": c.Method} },
})

// MethodFor is the method by which a sighting is answered: the episode's own, or the one
// that is set where nobody has found it yet.
func (s *Store) MethodFor(ctx context.Context, org identity.Org, g Sighting) (by analysis.Method, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		was, err := g.known(ctx, tx)
		if err != nil || was.Key != "" {
			by = was.Method
			return err
		}
		choice, _, err := setting.Read[MethodChoice](ctx, tx, MethodKind, org, "")
		by = analysis.Method(choice.Method)
		return err
	})
	return by, err
}

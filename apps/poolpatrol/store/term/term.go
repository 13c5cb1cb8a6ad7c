// Package term reads the thresholds and terms of a programme: those in force, those of a
// version that something began with, and by which each van is judged.
package term

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/setting"
)

// Previews says what a change would do.
type Previews func(ctx context.Context, tx pgx.Tx, org identity.Org, was, now terms.Terms) ([]setting.Effect, error)

// Kind is the setting. People decide each change of it.
func Kind(preview Previews) setting.Kind {
	return setting.Of(setting.Kind{App: programme.Name, Name: "terms", Title: "thresholds and terms of the programme",
		Read: programme.ActRead, Change: programme.ActSettings, Record: "poolpatrol_terms", Gated: true},
		setting.Functions[terms.Terms]{
			Default: func(context.Context, pgx.Tx, identity.Org) (terms.Terms, error) { return terms.Standard(), nil },
			Check:   func(_ string, t terms.Terms) (terms.Terms, error) { return t.Check() },
			Preview: preview,
			Said: func(t terms.Terms) map[string]any {
				return map[string]any{"farthest_home": t.Farthest, "distance_unit": string(t.Unit), "patience_days": t.Patience}
			},
		})
}

// toRead is the kind where nothing is set.
var toRead = Kind(nil)

// InForce are the terms that hold now, and their version.
func InForce(ctx context.Context, tx pgx.Tx, org identity.Org) (terms.Terms, int64, error) {
	t, m, err := setting.Read[terms.Terms](ctx, tx, toRead, org, "")
	return t, m.Version, err
}

// Of are the terms of a version.
func Of(ctx context.Context, tx pgx.Tx, org identity.Org, version int64) (terms.Terms, error) {
	return setting.ReadVersion[terms.Terms](ctx, tx, toRead, org, version)
}

// RulesOf are the rules of a van's case that began under a version, and the unit its people
// are told distances in: working days are those of its site.
func RulesOf(ctx context.Context, tx pgx.Tx, org identity.Org, van fleet.VanpoolID, version int64) (
	r lifecycle.Rules, u fleet.Unit, err error,
) {
	t, err := Of(ctx, tx, org, version)
	if err != nil {
		return r, u, err
	}
	var name string
	err = tx.QueryRow(ctx, `select s.zone from poolpatrol.vanpool v join poolpatrol.site s on s.id = v.site_id
		where v.id = $1`, van).Scan(&name)
	if err != nil {
		return r, u, fmt.Errorf("read the zone of %s: %w", van, err)
	}
	zone, err := time.LoadLocation(name)
	return t.Rules(version, zone), t.Unit, err
}

// Policies are by which thresholds each van is judged under a version: open cases keep
// theirs.
func Policies(ctx context.Context, tx pgx.Tx, org identity.Org, version int64) (p audit.Policies, err error) {
	now, err := Of(ctx, tx, org, version)
	if err != nil {
		return p, err
	}
	p.Now = now.Policy(version)
	p.Kept, err = Kept(ctx, tx, org, version)
	return p, err
}

// NoVersion is the version of no terms.
const NoVersion = -1

// Kept are the policies of the vans with an open case that did not begin under a version.
func Kept(ctx context.Context, tx pgx.Tx, org identity.Org, but int64) (map[fleet.VanpoolID]audit.Policy, error) {
	const open = `select vanpool_id, terms_version from poolpatrol.case where ended_at is null and terms_version <> $1`
	rows, _ := tx.Query(ctx, open, but)
	began := map[fleet.VanpoolID]int64{}
	var van fleet.VanpoolID
	var v int64
	if _, err := pgx.ForEachRow(rows, []any{&van, &v}, func() error { began[van] = v; return nil }); err != nil {
		return nil, fmt.Errorf("read what open cases began with: %w", err)
	}
	all, by := map[fleet.VanpoolID]audit.Policy{}, map[int64]audit.Policy{}
	for van, v := range began {
		if _, known := by[v]; !known {
			t, err := Of(ctx, tx, org, v)
			if err != nil {
				return nil, err
			}
			by[v] = t.Policy(v)
		}
		all[van] = by[v]
	}
	return all, nil
}

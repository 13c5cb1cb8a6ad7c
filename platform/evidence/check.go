package evidence

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres"
)

// mostNamed is how many late sources the doctor names; the rest are counted.
const mostNamed = 3

// Check looks for sources that spoke once and are late now, on the installation's
// clock. One that never spoke is no trouble of the doctor's: an organisation that
// does not use an application has no data of it.
func Check(systemURL string, sources []Source, now func() time.Time) doctor.Check {
	return doctor.AsSystem("Sources", "are up to date", systemURL, "what came from sources",
		func(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
			all, err := heard(ctx, sys, sources)
			return spoken(all, now()), err
		})
}

// A hearing is when a source last spoke to an organisation.
type hearing struct {
	Org    string
	Source Source
	Last   time.Time
}

// heard reads the last fetch of each source that should speak, for each
// organisation that ever had one.
func heard(ctx context.Context, sys *postgres.System, sources []Source) ([]hearing, error) {
	byName := map[string]Source{}
	var names []string
	for _, s := range sources {
		if s.ExpectedEvery > 0 {
			byName[s.Name] = s
			names = append(names, s.Name)
		}
	}
	const newest = `
		select o.org, s.name, f.fetched_at
		from gavel_sys.organisation o cross join unnest($1::text[]) with ordinality s(name, place)
		cross join lateral (select fetched_at from gavel.fetch where org = o.org and source = s.name order by fetched_at desc limit 1) f
		order by o.org, s.place`
	rows, _ := sys.Query(ctx, newest, names)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h hearing, err error) {
		var name string
		err = row.Scan(&h.Org, &name, &h.Last)
		h.Source = byName[name]
		return h, err
	})
}

// spoken judges when sources last spoke, as the page of sources does.
func spoken(all []hearing, now time.Time) doctor.Result {
	var late []string
	for _, h := range all {
		if delay := h.Source.delay(h.Last, now); delay > 0 {
			late = append(late, fmt.Sprintf("%s of %s is late by %s", h.Source.Title, h.Org, delay.Round(time.Second)))
		}
	}
	if len(late) == 0 {
		return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("in time: %d", len(all))}
	}
	if more := len(late) - mostNamed; more > 0 {
		late = append(late[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return doctor.Result{Status: doctor.Warn, Detail: strings.Join(late, "; "),
		Fix: "docs/runbook/source-silent.md; the page Sources has each of them"}
}

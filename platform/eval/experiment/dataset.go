package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// chunk is how many cases one statement adds.
const chunk = 2000

// keepDataset keeps a version of a dataset, unless it is there. The same version with other
// cases is refused: nobody moves the goal posts quietly.
func keepDataset(ctx context.Context, tx pgx.Tx, org identity.Org, d eval.Dataset, cases []eval.Case, by string, at time.Time) error {
	const known = `select digest from gavel.dataset where name = $1 and version = $2`
	var there string
	err := tx.QueryRow(ctx, known, d.Name, d.Version).Scan(&there)
	switch {
	case err == nil && there == d.SHA256:
		return nil
	case err == nil:
		return fault.New(fault.Conflict, "version %.60q of dataset %.60q has other cases here", d.Version, d.Name).
			WithNext("give the changed cases a version of their own")
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("look for dataset %.60q: %w", d.Name, err)
	}
	const add = `insert into gavel.dataset (org, name, version, digest, about, cases, made_by, made_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`
	if _, err := tx.Exec(ctx, add, org, d.Name, d.Version, d.SHA256, d.About, len(cases), by, at); err != nil {
		return fmt.Errorf("keep dataset %.60q: %w", d.Name, err)
	}
	return keepCases(ctx, tx, org, d.SHA256, cases)
}

// keepCases keeps cases by the digest of them all, unless they are there.
func keepCases(ctx context.Context, tx pgx.Tx, org identity.Org, digest string, cases []eval.Case) error {
	const add = `insert into gavel.dataset_case (org, digest, seq, id, line)
		select $1, $2, $3 + i - 1, id, line from unnest($4::text[], $5::text[]) with ordinality as c(id, line, i) on conflict do nothing`
	for from := 0; from < len(cases); from += chunk {
		var ids, lines []string
		for _, c := range cases[from:min(len(cases), from+chunk)] {
			text, err := json.Marshal(c)
			if err != nil {
				return fmt.Errorf("write case %.60q: %w", c.ID, err)
			}
			ids, lines = append(ids, c.ID), append(lines, string(text))
		}
		if _, err := tx.Exec(ctx, add, org, digest, from, ids, lines); err != nil {
			return fmt.Errorf("keep cases of a dataset: %w", err)
		}
	}
	return nil
}

// casesOf reads cases from one to before another.
func casesOf(ctx context.Context, tx pgx.Tx, digest string, from, to int) ([]eval.Case, error) {
	const read = `select line from gavel.dataset_case where digest = $1 and seq >= $2 and seq < $3 order by seq`
	rows, _ := tx.Query(ctx, read, digest, from, to)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c eval.Case, err error) {
		var line string
		if err := row.Scan(&line); err != nil {
			return c, err
		}
		return c, json.Unmarshal([]byte(line), &c)
	})
}

package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Eraser blanks what agents' work left in plain about a subject: the words of
// proposals, decisions and acts of every case that is about them or that an agent
// worked with their data, and what people wrote to its runs. Transcripts are
// sealed, and go with their key.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "agent", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		var org identity.Org
		if err := tx.QueryRow(ctx, `select current_setting('gavel.org')`).Scan(&org); err != nil {
			return seal.Reach{}, fmt.Errorf("whose data is erased: %w", err)
		}
		cases, err := concerned(ctx, tx, s)
		if err != nil {
			return seal.Reach{}, err
		}
		var all seal.Reach
		for _, id := range cases {
			did, err := review.Erase(ctx, tx, org, id, at)
			if err != nil {
				return seal.Reach{}, err
			}
			said, err := blankMessages(ctx, tx, id)
			if err != nil {
				return seal.Reach{}, err
			}
			looks, err := blankLooks(ctx, tx, id, at)
			if err != nil {
				return seal.Reach{}, err
			}
			left := all.Left
			all = casefile.Together(all, did, said, looks)
			if all.Left = left; did.Left != "" {
				all.Left = did.Left
			}
		}
		return all, nil
	}}
}

// concerned are the cases that are about a subject, and those whose runs were
// told about them.
func concerned(ctx context.Context, tx pgx.Tx, s seal.Subject) ([]string, error) {
	about, err := casefile.About(ctx, tx, s)
	if err != nil {
		return nil, err
	}
	rows, _ := tx.Query(ctx, `select distinct case_id from gavel.run where $1 = any(subjects)`, s.String())
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find the runs about %s: %w", s.Type, err)
	}
	for _, id := range about {
		all = append(all, string(id))
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// blankLooks takes the reasons that people gave for looking at what somebody said
// to a case's runs.
func blankLooks(ctx context.Context, tx pgx.Tx, caseID string, at time.Time) (seal.Reach, error) {
	const blank = `update gavel.run_disclosure d set reason = '', salt = null, actor_name = '', erased_at = $2 from gavel.run r
		where r.case_id = $1 and d.org = r.org and d.run_id = r.id and d.erased_at is null`
	tag, err := tx.Exec(ctx, blank, caseID, at)
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank the looks at %s: %w", caseID, err)
	}
	reach := seal.Reach{Rows: int(tag.RowsAffected())}
	if reach.Rows > 0 {
		reach.Cases = []string{caseID}
	}
	return reach, nil
}

// blankMessages takes the words that people wrote to a case's runs. A run that
// has read them has them in its transcript, sealed where it concerns somebody.
func blankMessages(ctx context.Context, tx pgx.Tx, caseID string) (seal.Reach, error) {
	const blank = `update gavel.run_message m set body = '' from gavel.run r
		where r.case_id = $1 and m.org = r.org and m.run_id = r.id and m.body <> ''`
	tag, err := tx.Exec(ctx, blank, caseID)
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank the messages of %s: %w", caseID, err)
	}
	reach := seal.Reach{Rows: int(tag.RowsAffected())}
	if reach.Rows > 0 {
		reach.Cases = []string{caseID}
	}
	return reach, nil
}

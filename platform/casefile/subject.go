package casefile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// RecordSubject is the kind of record that says whom a case, or an entry of it,
// was later said to be about.
const RecordSubject audit.Kind = "case_subject"

// maxSubjects bounds whom a case or an entry may be said to be about at once.
const maxSubjects = 32

// NameSubjects says whom a case is about, or only one entry of it where seq is
// not 0: what an erasure of them will blank. Opening a case and making a change
// can say it at once; this is for what turns out later, also when the case is
// closed or the person was erased before, who is then erased again.
func (s *Store) NameSubjects(ctx context.Context, actor identity.Actor, id CaseID, seq int64, subjects ...seal.Subject) error {
	if err := s.rules.May(actor, "case.name"); err != nil {
		return err
	}
	if len(subjects) == 0 {
		return fault.New(fault.Invalid, "say whom it is about")
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		c, err := Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if seq < 0 || seq > c.Version {
			return fault.New(fault.NotFound, "case %s has no entry %d", c.Ref, seq)
		}
		var batch pgx.Batch
		if err := nameLater(&batch, c, seq, subjects); err != nil {
			return err
		}
		for _, one := range once(subjects) {
			_, err := audit.AppendLater(&batch, audit.Record{At: s.clock.Now(), Kind: RecordSubject, App: c.App, Actor: actor,
				Subject: string(c.ID), Body: map[string]any{"subject": one.String(), "entry": seq}})
			if err != nil {
				return err
			}
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
}

// nameAll says whom a case is about, also one that was open already: whoever
// opens it again may know somebody more.
func nameAll(ctx context.Context, tx pgx.Tx, c Case, subjects []seal.Subject) error {
	var batch pgx.Batch
	if err := nameLater(&batch, c, 0, subjects); err != nil || batch.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// nameLater adds to a batch whom a case or an entry is about.
func nameLater(b *pgx.Batch, c Case, seq int64, subjects []seal.Subject) error {
	if len(subjects) == 0 {
		return nil
	}
	if len(subjects) > maxSubjects {
		return fault.New(fault.TooLarge, "a case or an entry is about at most %d people at once, not %d", maxSubjects, len(subjects))
	}
	var names []string
	for _, s := range once(subjects) {
		if _, err := seal.ParseSubject(s.String()); err != nil {
			return err
		}
		names = append(names, s.String())
	}
	const insert = `insert into gavel.case_subject (org, case_id, seq, subject) select $1, $2, $3, n from unnest($4::text[]) n
		on conflict do nothing`
	b.Queue(insert, c.Org, c.ID, seq, names)
	return nil
}

// once is subjects in order, each once.
func once(subjects []seal.Subject) []seal.Subject {
	sorted := slices.SortedFunc(slices.Values(subjects), func(a, b seal.Subject) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(sorted)
}

// Subjects lists whom a case is about, and nobody that only an entry names.
func (s *Store) Subjects(ctx context.Context, org identity.Org, id CaseID) (out []seal.Subject, err error) {
	const about = `select subject from gavel.case_subject where case_id = $1 and seq = 0 order by subject`
	var names []string
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, about, id)
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read whom %s is about: %w", id, err)
	}
	for _, name := range names {
		one, err := seal.ParseSubject(name)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

package seal

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Export is something that leaves the system: a bundle or a report that is
// given to somebody.
type Export struct {
	Bundle  blob.Digest   // of the bytes that left
	Case    string        // the case it is about; may be empty
	To      string        // who received it, up to 200 characters: an office rather than a person
	Objects []blob.Digest // the sealed objects in it
}

// Exported is an export as an erasure lists it.
type Exported struct {
	ID     string      `json:"id"`
	Bundle blob.Digest `json:"bundle"`
	Case   string      `json:"case,omitempty"`
	At     time.Time   `json:"at"`
	To     string      `json:"-"` // may be a person's name: in the table, not in the log
}

const (
	maxRecipient = 200
	maxExported  = 200_000 // objects in one bundle
)

// NoteExport remembers what left, in the transaction that lets it go, so that a
// later erasure can say what it did not reach.
func (v *Vault) NoteExport(ctx context.Context, tx pgx.Tx, org identity.Org, x Export) (string, error) {
	n := utf8.RuneCountInString(strings.TrimSpace(x.To))
	switch {
	case x.Bundle.IsZero():
		return "", fault.New(fault.Invalid, "an export is noted with the digest of what left")
	case x.Case != "" && !caseForm.MatchString(x.Case):
		return "", fault.New(fault.Invalid, "%.60q is no id of a case", x.Case)
	case n == 0 || n > maxRecipient || strings.ContainsRune(x.To, 0):
		return "", fault.New(fault.Invalid, "say who received it in 1 to %d characters", maxRecipient)
	case len(x.Objects) > maxExported:
		return "", fault.New(fault.TooLarge, "an export holds at most %d sealed objects, not %d", maxExported, len(x.Objects))
	}
	at := v.now()
	id := newID("exp_", at)
	objects := make([]string, len(x.Objects))
	for i, d := range x.Objects {
		objects[i] = d.String()
	}
	b := &pgx.Batch{}
	b.Queue(`insert into gavel.exported (org, id, bundle, case_id, recipient, at) values ($1, $2, $3, $4, $5, $6)`,
		org, id, x.Bundle, x.Case, x.To, at)
	b.Queue(`insert into gavel.exported_object (org, object, export_id) select distinct $1, o, $2 from unnest($3::text[]) o`,
		org, id, objects)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return "", fmt.Errorf("note export: %w", err)
	}
	return id, nil
}

// Exports lists what left with a subject's data in it, or about a case they are
// in, oldest first: who to tell about an erasure. Cases that only name them in a
// package's own table are known from the erasure on; a preview counts them, too.
func (v *Vault) Exports(ctx context.Context, actor identity.Actor, s Subject) (all []Exported, err error) {
	if err := v.may(actor, "subject.read"); err != nil {
		return nil, err
	}
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = exportsAbout(ctx, tx, actor.Org, s)
		return err
	})
	return all, err
}

func exportsAbout(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) ([]Exported, error) {
	const about = `
		with mine as (select object, case_id from gavel.sealed where org = $1 and subject = $2)
		select id, bundle, case_id, at, recipient from gavel.exported
		where org = $1 and id in (
			select export_id from gavel.exported_object where org = $1 and object in (select object from mine)
			union
			select id from gavel.exported where org = $1 and case_id in (
				select case_id from mine where case_id <> ''
				union
				select case_id from gavel.erasure_case where org = $1 and subject = $2))
		order by id`
	rows, _ := tx.Query(ctx, about, org, s.String())
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Exported])
	for i := range all {
		all[i].At = all[i].At.UTC() // as the record will say it
	}
	return all, err
}

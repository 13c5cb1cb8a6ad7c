package evidence

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// RecordDisclosure is the kind of record that says sealed evidence was shown to
// somebody.
const RecordDisclosure audit.Kind = "disclosure"

// A Disclosure is one look at sealed evidence.
type Disclosure struct {
	What     string // the piece or fact it was opened by: "E3", "F17"
	At       time.Time
	ActorID  string
	Name     string // of the actor; the id once erased
	Reason   string // casefile.ErasedText once erased
	ErasedAt *time.Time
}

// Disclose puts on record that a person is about to be shown sealed bytes of a
// case, and why. It comes before the showing: no record, no look. Whether they
// may is asked of the policy by whoever calls.
func (s *Store) Disclose(ctx context.Context, actor identity.Actor, id casefile.CaseID, what string, d blob.Digest, reason string) error {
	if actor.Kind != identity.Person {
		return fault.New(fault.Refused, "only a person is shown sealed evidence")
	}
	why, err := audit.NewReason(reason)
	if err != nil {
		return err
	}
	const insert = `insert into gavel.disclosure (org, case_id, what, sha256, at, actor_id, actor_name, reason, salt, record_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	at := s.clock.Now().UTC().Truncate(time.Microsecond)
	body := map[string]any{"evidence": what, "sha256": d, "reason_sha256": why.SHA256}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rec, err := audit.Append(ctx, tx, audit.Record{At: at, Kind: RecordDisclosure, Actor: actor, Subject: string(id), Body: body})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, insert, actor.Org, id, what, d, at, actor.ID, actor.Name, why.Text, why.Salt, rec)
		return err
	})
	if err != nil {
		return fmt.Errorf("record a look at %s: %w", what, err)
	}
	return nil
}

// MostDisclosures bounds what Disclosures lists.
const MostDisclosures = 100

// Disclosures lists who was shown sealed evidence of a case, the latest first.
func (s *Store) Disclosures(ctx context.Context, org identity.Org, id casefile.CaseID) (all []Disclosure, err error) {
	const newest = `select what, at, actor_id, coalesce(nullif(actor_name, ''), actor_id),
			case when erased_at is null then reason else '` + casefile.ErasedText + `' end, erased_at
		from gavel.disclosure where case_id = $1 order by n desc limit $2`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, id, MostDisclosures)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Disclosure])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list who looked at evidence of %s: %w", id, err)
	}
	return all, nil
}

// blankDisclosures blanks the reasons for looking at what concerns a subject.
func blankDisclosures(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
	const blank = `update gavel.disclosure set reason = '', salt = null, actor_name = '', erased_at = $2
		where erased_at is null and (sha256 in ` + sealedForThem + ` or case_id in ` + casesOfTheirs + `) returning case_id`
	rows, _ := tx.Query(ctx, blank, s.String(), at)
	cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, err
	}
	return seal.Reach{Rows: len(cases), Cases: cases}, nil
}

// ReceivedAll is Received for many digests at once. What is not there is left
// out.
func (s *Store) ReceivedAll(ctx context.Context, org identity.Org, ds []blob.Digest) (map[blob.Digest]Snapshot, error) {
	all := map[blob.Digest]Snapshot{}
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, snapshotColumns+`where f.sha256 = any ($1) order by f.fetched_at desc, f.id desc`, texts(ds))
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Snapshot])
		for _, snap := range found { // the earliest comes last, and stays
			snap.FetchedAt = snap.FetchedAt.UTC()
			all[snap.SHA256] = snap
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find snapshots: %w", err)
	}
	return all, nil
}

func texts(ds []blob.Digest) []string {
	out := make([]string, len(ds))
	for i, d := range ds {
		out[i] = d.String()
	}
	return out
}

package record

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	table "github.com/gavelhq/gavel/platform/intake"
)

// A plan is a file that was read and is still to be compared with the records.
type plan interface {
	// compare says what the file would change, and how to write that.
	compare(ctx context.Context, tx pgx.Tx, h Handover, today fleet.Date) (Preview, writer, error)

	// only are the keys of what the file is about; none where that may be anything.
	only() []string
}

// A writer writes what was found to be different.
type writer func(ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time) error

// A ledger is one kind of record: how its rows are compared, read and written.
type ledger[T any] struct {
	intake.Table[T]

	// load reads what is on record: all of it, or only these keys where there are
	// any.
	load  func(ctx context.Context, tx pgx.Tx, f intake.File[T], keys []string) ([]T, error)
	write func(ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time, d intake.Difference[T]) error
}

// A filed is a file of one kind.
type filed[T any] struct {
	ledger[T]

	file intake.File[T]
	keys []string // only these are compared; all where there are none
}

// readFile reads a file of any kind.
func readFile(h Handover) (plan, error) {
	switch h.Kind {
	case intake.Sites:
		return read(sites(), h.File)
	case intake.Shifts:
		return read(shifts(), h.File)
	case intake.Employees:
		return read(employees(), h.File)
	case intake.Vanpools:
		return read(vanpools(), h.File)
	case intake.Riders:
		return read(riders(), h.File)
	case intake.Badges:
		return read(badges(), h.File)
	case intake.Permits:
		return read(permits(), h.File)
	}
	_, err := intake.ParseKind(string(h.Kind))
	return nil, err
}

func read[T any](l ledger[T], file []byte) (plan, error) {
	f, err := intake.Read(l.Table, file)
	if err != nil {
		return nil, err
	}
	return filed[T]{ledger: l, file: f}, nil
}

func (f filed[T]) only() []string { return f.keys }

func (f filed[T]) compare(ctx context.Context, tx pgx.Tx, h Handover, today fleet.Date) (Preview, writer, error) {
	known, err := readKnown(ctx, tx)
	if err != nil {
		return Preview{}, nil, fmt.Errorf("read what %s refer to: %w", h.Kind, err)
	}
	was, err := f.load(ctx, tx, f.file, f.keys)
	if err != nil {
		return Preview{}, nil, fmt.Errorf("read %s: %w", h.Kind, err)
	}
	d := intake.Compare(f.Table, was, f.file, intake.Terms{Whole: h.Whole, Today: today, Known: known})
	return table.PreviewOf(f.Table.Table, was, h.File, f.file, h.Whole, d), func(ctx context.Context, tx pgx.Tx, org identity.Org,
		at time.Time) error {
		return f.write(ctx, tx, org, at, d)
	}, nil
}

// readKnown is what rows of a file may refer to.
func readKnown(ctx context.Context, tx pgx.Tx) (intake.Known, error) {
	k := intake.Known{Zone: knownZone}
	rows, _ := tx.Query(ctx, `select id from poolpatrol.site`)
	sites, err := pgx.CollectRows(rows, pgx.RowTo[fleet.SiteID])
	if err != nil {
		return k, err
	}
	rows, _ = tx.Query(ctx, `select id from poolpatrol.vanpool`)
	vans, err := pgx.CollectRows(rows, pgx.RowTo[fleet.VanpoolID])
	if err != nil {
		return k, err
	}
	rows, _ = tx.Query(ctx, `select id from poolpatrol.employee where erased_at is not null`)
	erased, err := pgx.CollectRows(rows, pgx.RowTo[fleet.EmployeeID])
	k.Sites, k.Vanpools, k.Erased = set(sites), set(vans), set(erased)
	return k, err
}

func set[K comparable](all []K) map[K]bool {
	out := make(map[K]bool, len(all))
	for _, k := range all {
		out[k] = true
	}
	return out
}

// knownZone reports whether there is a time zone of a name. "Local" is wherever
// the server happens to stand.
func knownZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "" && name != "Local"
}

// putIn takes one thing as an import of one row does, in the caller's transaction, for who
// has asked the rules.
func putIn[T any](ctx context.Context, tx pgx.Tx, s *Records, actor identity.Actor, l ledger[T], key string, row T) (p Preview, err error) {
	h := Handover{Kind: l.Kind(), File: intake.Write(l.Table, row)}
	file, err := intake.Read(l.Table, h.File)
	if err != nil {
		return p, err
	}
	if file.Count > 0 {
		return p, fault.New(fault.Invalid, "%s", file.Refusals.List[0].Reason)
	}
	p, err = s.take(ctx, tx, actor, h, filed[T]{ledger: l, file: file, keys: []string{key}}, "")
	if p.Refused > 0 {
		return p, fault.New(fault.Invalid, "%s", p.Refusals[0].Reason)
	}
	return p, err
}

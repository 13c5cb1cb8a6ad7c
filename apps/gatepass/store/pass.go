package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Kept is a pass on record, with where its approval is asked for.
type Kept struct {
	pass.Pass
	Case     string
	Proposal string
	Answers  []string // by entry of the history: the decision that made it; empty where none did
	Form     string   // that it was made by, and by it once; empty where a program said none
}

const passColumns = `p.id, p.number, p.code, p.case_id, p.proposal, p.person_name, p.description, p.type, p.site_id, p.employee_ref,
	p.host_ref, p.vehicle_plate, p.returnable, p.person_back, p.status, p.version, p.token, p.valid_from, p.valid_until,
	p.expected_return_at, p.created_at, p.created_by, p.created_by_name, p.approved_at, p.approved_by, p.rejected_at,
	p.rejected_by, p.reject_reason, p.exit_time, p.return_time, p.exit_photo, p.return_photo, p.deleted_at, p.deleted_by,
	p.deleted_reason`

// scanWith reads the columns of a pass, and what follows them.
func scanWith(row pgx.CollectableRow, more ...any) (k Kept, err error) {
	p := &k.Pass
	p.CreatedBy.Role = pass.HR
	err = row.Scan(append([]any{&p.ID, &p.Number, &p.Code, &k.Case, &k.Proposal, &p.PersonName, &p.Description, &p.Type, &p.SiteID,
		&p.EmployeeRef,
		&p.HostRef,
		&p.VehiclePlate, &p.IsReturnable, &p.PersonBack, &p.Status, &p.Version, &p.Token, moment{&p.ValidFrom}, moment{&p.ValidUntil},
		moment{&p.ExpectedReturnAt}, moment{&p.CreatedAt}, &p.CreatedBy.ID, &p.CreatedBy.Name, moment{&p.ApprovedAt}, &p.ApprovedBy,
		moment{&p.RejectedAt}, &p.RejectedBy, &p.Reason, moment{&p.ExitTime}, moment{&p.ReturnTime}, &p.ExitPhoto, &p.BackPhoto,
		moment{&p.DeletedAt}, &p.DeletedBy, &p.DeletedReason}, more...)...)
	return k, err
}

func scanPass(row pgx.CollectableRow) (Kept, error) { return scanWith(row) }

// A Ref is what somebody calls a pass: its id, its number or its short code.
type Ref struct {
	ID     string
	Number number.Number
	Code   number.Code
}

// ParseRef reads an id or a number, as every address takes both. What is neither is NotFound: no pass is called so.
func ParseRef(s string) (Ref, error) {
	if n, err := number.Parse(strings.ToUpper(s)); err == nil {
		return Ref{Number: n}, nil
	}
	if len(s) == 36 && strings.Count(s, "-") == 4 && !strings.ContainsFunc(s,
		func(r rune) bool { return !strings.ContainsRune("0123456789abcdef-", r) }) {
		return Ref{ID: s}, nil
	}
	_, err := number.Parse(s)
	return Ref{}, err
}

func (r Ref) String() string {
	switch {
	case r.Number != "":
		return string(r.Number)
	case r.Code != "":
		return string(r.Code)
	}
	return r.ID
}

// where is a condition on passes p, and its argument.
func (r Ref) where() (string, string) {
	switch {
	case r.Number != "":
		return `p.number = $1`, string(r.Number)
	case r.Code != "":
		return `p.code = $1 and p.deleted_at is null and p.status in ('pending', 'approved', 'exited')`, string(r.Code)
	}
	return `p.id = $1`, r.ID
}

// Load reads a pass with its items and its history; NotFound where there is none.
func Load(ctx context.Context, tx pgx.Tx, r Ref) (Kept, error) { return load(ctx, tx, r, ``) }

// Hold is Load, and keeps others from changing the pass until the transaction ends.
func Hold(ctx context.Context, tx pgx.Tx, r Ref) (Kept, error) {
	return load(ctx, tx, r, ` for no key update`)
}

func load(ctx context.Context, tx pgx.Tx, r Ref, lock string) (Kept, error) {
	which, arg := r.where()
	rows, _ := tx.Query(ctx, `select `+passColumns+` from gatepass.pass p where `+which+lock, arg)
	k, err := pgx.CollectExactlyOneRow(rows, scanPass)
	if errors.Is(err, pgx.ErrNoRows) {
		return Kept{}, fault.New(fault.NotFound, "there is no pass %.40s", r).WithNext("look for it in the list of passes")
	}
	if err != nil {
		return Kept{}, fmt.Errorf("read pass %s: %w", r, err)
	}
	all := []Kept{k}
	err = fill(ctx, tx, all)
	return all[0], err
}

// ByForm is the pass that somebody made by a form; false where they made none by it.
func ByForm(ctx context.Context, tx pgx.Tx, maker, form string) (k Kept, there bool, err error) {
	if form == "" {
		return k, false, nil
	}
	var id string
	err = tx.QueryRow(ctx, `select id from gatepass.pass where created_by = $1 and form = $2`, maker, form).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return k, false, nil
	}
	if err != nil {
		return k, false, fmt.Errorf("look for the pass of a form: %w", err)
	}
	k, err = Load(ctx, tx, Ref{ID: id})
	return k, err == nil, err
}

// Get reads a pass for somebody who may do one of some acts.
func (s *Store) Get(ctx context.Context, org identity.Org, r Ref) (k Kept, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		k, err = Load(ctx, tx, r)
		return err
	})
	return k, err
}

// fill adds items and histories to passes.
func fill(ctx context.Context, tx pgx.Tx, all []Kept) error {
	if len(all) == 0 {
		return nil
	}
	at := make(map[string]*Kept, len(all))
	ids := make([]string, len(all))
	for i := range all {
		ids[i], at[all[i].ID] = all[i].ID, &all[i]
	}
	const items = `select pass_id, id, name, quantity, unit, serial, asset, returnable, condition_out, good, damaged, lost
		from gatepass.item
		where pass_id = any ($1) order by pass_id, n`
	const events = `select pass_id, status, event, at, by_name, by_id, stands_for, via, reason, decision from gatepass.event
		where pass_id = any ($1) order by pass_id, seq`
	var b pgx.Batch
	b.Queue(items, ids).Query(func(rows pgx.Rows) error {
		var of string
		var it item.Item
		_, err := pgx.ForEachRow(rows, []any{&of, &it.ID, &it.Name, &it.Quantity, &it.Unit, &it.Serial, &it.Asset, &it.Returnable,
			&it.ConditionOut, &it.Good,
			&it.Damaged, &it.Lost}, func() error { at[of].Items = append(at[of].Items, it); return nil })
		return err
	})
	b.Queue(events, ids).Query(func(rows pgx.Rows) error {
		var of, decision string
		var e pass.Entry
		_, err := pgx.ForEachRow(rows, []any{&of, &e.Status, &e.Event, moment{&e.At}, &e.By, &e.ByID, &e.For, &e.Via, &e.Reason, &decision},
			func() error {
				at[of].History, at[of].Answers = append(at[of].History, e), append(at[of].Answers, decision)
				return nil
			})
		return err
	})
	return tx.SendBatch(ctx, &b).Close()
}

// NextNumber counts one more pass of a year. Whoever comes after waits until this transaction has ended, and so there are no gaps.
func NextNumber(ctx context.Context, tx pgx.Tx, org identity.Org, year int) (number.Number, error) {
	const next = `insert into gatepass.counter as c (org, year, last) values ($1, $2, 1)
		on conflict (org, year) do update set last = c.last + 1 returning last`
	var last int
	if err := tx.QueryRow(ctx, next, org, year).Scan(&last); err != nil {
		return "", fmt.Errorf("count a pass of %d: %w", year, err)
	}
	return number.Of(year, last)
}

// CodeTaken reports whether a pass that is alive has a code.
func CodeTaken(ctx context.Context, tx pgx.Tx, c number.Code) (taken bool, err error) {
	const there = `select exists (select from gatepass.pass where code = $1 and deleted_at is null and status in ('pending', 'approved',
		'exited'))`
	return taken, tx.QueryRow(ctx, there, c).Scan(&taken)
}

// lastAt is when the last that is known of a pass happened.
func (k Kept) lastAt() time.Time {
	if n := len(k.History); n > 0 {
		return k.History[n-1].At
	}
	return k.CreatedAt
}

// Since is when the last that is known of a pass happened.
func (k Kept) Since() time.Time { return k.lastAt() }

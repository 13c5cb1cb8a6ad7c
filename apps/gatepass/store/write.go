package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// RecordPass is the kind of a record about a pass.
const RecordPass audit.Kind = "gatepass"

// A Step is one event of a pass as it is written: what the rule made of the pass, and by whose doing.
type Step struct {
	Change   pass.Change
	By       identity.Actor
	Decision string // that it followed from; may be empty
	Photo    string // the SHA-256 of the photo that was taken; may be empty
}

// said is what the log says of an event: names of things, and no name of anybody.
type said struct {
	Decision string      `json:"decision,omitempty"`
	Event    pass.Event  `json:"event"`
	Number   string      `json:"number"`
	Photo    string      `json:"photo_sha256,omitempty"`
	Status   pass.Status `json:"status"`
	Version  int         `json:"version"`
}

// Insert writes a new pass down, with its first event and whom it is told to.
func Insert(ctx context.Context, tx pgx.Tx, org identity.Org, k Kept, st Step) error {
	p := k.Pass
	const insert = `insert into gatepass.pass (org, id, number, code, case_id, proposal, person_name, description, type, site_id,
		employee_ref, host_ref,
			vehicle_plate, returnable, status, version, valid_from, valid_until, expected_return_at, created_at, created_by,
			created_by_name, form)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`
	var b pgx.Batch
	b.Queue(insert, string(org), p.ID, string(p.Number), string(p.Code), k.Case, k.Proposal, p.PersonName, p.Description, string(p.Type),
		p.SiteID,
		p.EmployeeRef, p.HostRef, p.VehiclePlate, p.IsReturnable, string(p.Status), p.Version, p.ValidFrom, p.ValidUntil,
		orNull(p.ExpectedReturnAt),
		p.CreatedAt, p.CreatedBy.ID, p.CreatedBy.Name, k.Form)
	const one = `insert into gatepass.item (org, pass_id, n, id, name, quantity, unit, serial, asset, returnable, condition_out)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	for i, it := range p.Items {
		b.Queue(one, string(org), p.ID, i+1, string(it.ID), it.Name, int64(it.Quantity), it.Unit, it.Serial, it.Asset, it.Returnable,
			it.ConditionOut)
	}
	return send(ctx, tx, &b, org, st)
}

// Save writes down what an event made of a pass that is held. It fails where somebody has changed it all the same.
func Save(ctx context.Context, tx pgx.Tx, org identity.Org, st Step) error {
	p := st.Change.Pass
	const update = `update gatepass.pass set returnable = $3, person_back = $4, status = $5, version = $6, token = $7, valid_from = $8,
		valid_until = $9,
			expected_return_at = $10, approved_at = $11, approved_by = $12, rejected_at = $13, rejected_by = $14, reject_reason = $15,
				exit_time = $16,
			return_time = $17, exit_photo = $18, return_photo = $19, deleted_at = $20, deleted_by = $21, deleted_reason = $22
		where id = $1 and version = $2 and deleted_at is null`
	var b pgx.Batch
	b.Queue(update, p.ID, p.Version-1, p.IsReturnable, p.PersonBack, string(p.Status), p.Version, p.Token, p.ValidFrom, p.ValidUntil,
		orNull(p.ExpectedReturnAt), orNull(p.ApprovedAt), p.ApprovedBy, orNull(p.RejectedAt), p.RejectedBy, p.Reason, orNull(p.ExitTime),
		orNull(p.ReturnTime), p.ExitPhoto, p.BackPhoto, orNull(p.DeletedAt), p.DeletedBy, p.DeletedReason).Exec(changedOne)
	if st.last().Event == pass.ScanReturn {
		const settle = `update gatepass.item set good = $3, damaged = $4, lost = $5 where pass_id = $1 and id = $2`
		for _, it := range p.Items {
			b.Queue(settle, p.ID, string(it.ID), int64(it.Good), int64(it.Damaged), int64(it.Lost)).Exec(changedOne)
		}
	}
	return send(ctx, tx, &b, org, st)
}

func (st Step) last() pass.Entry { return st.Change.Pass.History[len(st.Change.Pass.History)-1] }

// send adds to a batch what every event leaves: its line in the history, its record, and the notices.
func send(ctx context.Context, tx pgx.Tx, b *pgx.Batch, org identity.Org, st Step) error {
	p, e := st.Change.Pass, st.last()
	record, err := audit.AppendLater(b, audit.Record{At: e.At, Kind: RecordPass, App: Name, Actor: st.By, Subject: p.ID,
		Body: said{Decision: st.Decision, Event: e.Event, Number: string(p.Number), Photo: st.Photo, Status: e.Status, Version: p.Version}})
	if err != nil {
		return err
	}
	const event = `insert into gatepass.event (org, pass_id, seq, status, event, at, by_id, by_name, stands_for, via, reason, decision,
		record_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	b.Queue(event, string(org), p.ID, p.Version, string(e.Status), string(e.Event), e.At, e.ByID, e.By, e.For, string(e.Via), e.Reason,
		st.Decision,
		string(record))
	for _, n := range st.Change.Notices {
		tellLater(b, org, p.ID, n, e)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("write %s of %s: %w", e.Event, p.Number, err)
	}
	return nil
}

// tellLater adds a notice to a batch. The same again is told once.
func tellLater(b *pgx.Batch, org identity.Org, passID string, n notice.Notice, e pass.Entry) {
	const insert = `insert into gatepass.notice (org, id, key, type, severity, pass_id, number, to_hr, to_admin, to_gate, made_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (org, key) do nothing`
	has := func(all ...notice.Reader) bool { return slices.ContainsFunc(all, n.For) }
	b.Queue(insert, string(org), NewID(e.At), n.Once(), string(n.Type), string(n.Severity), passID, string(n.Pass), has(notice.HR,
		notice.Creator, notice.Host),
		has(notice.Admin, notice.Delegate, notice.Head), has(notice.Gate), e.At)
}

// changedOne refuses an update that met another number of rows than one: somebody was there first.
func changedOne(tag pgconn.CommandTag) error {
	if tag.RowsAffected() != 1 {
		return fault.New(fault.Stale, "the pass was changed at this very moment; nothing was done").WithNext("read it again")
	}
	return nil
}

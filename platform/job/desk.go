package job

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Desk is where people look at jobs and call them off, of whichever kind: an id says
// which. It asks policy by the acts of the kind.
type Desk struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	kinds []Kind
}

// NewDesk makes a desk for the kinds there are.
func NewDesk(db *postgres.DB, clock durable.Clock, rules *policy.Rules, kinds ...Kind) *Desk {
	return &Desk{db, clock, rules, kinds}
}

// Acts are what policy is asked about: of who begins one or calls one off, and of who looks
// at one. A face lets in who may do any of them, and the desk asks again.
func (d *Desk) Acts() (begin, read []string) {
	for _, k := range d.kinds {
		begin, read = append(begin, k.Act), append(read, k.Read)
	}
	return begin, read
}

// Get reads a job.
func (d *Desk) Get(ctx context.Context, actor identity.Actor, id string) (k Kind, j Job, err error) {
	if k, err = d.kindOf(id); err != nil {
		return k, j, err
	}
	if err := d.rules.May(actor, k.Read); err != nil {
		return k, j, err
	}
	err = d.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		j, err = Get(ctx, tx, k, id)
		return err
	})
	return k, j, err
}

// Cancel has a job called off.
func (d *Desk) Cancel(ctx context.Context, actor identity.Actor, id string) (k Kind, j Job, err error) {
	if k, err = d.kindOf(id); err != nil {
		return k, j, err
	}
	if err := d.rules.May(actor, k.Act); err != nil {
		return k, j, err
	}
	err = d.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		j, err = Cancel(ctx, tx, k, actor, id, d.clock.Now())
		return err
	})
	return k, j, err
}

// kindOf is the kind that an id is of.
func (d *Desk) kindOf(id string) (Kind, error) {
	for _, k := range d.kinds {
		if k.IsID(id) {
			return k, nil
		}
	}
	return Kind{}, fault.New(fault.NotFound, "no job is called %.40q", id).WithNext("use an id such as PASS-1F00A3BC").
		Because("nothing_called", "id", id)
}

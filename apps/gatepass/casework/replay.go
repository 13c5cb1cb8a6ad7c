package casework

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
)

// Replay takes in what gates let through while they were alone: each event once, and what does not fit as a question for an
// administrator. It is one transaction, one batch of an organisation after another. What counts is rule/replay's to say.
func (d *Desk) Replay(ctx context.Context, who identity.Actor, batch []string) (rep replay.Report, err error) {
	if err := d.store.May(who, store.ActScan); err != nil {
		return rep, err
	}
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		in, err := d.inflow(ctx, tx, who.Org, batch)
		if err != nil {
			return err
		}
		before := in.rules.States(in.h)
		if rep, err = in.rules.Merge(in.h, batch, in.now); err != nil {
			return err
		}
		in.h.Known = slices.Concat(in.h.Known, rep.Added)
		if err := in.keep(ctx, rep.Added, batch, who.ID); err != nil {
			return err
		}
		return in.follow(ctx, before, rep)
	})
	if err != nil {
		return rep, err
	}
	return rep, d.TakeBack(ctx, who.Org)
}

// An inflow is events on their way into the record.
type inflow struct {
	*Desk
	tx     pgx.Tx
	org    identity.Org
	now    time.Time
	rules  replay.Rules
	h      replay.History
	passes map[number.Number]store.Kept // held until the transaction ends
}

// inflow reads and holds everything that a batch is held against: the gates that it names, the passes that it may change, and what is known
// of both.
func (d *Desk) inflow(ctx context.Context, tx pgx.Tx, org identity.Org, batch []string) (*inflow, error) {
	if err := store.LockReplays(ctx, tx, org); err != nil {
		return nil, err
	}
	in := &inflow{Desk: d, tx: tx, org: org, now: d.store.Now(), rules: replay.Standard(), passes: map[number.Number]store.Kept{}}
	setup, err := store.SetupIn(ctx, tx, org)
	if err != nil {
		return nil, err
	}
	in.rules.Grace = rules(setup).Grace
	first, numbers, digests := map[string]int64{}, []number.Number{}, make([]replay.Digest, len(batch))
	for i, text := range batch {
		digests[i] = replay.DigestOf(text)
		e, err := replay.Read(text)
		if err != nil {
			continue // it becomes a question
		}
		numbers = append(numbers, e.Pass)
		if seq, met := first[e.Device]; !met || e.Seq < seq {
			first[e.Device] = e.Seq
		}
	}
	gates := make([]string, 0, len(first))
	for gate, seq := range first {
		more, err := store.Touched(ctx, tx, gate, seq)
		if err != nil {
			return nil, err
		}
		gates, numbers = append(gates, gate), append(numbers, more...)
	}
	if err := in.hold(ctx, numbers); err != nil {
		return nil, err
	}
	return in, in.know(ctx, gates, numbers, digests)
}

// hold reads passes in the order of their numbers, and keeps them until the end. Of those that are not there nothing is known.
func (in *inflow) hold(ctx context.Context, numbers []number.Number) error {
	slices.Sort(numbers)
	in.h.Passes = map[number.Number]replay.Facts{}
	for _, n := range slices.Compact(numbers) {
		k, err := store.Hold(ctx, in.tx, store.Ref{Number: n})
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		in.passes[n], in.h.Passes[n] = k, store.FactsOf(k.Pass)
	}
	return nil
}

// know reads what is known, and the gates that it is known of.
func (in *inflow) know(ctx context.Context, gates []string, numbers []number.Number, digests []replay.Digest) (err error) {
	if in.h.Known, err = store.Known(ctx, in.tx, gates, numbers, digests); err != nil {
		return err
	}
	in.h.Devices = map[string]replay.Device{}
	for _, id := range gates {
		g, known, err := store.GateIn(ctx, in.tx, id)
		if err != nil || !known {
			if err != nil {
				return err
			}
			continue
		}
		device, err := signin.DeviceIn(ctx, in.tx, g.Device)
		if err != nil {
			return err
		}
		one := replay.Device{Key: g.Public, Site: g.Site}
		if device.RevokedAt != nil {
			one.Revoked = *device.RevokedAt
		}
		in.h.Devices[id] = one
	}
	return nil
}

// keep writes new events down, with their bytes.
func (in *inflow) keep(ctx context.Context, added []replay.Known, batch []string, sentBy string) error {
	texts := make(map[replay.Digest]string, len(batch))
	for _, text := range batch {
		texts[replay.DigestOf(text)] = text
	}
	for _, k := range added {
		if err := store.AddArrival(ctx, in.tx, in.org, k, texts[k.Digest], sentBy); err != nil {
			return err
		}
	}
	return nil
}

// follow does what follows from events: passes are brought to where their events leave them, questions are asked, and those that need no
// answer any more are noted.
func (in *inflow) follow(ctx context.Context, before map[number.Number]replay.State, rep replay.Report) error {
	for _, n := range sorted(in.passes) {
		if err := in.bring(ctx, in.passes[n], before[n], rep.States[n]); err != nil {
			return err
		}
	}
	if len(rep.Settled) > 0 {
		if err := store.Settle(ctx, in.tx, rep.Settled, in.now); err != nil {
			return err
		}
	}
	for _, c := range rep.Raised {
		if err := in.ask(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func sorted(passes map[number.Number]store.Kept) []number.Number {
	all := make([]number.Number, 0, len(passes))
	for n := range passes {
		all = append(all, n)
	}
	slices.SortFunc(all, number.Compare)
	return all
}

// bring writes into a pass where its events leave it, a line of its history for each that counts now and did not.
func (in *inflow) bring(ctx context.Context, k store.Kept, was, is replay.State) error {
	if reflect.DeepEqual(was, is) || k.Deleted() {
		return nil
	}
	var late []pass.Belated
	if is.Out != was.Out {
		l := in.late(is.Out, is)
		if is.Back != was.Back {
			l.Status, l.PersonBack, l.Items = pass.Exited, false, in.h.Passes[k.Number].Items
		}
		late = append(late, l)
	}
	if is.Back != was.Back && is.Back != "" {
		late = append(late, in.late(is.Back, is))
	}
	for _, l := range late {
		by, err := in.guard(ctx, l.By.ID)
		if err != nil {
			return err
		}
		l.By = As(by, pass.Gate)
		changed := pass.Hear(k.Pass, l)
		k.Pass, k.Answers = changed.Pass, append(slices.Clone(k.Answers), "")
		if err := store.Save(ctx, in.tx, in.org, store.Step{Change: changed, By: by}); err != nil {
			return err
		}
	}
	if len(late) == 0 {
		return nil
	}
	return in.rouse(ctx, in.tx, in.org, k)
}

// late is an event that counts, as a pass is told of it.
func (in *inflow) late(d replay.Digest, is replay.State) pass.Belated {
	e, _ := in.event(d)
	l := pass.Belated{Event: e.Kind, By: pass.Actor{ID: e.Guard}, At: is.OutAt, Reason: e.Reason,
		Status: is.Status, PersonBack: is.PersonBack,
		Items: is.Items, Known: in.now}
	if e.Kind == pass.ScanReturn {
		l.At = is.BackAt
	}
	return l
}

func (in *inflow) event(d replay.Digest) (replay.Known, bool) {
	i := slices.IndexFunc(in.h.Known, func(k replay.Known) bool { return k.Digest == d })
	if i < 0 {
		return replay.Known{}, false
	}
	return in.h.Known[i], true
}

// guard is whom an event names, as the record names them.
func (in *inflow) guard(ctx context.Context, id string) (identity.Actor, error) {
	all, err := signin.To(ctx, in.tx, "person:"+id)
	if err != nil {
		return identity.Actor{}, err
	}
	by := identity.Actor{Kind: identity.Person, ID: cmp.Or(id, "gate"), Name: id, Org: in.org, Roles: []identity.Role{identity.Gate}}
	if len(all) == 1 {
		by.Name = all[0].Name
	}
	return by, nil
}

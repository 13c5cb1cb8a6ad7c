package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/identity"
)

// nowhere is the district under which a signal stands that is not to count. Nobody asks for it, and no district has the code.
const nowhere = 0

// HoldSums keeps whoever else changes an organisation's sums waiting until the transaction ends.
func HoldSums(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(7426126, hashtext($1))`, org)
	return err
}

// Place puts a signal where a correction says it belongs, and counts the days anew that it leaves and comes to. geo is what it is
// multiplied by there. The caller holds the sums.
func Place(ctx context.Context, tx pgx.Tx, c Correction, geo float64) error {
	const move = `update netra.signal set lgd = $4, geo = case when $4 = 0 then geo else $5 end
		where event_id = $1 and ts = $2 and lgd = $3`
	to := nowhere
	if c.Kind == WrongDistrict {
		to = c.ToLGD
	}
	if _, err := tx.Exec(ctx, move, c.EventID, c.At, c.LGD, to, geo); err != nil {
		return err
	}
	if err := recount(ctx, tx, c.LGD, c.At); err != nil || to == nowhere {
		return err
	}
	return recount(ctx, tx, to, c.At)
}

// recount makes the sums of a district's day anew from its signals.
func recount(ctx context.Context, tx pgx.Tx, lgd int, at time.Time) error {
	from := at.UTC().Truncate(day)
	var hours []place
	for h := range hoursOfDay {
		hours = append(hours, place{from: from.Add(time.Duration(h) * time.Hour).Unix(), lgd: int32(lgd)})
	}
	all, err := signalsOf(ctx, tx, hours)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `delete from netra.hour where lgd = $1 and hour >= $2 and hour < $2 + interval '1 day'`, lgd, from); err != nil {
		return err
	}
	byHour := map[place][]signal.Signal{}
	for i := range all {
		h := hourOf(&all[i])
		byHour[h] = append(byHour[h], all[i])
	}
	var crowded []signal.Signal
	for _, some := range byHour {
		if len(some) > sparse {
			crowded = append(crowded, some...)
		}
	}
	slices.SortFunc(crowded, byTime)
	if len(crowded) > 0 {
		if err := addHours(ctx, tx, placed(crowded, time.Hour)); err != nil {
			return err
		}
	}
	return writeDay(ctx, tx, lgd, from, all)
}

// writeDay writes the sums of a day, of all layers, in place of those that are there.
func writeDay(ctx context.Context, tx pgx.Tx, lgd int, from time.Time, all []signal.Signal) error {
	rows := placed(all, day)
	var out column
	for layer := range int16(rowsOfLayers) {
		p := place{from: from.Unix(), lgd: int32(lgd), layer: layer}
		strip, whole := bucket.NewStrip(p.start(), bucket.Hour, hoursOfDay), bucket.Bucket{Start: p.start()}
		for _, r := range rows[p] {
			whole.Sum(r)
		}
		count(strip, p, rows[p])
		hours, tops := pack(strip, p)
		out.add(p, bucket.AppendCells(nil, whole.Cells), hours, tops)
	}
	return out.putDays(ctx, tx)
}

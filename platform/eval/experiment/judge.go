package experiment

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/eval/rule/measure"
	"github.com/gavelhq/gavel/platform/identity"
)

// Agreement is how far a judge marks as people do, over the items of an experiment that both
// have marked from 1 to 5. Where several people marked one, the newest mark counts.
func (s *Store) Agreement(ctx context.Context, actor identity.Actor, id, metric, judge string) (a measure.Agreement, err error) {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return a, err
	}
	const both = `with newest as (
			select distinct on (seq, rep, source) seq, rep, source, value from gavel.score
			where experiment = $1 and metric = $2 and kind = 'numeric' and (source = 'person' or source = 'judge' and who = $3)
			order by seq, rep, source, at desc, n desc)
		select round(j.value)::int, round(p.value)::int from newest j join newest p using (seq, rep)
		where j.source = 'judge' and p.source = 'person' order by seq, rep`
	var judged, people []int
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := find(ctx, tx, id); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, both, id, metric, judge)
		var x, y int
		_, err := pgx.ForEachRow(rows, []any{&x, &y}, func() error {
			judged, people = append(judged, x), append(people, y)
			return nil
		})
		return err
	})
	if err != nil {
		return a, fmt.Errorf("compare judge %.60q with people: %w", judge, err)
	}
	return measure.Agree(judged, people), nil
}

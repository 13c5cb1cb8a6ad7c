package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/postgres"
)

// speed is the demonstration's: so many days pass in one.
const speed = 600

// shortest is what a demonstration gives an undo, on a watch.
const shortest = 10 * time.Second

// waiting lists what is open, by its case and its id.
func waiting(ctx context.Context, db *postgres.DB) (all []string, err error) {
	err = db.InOrg(ctx, org(), func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select case_id || '/' || id from gavel.proposal where state = 'open' and app = $1 order by n`, name)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return all, err
}

// An end is what came of what was approved.
type end struct {
	Proposal, Key string
	State         act.State
	Window        time.Duration // by the installation's clock
	Undoings      int
}

func ends(ctx context.Context, db *postgres.DB) (all []end, err error) {
	const list = `select p.id, a.key, a.state, a.not_before - a.planned_at,
			(select count(*) from gavel.decision d where d.org = p.org and d.proposal = p.id and d.verdict = 'undo')
		from gavel.proposal p join gavel.act a on a.org = p.org and a.key = p.key where p.app = $1`
	err = db.InOrg(ctx, org(), func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, name)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[end])
		return err
	})
	return all, err
}

// settled waits until every act has ended: what nobody undid is carried out once its window
// is over.
func settled(ctx context.Context, db *postgres.DB, tries int) (map[string]end, error) {
	for {
		all, err := ends(ctx, db)
		if err != nil {
			return nil, err
		}
		by := map[string]end{}
		for _, e := range all {
			if e.State.Ended() {
				by[e.Proposal] = e
			}
		}
		if len(by) >= tries {
			return by, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d acts of %d have ended: %w", len(by), tries, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// judge holds what pages said against what happened, and says so in a line.
func judge(ctx context.Context, db *postgres.DB, asked []string, pressed []press) (figure string, err error) {
	if len(pressed) != len(asked) {
		return "", fmt.Errorf("%d of %d were tried", len(pressed), len(asked))
	}
	happened, err := settled(ctx, db, len(asked))
	if err != nil {
		return "", err
	}
	var wrong []error
	undone, let, places := 0, 0, map[string]int{}
	for _, p := range pressed {
		e := happened[p.Proposal]
		rung, err := wasRung(e.Key)
		if err != nil {
			return "", err
		}
		if p.Offered {
			undone++
			places[p.Place]++
		} else {
			let++
		}
		if err := p.against(e, rung); err != nil {
			wrong = append(wrong, err)
		}
	}
	if undone == 0 || let == 0 {
		wrong = append(wrong, fmt.Errorf("%d were undone and %d let pass: nothing was tried", undone, let))
	}
	fmt.Printf("undone from the inbox %d, from the proposal %d, from the case %d\n", places["inbox"], places["proposal"], places["case"])
	figure = fmt.Sprintf("undo at %d×: %d tries, of which undone %d, no longer offered and carried out %d, otherwise than the page said %d",
		speed, len(pressed), undone, let, len(wrong))
	return figure, errors.Join(wrong...)
}

// against says where what happened is not what the page said.
func (p press) against(e end, rung bool) error {
	var wrong []string
	refuse := func(bad bool, words string) {
		if bad {
			wrong = append(wrong, words)
		}
	}
	refuse(e.Window/speed < shortest, fmt.Sprintf("its window is %.1f s on a watch", (e.Window/speed).Seconds()))
	if p.Offered {
		refuse(!p.Undone, "the next page does not say that it was undone: "+p.Said)
		refuse(e.State != act.Undone || e.Undoings != 1, fmt.Sprintf("the act is %s, and %d undoings are on record", e.State, e.Undoings))
		refuse(rung, "the bell rang")
	} else {
		refuse(e.State != act.Done || e.Undoings != 0, fmt.Sprintf("the act is %s, and %d undoings are on record", e.State, e.Undoings))
		refuse(!rung, "the bell did not ring")
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s, %.1f s after its approval, offered on the page of the %s: %t: %s",
		p.Proposal, p.After, p.Place, p.Offered, strings.Join(wrong, "; "))
}

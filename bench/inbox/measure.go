package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// warm is how often each contestant runs before it is measured: as often as the
// driver's and the server's plans need to settle.
const warm = 20

// race measures the page and the bare statements in turn.
func (g *ground) race(ctx context.Context, n int) (page, bare lap, err error) {
	ask, err := g.reviews.InboxStatements(ctx, reader, today())
	if err != nil {
		return page, bare, err
	}
	conn, err := pgx.Connect(ctx, g.app)
	if err != nil {
		return page, bare, err
	}
	defer conn.Close(ctx)
	page.name, bare.name = "the page, over HTTP", "the same statements, bare"
	for i := range warm + n {
		began := time.Now()
		if page.bytes, err = g.get(ctx); err != nil {
			return page, bare, err
		}
		ours := time.Since(began)
		began = time.Now()
		if err = send(ctx, conn, ask); err != nil {
			return page, bare, err
		}
		theirs := time.Since(began)
		if i >= warm {
			page.took, bare.took = append(page.took, ours), append(bare.took, theirs)
		}
	}
	return page, bare, nil
}

// get reads the first page as a browser does.
func (g *ground) get(ctx context.Context) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+"/inbox", nil)
	if err != nil {
		return 0, err
	}
	req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: g.token})
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the page answers %s: %.200s", res.Status, body)
	}
	return len(body), err
}

// send asks the database what the page asks it, and reads the answers away.
func send(ctx context.Context, conn *pgx.Conn, ask []review.Statement) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: "begin; set local gavel.org = '" + string(org) + "'"},
		func(tx pgx.Tx) error {
			if err := drain(tx.Query(ctx, ask[0].SQL, ask[0].Args...)); err != nil {
				return err
			}
			var b pgx.Batch
			for _, one := range ask[1:] {
				b.Queue(one.SQL, one.Args...).Query(func(rows pgx.Rows) error { return drain(rows, nil) })
			}
			return tx.SendBatch(ctx, &b).Close()
		})
}

// explain prints how the database answers each statement.
func (g *ground) explain(ctx context.Context) error {
	ask, err := g.reviews.InboxStatements(ctx, reader, today())
	if err != nil {
		return err
	}
	return g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		for _, one := range ask {
			rows, _ := tx.Query(ctx, "explain (analyze, buffers) "+one.SQL, one.Args...)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			fmt.Println(strings.Join(lines, "\n"))
		}
		return nil
	})
}

func drain(rows pgx.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// today is the query of the first page, with the day of the organisation's zone.
func today() review.InboxQuery {
	zone, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		zone = time.UTC
	}
	now := time.Now().In(zone)
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	return review.InboxQuery{Since: day, EndOfDay: day.AddDate(0, 0, 1)}
}

// checkCounts compares the counts with those of a plain query that reads every
// open proposal.
func (g *ground) checkCounts(ctx context.Context) (review.Counts, error) {
	q := today()
	got, err := g.reviews.InboxCounts(ctx, reader, q)
	if err != nil {
		return got, err
	}
	address, err := postgres.WithDatabase(g.admin, g.name)
	if err != nil {
		return got, err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return got, err
	}
	defer conn.Close(ctx)
	var want review.Counts
	err = conn.QueryRow(ctx, plain, pgx.NamedArgs{"me": reader.ID, "since": q.Since, "day": q.EndOfDay}).
		Scan(&want.Overdue, &want.Today, &want.Later, &want.Waiting, &want.Snoozed, &want.Done, &want.Undoable)
	want.NeedsMe = want.Overdue + want.Today + want.Later
	if err == nil && got != want {
		err = fmt.Errorf("counted %+v, and a plain count has %+v", got, want)
	}
	return got, err
}

// plain says in so many words what an inbox is.
const plain = `
	with open as (
		select p.*, exists (select from gavel.proposal_snooze z where z.org = 'north' and z.proposal = p.id and z.actor_id = @me
		and z.until > now()) as off,
			p.requested_by = @me or p.on_behalf_of = @me or @me = any (p.makers) or exists (select from gavel.decision d
				where d.org = 'north' and d.proposal = p.id and d.verdict = 'approve' and @me in (d.actor_id, d.on_behalf)) as barred
		from gavel.proposal p where p.org = 'north' and p.state = 'open' and p.expires_at > now()
	), needs as (
		select * from open p where not off and (gate = 'confirm' and on_behalf_of = @me or gate = 'approve' and not barred and (
			assigned_to = @me or assigned_to = '' and 'officer' = any (deciders)
			or exists (select from gavel.delegation g where g.org = 'north' and g.to_id = @me and g.ended_at is null
			and g.starts_at <= now() and g.ends_at > now()
				and g.app in ('', p.app) and g.kind in ('', p.kind) and g.roles && p.deciders and p.assigned_to in ('', g.from_id)
				and g.from_id <> all (p.makers || p.requested_by || p.on_behalf_of) and not exists (select from gavel.decision d
					where d.org = 'north' and d.proposal = p.id and d.verdict = 'approve' and g.from_id in (d.actor_id, d.on_behalf)))))
	)
	select count(*) filter (where due <= now()), count(*) filter (where due > now() and due < @day),
	count(*) filter (where due > now() and due >= @day),
		(select count(*) from open where gate = 'approve' and on_behalf_of = @me or requested_by = @me
			or required > 1 and exists (select from gavel.decision d where d.org = 'north' and d.proposal = open.id and d.actor_id = @me
			and d.verdict = 'approve')),
		(select count(*) from open where off),
		(select count(*) from gavel.decision d where d.org = 'north' and d.actor_id = @me and d.at >= @since),
		(select count(*) from gavel.decision d join gavel.proposal p on p.org = 'north' and p.id = d.proposal
		join gavel.act a on a.org = 'north' and a.key = p.key
			where d.org = 'north' and d.actor_id = @me and d.at >= @since and p.state <> 'open' and a.state in ('planned', 'held')
			and a.not_before > now())
	from needs`

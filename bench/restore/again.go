package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/platform/review"
)

// goOn is what follows the restore: the log, the recovery, and the work.
func (g *ground) goOn(ctx context.Context) error {
	if err := g.open(ctx); err != nil {
		return err
	}
	if err := g.resumeLog(ctx); err != nil {
		return err
	}
	if !g.recover {
		if err := g.man(ctx); err != nil {
			return err
		}
		return g.finish(ctx)
	}
	engine := recovery.Same
	if g.ahead {
		engine = recovery.Ahead
	}
	var err error
	g.begun, _, err = recovery.Begin(ctx, g.recovery(), engine, said("a rehearsal"))
	if err != nil {
		return err
	}
	if err := g.man(ctx); err != nil {
		return err
	}
	if err := g.whileHeld(ctx); err != nil {
		return err
	}
	if g.ended, err = recovery.End(ctx, g.recovery(), 0, said("nothing moves any more")); err != nil {
		return err
	}
	return g.finish(ctx)
}

func said(why string) recovery.Word {
	return recovery.Word{By: "bench", Reason: why, At: time.Now()}
}

// resumeLog has the log go on, as the runbook says, and keeps what fsck says.
func (g *ground) resumeLog(ctx context.Context) error {
	text, clean, err := g.log.fsck(ctx, g.sys)
	if err != nil {
		return err
	}
	g.fsck = append(g.fsck, text)
	if clean {
		return nil
	}
	if _, err := audit.Resume(ctx, g.sys, g.log.shelf, "a rehearsal of a restore", time.Now()); err != nil {
		return err
	}
	text, clean, err = g.log.fsck(ctx, g.sys)
	if err == nil && !clean {
		err = fmt.Errorf("after it was resumed the log is not clean: %s", text)
	}
	g.fsck = append(g.fsck, text)
	return err
}

// still is how long nothing may move until nothing is taken to move: longer than the
// engine waits before it tries a step again.
const still = 15 * time.Second

// whileHeld has an officer decide while the recovery is on, until nothing moves and the
// engine has been told of everything, as the runbook asks; and sees to it that nothing
// leaves. What a killed worker was telling the engine is told again when its claim runs
// out, which can take longer than the stillness.
func (g *ground) whileHeld(ctx context.Context) error {
	const moves = `select (select count(*) from gavel.step) + (select count(*) from gavel.act) + (select count(*) from gavel.proposal)
		+ (select count(*) from gavel.decision) + 1000000 * (select count(*) from gavel.outbox)`
	const untold = `select count(*)::int from gavel.outbox where not dead`
	last, waiting, since := -1, 0, time.Now()
	for time.Since(since) < still || waiting > 0 {
		if err := g.decide(ctx, files); err != nil {
			return err
		}
		now, err := g.count(ctx, moves)
		if err != nil {
			return err
		}
		if now != last {
			last, since = now, time.Now()
		}
		if waiting, err = g.count(ctx, untold); err != nil {
			return err
		}
		if err := sleep(ctx, tick); err != nil {
			return err
		}
	}
	left, err := g.outside(ctx)
	if err == nil && sum(left) != sum(g.lost) {
		err = fmt.Errorf("%d effects left while the recovery was on", sum(left)-sum(g.lost))
	}
	return err
}

// finish has an officer decide until all mails have ended, lets the cases take their
// last step, and waits for their end. Questions whether something happened are left
// open: they are what is counted.
func (g *ground) finish(ctx context.Context) error {
	const open = `select count(*)::int from gavel.proposal where state = 'open' and kind = 'call' and tool = $1`
	const busy = `select (select count(*) from gavel.mail where ended_at is null)::int + (select count(*) from gavel.act
		where ended_at is null)::int`
	end := time.Now().Add(g.patience)
	for time.Now().Before(end) {
		if err := g.decide(ctx, files); err != nil {
			return err
		}
		waiting, err := g.count(ctx, open, ends)
		if err != nil {
			return err
		}
		left, err := g.count(ctx, busy)
		if err != nil {
			return err
		}
		todo, err := g.count(ctx, `select count(*)::int from gavel.case where state <> 'closed'`)
		switch {
		case err != nil || todo == 0:
			return err
		case waiting == todo && left == 0:
			if err := g.decide(ctx, ends); err != nil {
				return err
			}
		}
		if err := sleep(ctx, tick); err != nil {
			return err
		}
	}
	return nil // what is open is counted
}

// decide approves what waits of one tool.
func (g *ground) decide(ctx context.Context, tool string) error {
	rows, err := g.sys.Query(ctx, `select id, shown_sha256 from gavel.proposal where state = 'open' and kind = 'call' and tool = $1
		order by n`, tool)
	if err != nil {
		return err
	}
	type one struct{ ID, Shown string }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[one])
	for _, p := range all {
		if err != nil {
			return err
		}
		d := review.Decision{ID: fmt.Sprintf("decision-%d-%s", g.round, p.ID), Proposal: p.ID, ShownSHA256: p.Shown,
			Verdict: review.Approve}
		if _, err = g.yard.Reviews.Decide(ctx, officer, d); fault.Is(err, fault.Conflict) || fault.Is(err, fault.Stale) {
			err = nil // it was withdrawn at this moment
		}
	}
	return err
}

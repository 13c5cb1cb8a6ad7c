package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/due"
	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Notice is one in a feed, as one person sees it.
type Notice struct {
	ID       string
	Type     notice.Type
	Severity notice.Severity
	PassID   string
	Number   string
	MadeAt   time.Time
	Read     bool
}

// feeds are the columns of those who have a feed.
var feeds = map[notice.Reader]string{notice.HR: "to_hr", notice.Admin: "to_admin", notice.Gate: "to_gate"}

const noticeColumns = `n.id, n.type, n.severity, n.pass_id, n.number, n.made_at, r.at is not null`

// Notices reads a part of a feed, newest first: those before one that is named. more says whether there are others.
func (s *Store) Notices(ctx context.Context, who identity.Actor, feed notice.Reader, unread bool, before string, limit int) (all []Notice,
	more bool, err error) {
	column, ok := feeds[feed]
	if !ok {
		return nil, false, fault.New(fault.Internal, "nobody has the feed %s", feed)
	}
	some := `select ` + noticeColumns + ` from gatepass.notice n left join gatepass.notice_read r on r.org = n.org and r.notice = n.id
		and r.person = $1
		where n.` + column + ` and ($2 = '' or n.id < $2) and not ($3 and r.at is not null) order by n.id desc limit $4`
	err = s.In(ctx, who.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, some, who.ID, before, unread, limit+1)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Notice])
		return err
	})
	if len(all) > limit {
		all, more = all[:limit], true
	}
	return all, more, err
}

// MarkRead notes that somebody has read a notice of one of some feeds. Again it is the same.
func (s *Store) MarkRead(ctx context.Context, who identity.Actor, id string, of ...notice.Reader) (n Notice, err error) {
	one := `select ` + noticeColumns + ` from gatepass.notice n left join gatepass.notice_read r on r.org = n.org and r.notice = n.id
		and r.person = $2
		where n.id = $1 and (false`
	for _, f := range of {
		one += ` or n.` + feeds[f]
	}
	err = s.In(ctx, who.Org, func(tx pgx.Tx) error {
		const mark = `insert into gatepass.notice_read (org, notice, person, at) values ($1, $2, $3, $4) on conflict do nothing`
		rows, _ := tx.Query(ctx, one+`)`, id, who.ID)
		if n, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Notice]); err != nil || n.Read {
			return err
		}
		n.Read = true
		_, err = tx.Exec(ctx, mark, who.Org, id, who.ID, s.Now())
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return n, fault.New(fault.NotFound, "there is no notice %.40q of yours", id)
	}
	return n, err
}

// Tell writes the notices of a ladder down, each once.
func Tell(ctx context.Context, tx pgx.Tx, org identity.Org, p pass.Pass, steps []due.Step) error {
	if len(steps) == 0 {
		return nil
	}
	var b pgx.Batch
	for _, s := range steps {
		tellLater(&b, org, p.ID, s.Tell, pass.Entry{At: s.At})
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("tell of %s: %w", p.Number, err)
	}
	return nil
}

package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A Way is how somebody is told by mail. On pages everybody is told at once.
type Way string

// The ways.
const (
	Now    Way = "now"
	Digest Way = "digest" // once a day, all in one mail
	Off    Way = "off"
)

// Ways lists them in the order people read them.
func Ways() []Way { return []Way{Now, Digest, Off} }

// usual is how people are told who said nothing: at once of what is due, and once a
// day of the rest.
var usual = map[review.NoticeKind]Way{
	review.NoticeReminder: Now, review.NoticeEscalation: Now, review.NoticeAssigned: Now,
	review.NoticeDelegated: Digest, review.NoticeExpired: Digest,
}

// Kinds lists what people are told of, in the order they read it.
func Kinds() []review.NoticeKind {
	return []review.NoticeKind{review.NoticeReminder, review.NoticeEscalation, review.NoticeAssigned, review.NoticeDelegated,
		review.NoticeExpired}
}

// Minutes after midnight.
const (
	day           = 24 * 60
	usualQuietEnd = 7 * 60
	usualQuiet    = 21 * 60
	usualDigest   = 8 * 60
)

// Wishes are how and when somebody wants to be told by mail. Times are minutes after
// midnight in the organisation's zone. Quiet hours may go over midnight, and are
// none where both ends are the same.
type Wishes struct {
	Ways      map[review.NoticeKind]Way
	QuietFrom int
	QuietTo   int
	DigestAt  int
	OnlyMine  bool   // not what goes to everybody in a role
	Language  string // "en" or "hi"; empty: the organisation's first
}

// Usual are the wishes of who said nothing.
func Usual() Wishes {
	return Wishes{Ways: maps.Clone(usual), QuietFrom: usualQuiet, QuietTo: usualQuietEnd, DigestAt: usualDigest}
}

func (w Wishes) check() error {
	for _, m := range []int{w.QuietFrom, w.QuietTo, w.DigestAt} {
		if m < 0 || m >= day {
			return fault.New(fault.Invalid, "a time of the day is between 00:00 and 23:59")
		}
	}
	for kind, way := range w.Ways {
		if usual[kind] == "" || !slices.Contains(Ways(), way) {
			return fault.New(fault.Invalid, "nobody is told of %.40q by %.20q", kind, way)
		}
	}
	if _, known := phrases[w.Language]; !known && w.Language != "" {
		return fault.New(fault.Invalid, "mails are not written in %.20q", w.Language)
	}
	return nil
}

// When is the moment somebody is told in a way, of what is known at a moment.
func (w Wishes) When(way Way, at time.Time, zone *time.Location) time.Time {
	if way == Digest {
		at = next(at, w.DigestAt, zone)
	}
	return w.loud(at, zone)
}

// loud is a moment, or the end of the quiet hours it lies in.
func (w Wishes) loud(at time.Time, zone *time.Location) time.Time {
	if w.QuietFrom == w.QuietTo {
		return at
	}
	local := at.In(zone)
	into := (local.Hour()*60 + local.Minute() - w.QuietFrom + day) % day
	if into >= (w.QuietTo-w.QuietFrom+day)%day {
		return at
	}
	return next(at, w.QuietTo, zone)
}

// next is the next moment after at when the clock of a zone shows so many minutes
// after midnight.
func next(at time.Time, minutes int, zone *time.Location) time.Time {
	local := at.In(zone)
	for add := 0; ; add++ {
		then := time.Date(local.Year(), local.Month(), local.Day()+add, minutes/60, minutes%60, 0, 0, zone)
		if then.After(at) {
			return then
		}
	}
}

// Wishes reads how an actor wants to be told.
func (d *Desk) Wishes(ctx context.Context, actor identity.Actor) (w Wishes, err error) {
	if err := ownWishes(actor); err != nil {
		return Wishes{}, err
	}
	err = d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		w, err = readWishes(ctx, tx, actor.Org, actor.ID)
		return err
	})
	return w, err
}

// SetWishes says how an actor wants to be told from now on. What is under way to
// them stays as it is.
func (d *Desk) SetWishes(ctx context.Context, actor identity.Actor, w Wishes) error {
	if err := MayWish(actor); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	const hours = `insert into gavel.notice_hours (org, person, quiet_from, quiet_to, digest_at, only_mine, language)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (org, person) do update set quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
		digest_at = excluded.digest_at,
			only_mine = excluded.only_mine, language = excluded.language`
	const wish = `insert into gavel.notice_wish (org, person, kind, way) values ($1, $2, $3, $4) on conflict (org, person, kind) do update
		set way = excluded.way`
	return d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(hours, actor.Org, actor.ID, w.QuietFrom, w.QuietTo, w.DigestAt, w.OnlyMine, w.Language)
		for _, kind := range slices.Sorted(maps.Keys(w.Ways)) {
			b.Queue(wish, actor.Org, actor.ID, kind, w.Ways[kind])
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

// MayWish refuses who cannot say how they want to be told: nobody, programs, and
// who only looks as another role does.
func MayWish(a identity.Actor) error {
	if err := ownWishes(a); err != nil {
		return err
	}
	if a.Viewing != "" {
		return fault.New(fault.Refused, "who looks as another role does changes nothing")
	}
	return nil
}

// ownWishes refuses who has none: only people with an account are told by mail.
func ownWishes(a identity.Actor) error {
	switch {
	case !a.Known():
		return fault.New(fault.SignIn, "sign in to say how you want to be told")
	case a.Kind != identity.Person:
		return fault.New(fault.Refused, "only people are told by mail")
	}
	return nil
}

func readWishes(ctx context.Context, tx pgx.Tx, org identity.Org, person string) (Wishes, error) {
	w := Usual()
	rows, _ := tx.Query(ctx, `select quiet_from, quiet_to, digest_at, only_mine, language from gavel.notice_hours where org = $1
		and person = $2`, org, person)
	_, err := pgx.ForEachRow(rows, []any{&w.QuietFrom, &w.QuietTo, &w.DigestAt, &w.OnlyMine, &w.Language}, func() error { return nil })
	if err != nil {
		return w, fmt.Errorf("read when to tell somebody: %w", err)
	}
	var kind review.NoticeKind
	var way Way
	rows, _ = tx.Query(ctx, `select kind, way from gavel.notice_wish where org = $1 and person = $2`, org, person)
	_, err = pgx.ForEachRow(rows, []any{&kind, &way}, func() error { w.Ways[kind] = way; return nil })
	if err != nil {
		return w, fmt.Errorf("read how to tell somebody: %w", err)
	}
	return w, nil
}

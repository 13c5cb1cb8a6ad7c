package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A SavedView is a filter of the inbox to which a person gave a name. It is
// theirs alone, and says nothing about what it shows.
type SavedView struct {
	ID     string // "view_" and a ULID
	Name   string
	Query  string // the filter, as the page that made it writes it in an address
	MadeAt time.Time
}

// Bounds of saved views.
const (
	MaxViewName = 60 // characters
	mostViews   = 20 // of one person
)

var viewQueryForm = regexp.MustCompile(`^[A-Za-z0-9_=&%.+-]{0,300}$`)

// SaveView keeps a filter under a name; one that the person has under the same
// name is replaced. Faults: Invalid for a name or a filter that is none; Conflict
// where there are 20 already.
func (s *Store) SaveView(ctx context.Context, actor identity.Actor, name, query string) (v SavedView, err error) {
	name = strings.Join(strings.Fields(name), " ")
	switch {
	case name == "":
		return v, fault.New(fault.Invalid, "give the view a name").Because("view_name")
	case utf8.RuneCountInString(name) > MaxViewName:
		return v, fault.New(fault.Invalid, "the name of a view has at most %d characters", MaxViewName).
			Because("text_too_long", "n", strconv.Itoa(MaxViewName))
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0) || !viewQueryForm.MatchString(query):
		return v, fault.New(fault.Invalid, "the name or the filter holds a character that cannot be stored").Because("text_unfit")
	}
	const put = `insert into gavel.inbox_view as v (org, actor_id, id, name, query, made_at)
		select $1, $2, $3, $4, $5, $6 where (select count(*) from gavel.inbox_view o where o.org = $1 and o.actor_id = $2
		and o.name <> $4) < $7
		on conflict (org, actor_id, name) do update set query = excluded.query, made_at = excluded.made_at
		returning id, name, query, made_at`
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	id := "view_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
	err = s.ownView(ctx, actor, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, put, actor.Org, actor.ID, id, name, query, now, mostViews).Scan(&v.ID, &v.Name, &v.Query, &v.MadeAt)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return v, fault.New(fault.Conflict, "you have %d views already", mostViews).WithNext("remove one that you no longer need").
			Because("views_many", "n", strconv.Itoa(mostViews))
	}
	return v, err
}

// RemoveView forgets a view. One that is not there, or not the person's, is
// NotFound.
func (s *Store) RemoveView(ctx context.Context, actor identity.Actor, id string) error {
	return s.ownView(ctx, actor, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from gavel.inbox_view where org = $1 and actor_id = $2 and id = $3`, actor.Org, actor.ID, id)
		if err == nil && tag.RowsAffected() == 0 {
			return noSuchView(id)
		}
		return err
	})
}

// ownView changes views of the actor's own: nobody does that while they look as
// another role does.
func (s *Store) ownView(ctx context.Context, actor identity.Actor, run func(pgx.Tx) error) error {
	if err := s.rules.May(actor, actInbox); err != nil {
		return err
	}
	if actor.Viewing != "" {
		return fault.New(fault.Refused, "you are viewing as another role and can't change anything").Because("viewing")
	}
	if err := s.db.InOrg(ctx, actor.Org, run); err != nil {
		return fmt.Errorf("saved view: %w", err)
	}
	return nil
}

func noSuchView(id string) error {
	return fault.New(fault.NotFound, "you have no view %.40q", id).Because("nothing_called", "id", id)
}

// Views lists the views of a person, by their names.
func (s *Store) Views(ctx context.Context, actor identity.Actor) (list []SavedView, err error) {
	if err := s.rules.May(actor, actInbox); err != nil {
		return nil, err
	}
	const all = `select id, name, query, made_at from gavel.inbox_view where org = $1 and actor_id = $2 order by name limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, actor.Org, actor.ID, mostViews)
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[SavedView])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read saved views: %w", err)
	}
	return list, nil
}

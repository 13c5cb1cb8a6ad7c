package casework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/seal"
)

// write queues a letter to somebody on the case. Whoever cannot be written to (no
// address, no mail set up, too many automatic mails, erased) is told to the case as an event: no
// clock runs against somebody who was not reached.
func (s *step) write(ctx context.Context, a lifecycle.Action) error {
	person, err := addressee(ctx, s.tx, a.Employee)
	if err != nil {
		return err
	}
	if !notify.ValidMailbox(person.email) || s.work.post == nil {
		s.fails(a, lifecycle.MailBounced)
		return nil
	}
	l, err := s.compose(ctx, a, person)
	if err != nil {
		return err
	}
	_, err = s.work.post.Queue(ctx, s.tx, identity.Gavel(s.file.Org), notify.Letter{
		Key: "poolpatrol:" + a.Key, Case: s.file.ID, Kind: string(a.Letter), To: store.Rider(a.Employee), Address: person.email,
		Name: person.name, Thread: string(s.file.ID) + "/" + string(a.Employee), Language: string(l.Language), Subject: l.Subject,
		Text: l.Text, Because: s.because(), Automatic: a.Letter.Automatic(),
	})
	switch {
	case errors.Is(err, seal.ErrErased):
		s.fails(a, lifecycle.MailBounced)
	case fault.Is(err, fault.TooMany):
		s.fails(a, lifecycle.MailStopped)
	default:
		return err
	}
	return nil
}

// because is what authorises a letter: the person's decision it carries out, or
// the audit it rests on.
func (s *step) because() string {
	if s.proposal != "" {
		return s.proposal
	}
	return s.run
}

// fails makes a letter that could not be written an event of the case. What asks
// for nothing is not missed.
func (s *step) fails(a lifecycle.Action, kind lifecycle.EventKind) {
	if a.Letter.Asks() {
		s.more = append(s.more, happening{a.Key + "/" + string(kind), lifecycle.Event{Kind: kind, At: s.at, Employee: a.Employee,
			Letter: a.Letter}})
	}
}

// A reader is whom a letter goes to.
type reader struct{ name, email, language string }

func addressee(ctx context.Context, tx pgx.Tx, id fleet.EmployeeID) (r reader, err error) {
	err = tx.QueryRow(ctx, `select name, email, language from poolpatrol.employee where id = $1`, id).Scan(&r.name, &r.email, &r.language)
	if errors.Is(err, pgx.ErrNoRows) {
		return reader{}, nil
	}
	return r, err
}

// compose words a letter: from its template, or, for a draft, as a person approved
// it.
func (s *step) compose(ctx context.Context, a lifecycle.Action, to reader) (post.Letter, error) {
	from, err := store.OfficeOf(ctx, s.tx, s.file.Org, s.rules.Zone)
	if err != nil {
		return post.Letter{}, err
	}
	own, err := s.own(ctx, a, post.Speaks(to.language))
	if err != nil {
		return post.Letter{}, err
	}
	own.FirstName, _, _ = strings.Cut(to.name, " ")
	if own.Page, err = s.work.door.PageFor(s.file, a.Employee); err != nil {
		return post.Letter{}, err
	}
	if a.Letter == post.Draft {
		return post.Answered(s.draft.Subject, s.draft.Body, own, from, s.deadline(a))
	}
	return post.Compose(a.Letter, own, from, s.deadline(a))
}

// deadline is what the letter prints: from the rules that the clock itself goes by.
func (s *step) deadline(a lifecycle.Action) time.Time {
	switch {
	case a.Letter.Asks():
		return s.rules.Deadline(s.at)
	case a.Letter == post.Portal:
		return s.life.Due
	}
	return time.Time{}
}

// own is what may be said to one person, in their language: what the newest audit found
// about them. Where a membership ends, that is the look it was decided on.
func (s *step) own(ctx context.Context, a lifecycle.Action, speaks post.Language) (post.Own, error) {
	own := post.Own{Case: fleet.CaseID(s.file.Ref), Vanpool: s.life.Vanpool, Employee: a.Employee, Last: s.today(), Language: speaks,
		Unit: s.unit}
	tells := a.Letter.Asks() && a.Letter != post.Draft
	if !tells && a.Letter != post.Removed {
		return own, nil
	}
	about, _, err := store.LastFound(ctx, s.tx, cmp.Or(s.looked, s.run), s.file.ID, own)
	if a.Letter == post.Removed && fault.Is(err, fault.Invalid) { // nothing that may be told: the records no longer fit
		about, err = own, nil
	}
	if err != nil {
		return own, err
	}
	about.Last, about.Language, about.Unit = own.Last, speaks, s.unit
	if found, is := s.offers[a.Employee]; is {
		about.Offer = post.Offered(speaks, found.Vanpool, found.Miles, s.unit)
	}
	if a.Letter == post.Removed {
		about.Answered, err = s.answeredOn(ctx, a.Employee)
	}
	return about, err
}

// answeredOn are the days on which somebody on the case answered, each once, in order.
func (s *step) answeredOn(ctx context.Context, who fleet.EmployeeID) (days []fleet.Date, err error) {
	all, err := s.repliesOf(ctx, who)
	for _, at := range all {
		if d := fleet.DateAt(at, s.rules.Zone); !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	return days, err
}

// tellCoordinator writes to whoever coordinates the van that a seat is free: of whom, and why,
// they are not told. One who has no address, is not employed any more or is the rider
// themselves is not written to.
func (s *step) tellCoordinator(ctx context.Context, gone fleet.EmployeeID) error {
	const coordinates = `select e.id from poolpatrol.vanpool v join poolpatrol.employee e on e.id = v.coordinator_id
		where v.id = $1 and e.status <> 'inactive' and e.id <> $2`
	var who fleet.EmployeeID
	err := s.tx.QueryRow(ctx, coordinates, s.life.Vanpool, gone).Scan(&who)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("who coordinates %s: %w", s.life.Vanpool, err)
	}
	to, err := addressee(ctx, s.tx, who)
	if err != nil || !notify.ValidMailbox(to.email) || s.work.post == nil {
		return err
	}
	from, err := store.OfficeOf(ctx, s.tx, s.file.Org, s.rules.Zone)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(to.name, " ")
	l := post.SeatNotice(first, post.Speaks(to.language), fleet.CaseID(s.file.Ref), s.life.Vanpool, s.today(), from)
	_, err = s.work.post.Queue(ctx, s.tx, identity.Gavel(s.file.Org), notify.Letter{
		Key: "poolpatrol:" + s.file.Ref + "/seat/" + string(gone), Case: s.file.ID, Kind: string(l.Kind), To: store.Rider(who),
		Address: to.email, Name: to.name, Thread: string(s.file.ID) + "/" + string(who), Language: string(l.Language), Subject: l.Subject,
		Text: l.Text, Because: s.because(), Automatic: l.Kind.Automatic(),
	})
	if errors.Is(err, seal.ErrErased) {
		return nil
	}
	return err
}

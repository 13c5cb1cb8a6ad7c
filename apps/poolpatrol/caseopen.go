package poolpatrol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/offer"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// atOnce is how many vans one step settles before the engine hears of it.
const atOnce = 200

// Settle sees to what follows from a pass: a case for every van that fails and has
// none, word to the case of every van that has one. done says that nothing is left.
// On records that have become too old meanwhile, because nothing ran for days, no
// case is opened: the next pass finds what is still so.
func (s *Steps) Settle(ctx context.Context, in PassInput) (done bool, err error) {
	a := s.app
	var left []unsettled
	var g grounds
	err = a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		p, err := passBy(ctx, tx, "id", in.Pass)
		if err != nil {
			return err
		}
		if left, err = leftOf(ctx, tx, in.Pass); err != nil || len(left) == 0 {
			return err
		}
		g, err = a.grounds(ctx, tx, in.Org, p.Snapshot)
		return err
	})
	if err != nil {
		return false, err
	}
	seats := offersIn(g.book, a.now())
	see := func(ctx context.Context, tx pgx.Tx, org identity.Org, u unsettled) error {
		return a.settle(ctx, tx, org, u, seats)
	}
	if g.book != nil && audit.Fresh(g.book.Taken(), a.now()) != nil {
		a.log.WarnContext(ctx, "the records of a pass became too old before it was settled; it opens no case", slog.String("pass", in.Pass), slog.Int("vans", len(left)))
		see = a.tellCase
	}
	settled, err := a.settleAll(ctx, in, left, see)
	if done = err == nil && (len(left) < atOnce || settled == 0); done {
		a.shelf.drop()
	}
	return done, err
}

// An unsettled run is one of which nobody has seen yet what follows.
type unsettled struct {
	ID       string
	Vanpool  fleet.VanpoolID
	Verdicts []byte
}

func leftOf(ctx context.Context, tx pgx.Tx, pass string) ([]unsettled, error) {
	const left = `select r.id, r.vanpool_id, coalesce(r.verdicts, '[]') from poolpatrol.audit_run r where r.pass = $1 and not r.settled
		and (r.outcome = 'failed' or exists (select from poolpatrol.case c where c.vanpool_id = r.vanpool_id and c.state not in ('resolved', 'cancelled')))
		order by r.vanpool_id limit $2`
	rows, _ := tx.Query(ctx, left, pass, atOnce)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[unsettled])
}

// holdVan keeps others from opening a case of a van until the transaction ends: two
// passes may settle it at once.
func holdVan(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('poolpatrol.van/' || current_setting('gavel.org') || '/' || $1, 0))`, string(van))
	return err
}

// tellCase tells the case that a van has, and opens none.
func (a *app) tellCase(ctx context.Context, tx pgx.Tx, _ identity.Org, u unsettled) error {
	id, err := openCaseOf(ctx, tx, u.Vanpool)
	if err == nil && id != "" {
		err = a.wake(ctx, tx, id)
	}
	if err != nil {
		return fmt.Errorf("tell the case of %s: %w", u.Vanpool, err)
	}
	return markSettled(ctx, tx, u.ID, id)
}

func markSettled(ctx context.Context, tx pgx.Tx, run string, id casefile.CaseID) error {
	_, err := tx.Exec(ctx, `update poolpatrol.audit_run set settled = true, case_id = nullif($2, '') where id = $1`, run, string(id))
	return err
}

// settle opens a van's case, or tells the one it has.
func (a *app) settle(ctx context.Context, tx pgx.Tx, org identity.Org, u unsettled, seats *offer.Index) error {
	if err := holdVan(ctx, tx, u.Vanpool); err != nil {
		return err
	}
	id, err := openCaseOf(ctx, tx, u.Vanpool)
	if err == nil && id == "" {
		id, err = a.openCase(ctx, tx, org, u, seats)
	} else if err == nil {
		err = a.wake(ctx, tx, id)
	}
	if err != nil {
		return fmt.Errorf("settle %s: %w", u.Vanpool, err)
	}
	return markSettled(ctx, tx, u.ID, id)
}

func openCaseOf(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) (casefile.CaseID, error) {
	rows, _ := tx.Query(ctx, `select id from poolpatrol.case where vanpool_id = $1 and state not in ('resolved', 'cancelled')`, van)
	id, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[casefile.CaseID])
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// wake tells a case that there is something to look at.
func (a *app) wake(ctx context.Context, tx pgx.Tx, id casefile.CaseID) error {
	file, err := casefile.Lock(ctx, tx, id)
	if err != nil || file.State == casefile.Closed {
		return err
	}
	return a.cases.Rouse(ctx, tx, file)
}

// openCase opens a case on what was found, where anything counts. It gives no id
// where none was opened.
func (a *app) openCase(ctx context.Context, tx pgx.Tx, org identity.Org, u unsettled, seats *offer.Index) (casefile.CaseID, error) {
	var verdicts []check.Verdict
	if err := json.Unmarshal(u.Verdicts, &verdicts); err != nil {
		return "", err
	}
	earlier, err := endedCases(ctx, tx, u.Vanpool)
	if err != nil {
		return "", err
	}
	rules, err := rulesOf(ctx, tx, u.Vanpool)
	if err != nil {
		return "", err
	}
	now := a.store.clock.Now().UTC().Truncate(time.Microsecond)
	found := lifecycle.Found{Vanpool: u.Vanpool, Findings: findings(verdicts), At: now, Earlier: earlier}
	life, _, opens := lifecycle.Begin(found, rules)
	if !opens {
		return "", nil
	}
	file, _, err := a.cases.OpenIn(ctx, tx, identity.Gavel(org), casefile.Opening{App: Name, Key: string(u.Vanpool), Title: title(life), Subjects: subjectsOf(life)})
	if err != nil {
		return "", err
	}
	found.ID = fleet.CaseID(file.Ref)
	life, todo, _ := lifecycle.Begin(found, rules)
	s := &step{app: a, tx: tx, file: file, life: life, rules: rules, run: u.ID, at: now, offers: offers(seats, life)}
	if err := s.insert(ctx); err != nil {
		return "", err
	}
	// What it rests on is put on the case before people are asked about it: evidence
	// that comes after a question is said to have changed.
	if err := s.ground(ctx, u.ID, verdicts); err != nil {
		return "", err
	}
	for _, do := range todo {
		if err := s.perform(ctx, do); err != nil {
			return "", err
		}
	}
	return file.ID, s.take(ctx, s.opened(now)...)
}

// openedKey is the key of the entry that says what an audit found.
const openedKey = "found"

// opened are the events that opening the case led to, and the entry that says how
// it stands.
func (s *step) opened(now time.Time) []happening {
	more := s.more
	s.more = nil
	return append([]happening{{openedKey, lifecycle.Event{Kind: lifecycle.Ticked, At: now}}}, more...)
}

// insert writes a new case down.
func (s *step) insert(ctx context.Context) error {
	life, err := json.Marshal(s.life)
	if err != nil {
		return err
	}
	const insert = `insert into poolpatrol.case (org, id, ref, vanpool_id, life, state, reason, failed_checks, audit_run, policy, rules, opened_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	_, err = s.tx.Exec(ctx, insert, s.file.Org, s.file.ID, s.file.Ref, s.life.Vanpool, life, s.life.State, reasonFor(s.life), namesOf(s.life.FailedChecks()),
		s.run, policyDigest(audit.Standard()), s.rules.Version, s.life.Opened)
	return err
}

// reasonFor is the reason in the words of the first system: of both, the shift.
func reasonFor(c lifecycle.Case) string {
	for _, name := range []check.Name{"shift", "location"} {
		for _, failed := range c.FailedChecks() {
			if failed == name {
				return string(name) + "_mismatch"
			}
		}
	}
	return "unknown"
}

func title(c lifecycle.Case) string {
	text := "Possible misuse, " + string(c.Vanpool) + ":"
	for i, name := range c.FailedChecks() {
		if i > 0 {
			text += ","
		}
		text += " " + string(name)
	}
	return text
}

// mostNamed is how many people a case is said to be about when it is opened. No van
// has so many seats; the entries about the others name them.
const mostNamed = 32

func subjectsOf(c lifecycle.Case) []seal.Subject {
	var all []seal.Subject
	for _, s := range c.Subjects[:min(len(c.Subjects), mostNamed)] {
		all = append(all, rider(s.Employee))
	}
	return all
}

// endedCases are the van's earlier cases.
func endedCases(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) ([]lifecycle.Case, error) {
	rows, _ := tx.Query(ctx, `select life from poolpatrol.case where vanpool_id = $1 and ended_at is not null order by ended_at desc limit 20`, van)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c lifecycle.Case, err error) {
		var text []byte
		if err := row.Scan(&text); err != nil {
			return c, err
		}
		return c, json.Unmarshal(text, &c)
	})
}

// findings are those of some verdicts, each once, without what is excused and
// without gaps in the records.
func findings(verdicts []check.Verdict) []check.Finding {
	return audit.Run{Verdicts: verdicts}.Findings()
}

// offersIn finds offers by the rules of today. Of no book there are none.
func offersIn(book *fleet.Book, at time.Time) *offer.Index {
	if book == nil {
		return nil
	}
	p := audit.Standard()
	return offer.NewIndex(book, at, offer.Terms{Shift: p.Shift, Location: p.Location, Most: 1})
}

// offers are vans that the people on a case would fit, in words, for their letters.
func offers(seats *offer.Index, c lifecycle.Case) map[fleet.EmployeeID]string {
	all := map[fleet.EmployeeID]string{}
	for _, s := range c.Subjects {
		if some := seats.Find(s.Employee); len(some) > 0 {
			all[s.Employee] = some[0].Words()
		}
	}
	return all
}

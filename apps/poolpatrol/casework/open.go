package casework

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/mind"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/offer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/title"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

// openCase opens a case on what was found, where anything counts. It gives no id
// where none was opened. It goes by the terms that its van was judged by.
func (a *Work) openCase(ctx context.Context, tx pgx.Tx, org identity.Org, u unsettled, of passed) (casefile.CaseID, error) {
	var verdicts []check.Verdict
	if err := json.Unmarshal(u.Verdicts, &verdicts); err != nil {
		return "", err
	}
	earlier, err := store.CasesBefore(ctx, tx, u.Vanpool)
	if err != nil {
		return "", err
	}
	rules, unit, err := term.RulesOf(ctx, tx, org, u.Vanpool, of.Terms)
	if err != nil {
		return "", err
	}
	now := a.clock.Now().UTC().Truncate(time.Microsecond)
	found := lifecycle.Found{Vanpool: u.Vanpool, Findings: findings(verdicts), At: now, Earlier: earlier}
	life, _, opens := lifecycle.Begin(found, rules)
	if !opens {
		return "", nil
	}
	file, _, err := a.cases.OpenIn(ctx, tx, identity.Gavel(org), casefile.Opening{App: programme.Name, Key: string(u.Vanpool),
		Title: title.Case(life), Subjects: mind.SubjectsOf(life)})
	if err != nil {
		return "", err
	}
	found.ID = fleet.CaseID(file.Ref)
	life, todo, _ := lifecycle.Begin(found, rules)
	s := &step{work: a, tx: tx, file: file, life: life, terms: of.Terms, rules: rules, unit: unit, run: u.ID, at: now,
		offers: offers(of.seats, life)}
	if err := s.insert(ctx, of.Policy); err != nil {
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
func (s *step) insert(ctx context.Context, policy string) error {
	life, err := json.Marshal(s.life)
	if err != nil {
		return err
	}
	const insert = `insert into poolpatrol.case (org, id, ref, vanpool_id, life, state, reason, failed_checks, audit_run, policy, rules,
		terms_version, opened_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	_, err = s.tx.Exec(ctx, insert, s.file.Org, s.file.ID, s.file.Ref, s.life.Vanpool, life, s.life.State, reasonFor(s.life),
		check.Strings(s.life.FailedChecks()),
		s.run, policy, s.rules.Version, s.terms, s.life.Opened)
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

// findings are those of some verdicts, each once, without what is excused and
// without gaps in the records.
func findings(verdicts []check.Verdict) []check.Finding {
	return audit.Run{Verdicts: verdicts}.Findings()
}

// offersIn finds offers by a policy. Of no book there are none.
func offersIn(book *fleet.Book, p audit.Policy, at time.Time) *offer.Index {
	if book == nil {
		return nil
	}
	return offer.NewIndex(book, at, offer.Terms{Shift: p.Shift, Location: p.Location, Most: 1})
}

// offers are vans that the people on a case would fit, for their letters.
func offers(seats *offer.Index, c lifecycle.Case) map[fleet.EmployeeID]offer.Offer {
	all := map[fleet.EmployeeID]offer.Offer{}
	for _, s := range c.Subjects {
		if some := seats.Find(s.Employee); len(some) > 0 {
			all[s.Employee] = some[0]
		}
	}
	return all
}

package casework

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/mind"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/title"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// putGrounds is to put on a case what an audit found, by its key.
const putGrounds lifecycle.ActionKind = "put_grounds"

// groundsTask begins the key of it; the audit's id follows.
const groundsTask = "grounds:"

// AuditSource is where the evidence of a case comes from: our own audits.
func AuditSource() evidence.Source {
	return evidence.Source{Name: "poolpatrol-audit", Title: "Audits of vanpools", Licence: "the programme's own records; for nobody else",
		Without: "cases would be opened without saying why", Personal: true, MaxBytes: 1 << 20}
}

// mostSealed is how many people one thing can be sealed for. A van of more keeps its
// verdicts with the audit alone.
const mostSealed = 32

// mostGrounds bounds how many pieces about the van alone one check puts on each side
// of a case: a handful can be read, and all of them are with the audit. What is about
// people in question is never left off.
const mostGrounds = 4

// ground leaves an audit that does not pass to be put on the case, and to be
// explained.
func (s *step) ground(ctx context.Context, run string, verdicts []check.Verdict) error {
	if s.work.evidence != nil {
		if err := s.leave(ctx, lifecycle.Action{Kind: putGrounds, Key: groundsTask + run}); err != nil {
			return err
		}
	}
	return s.explain(ctx, run, verdicts)
}

// groundCase puts what an audit found on its case: each verdict that does not pass
// as it was kept, what it says of the people in question and of the van as
// evidence, and the numbers of that as facts. Whoever fits stays with the audit: a
// case that shows all of them hides what it is about. Done again it changes nothing.
func (a *Work) groundCase(ctx context.Context, in casefile.Input, what lifecycle.Action) error {
	run := strings.TrimPrefix(what.Key, groundsTask)
	var g grounding
	err := a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) (err error) {
		if err := tx.QueryRow(ctx, `select at from poolpatrol.audit_run where id = $1`, run).Scan(&g.at); err != nil {
			return err
		}
		if g.found, err = store.VerdictsIn(ctx, tx, run); err != nil {
			return err
		}
		if g.before, err = earlierVerdicts(ctx, tx, in.Case, what.Key); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `select employee_id from poolpatrol.case_subject where case_id = $1`, in.Case)
		g.asked, err = pgx.CollectRows(rows, pgx.RowTo[fleet.EmployeeID])
		return err
	})
	for _, v := range g.found {
		if err == nil && groundable(v) {
			err = a.groundOn(ctx, in, run, v, g)
		}
	}
	if err != nil && !fault.KindOf(err).Retryable() {
		// The case has ended, or somebody it says something about was erased. Whatever it
		// is, a case goes on without.
		a.log.WarnContext(ctx, "what an audit found was not put on its case", slog.String("case", string(in.Case)),
			slog.String("audit", run), slog.Any("error", err))
		return nil
	}
	return err
}

// A grounding is an audit that is put on a case.
type grounding struct {
	at     time.Time
	found  []check.Verdict
	before []check.Verdict    // of the audits that were put on it earlier, the newest first
	asked  []fleet.EmployeeID // whom the case is about
}

// earlierVerdicts are those of the audits that were put on a case before the one of a
// key, the newest first. An audit that was only counted is none of them.
func earlierVerdicts(ctx context.Context, tx pgx.Tx, id casefile.CaseID, key string) (all []check.Verdict, err error) {
	const earlier = `select r.id from poolpatrol.case_todo t join poolpatrol.audit_run r on t.key = $3 || r.id
		where t.case_id = $1 and t.n < (select n from poolpatrol.case_todo where case_id = $1 and key = $2) order by t.n desc limit 20`
	rows, _ := tx.Query(ctx, earlier, id, key, groundsTask)
	runs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, one := range runs {
		some, read := store.VerdictsIn(ctx, tx, one)
		if read != nil {
			return nil, read
		}
		all = append(all, some...)
	}
	return all, err
}

// An exhibit is one piece of evidence of a verdict, by where it stands in it.
type exhibit struct {
	check.Evidence

	side  evidence.Side
	piece string // "for/1"
}

// exhibits are the pieces of a verdict that are about people in question, and a
// handful on each side that are about the van.
func exhibits(v check.Verdict, asked []fleet.EmployeeID) (all []exhibit) {
	inQuestion := func(who fleet.EmployeeID) bool {
		return slices.Contains(asked, who) || slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Employee == who })
	}
	for _, side := range []struct {
		is  evidence.Side
		all []check.Evidence
	}{{evidence.For, v.For}, {evidence.Against, v.Against}, {evidence.Unknown, v.Unknown}} {
		n := 0
		for i, e := range side.all {
			who := fleet.EmployeeID(e.Data.Text("employee_id"))
			if who == "" {
				n++
			}
			if who == "" && n <= mostGrounds || who != "" && inQuestion(who) {
				all = append(all, exhibit{e, side.is, fmt.Sprintf("%s/%d", side.is, i)})
			}
		}
	}
	return all
}

// saidBefore reports whether the newest verdict of the same check that was put on the
// case had these exhibits, each to the letter and in its place, and no others. What an
// older one said was taken back by it, and facts go by their places.
func saidBefore(all []exhibit, v check.Verdict, g grounding) bool {
	i := slices.IndexFunc(g.before, func(old check.Verdict) bool { return old.Check == v.Check && groundable(old) })
	return i >= 0 && slices.EqualFunc(all, exhibits(g.before[i], g.asked), func(x, y exhibit) bool {
		return x.piece == y.piece &&
			x.text() == y.text()
	})
}

// groundable reports whether a verdict is put on a case: one that does not pass, and is
// about no more people than it can be sealed for.
func groundable(v check.Verdict) bool {
	n := len(mind.RidersIn(v))
	return v.Label == check.Fail && n > 0 && n <= mostSealed
}

// text is an exhibit to the letter.
func (g exhibit) text() string {
	text, err := json.Marshal(g.Evidence)
	if err != nil {
		return "" // what was read from JSON can be written
	}
	return string(text)
}

// groundOn puts one verdict on a case. One that says what the audit before it said is
// one piece: that it was looked at again, and what was found.
func (a *Work) groundOn(ctx context.Context, in casefile.Input, run string, v check.Verdict, g grounding) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	gavel := identity.Gavel(in.Org)
	kept, err := a.evidence.Take(ctx, gavel, evidence.Receipt{Source: AuditSource().Name, Once: run + ":" + string(v.Check),
		ContentType: "application/json",
		Place:       run + ".json", Subjects: mind.RidersIn(v), Case: string(in.Case)}, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("keep the %s check of %s: %w", v.Check, run, err)
	}
	shown := exhibits(v, g.asked)
	if saidBefore(shown, v, g) {
		again := evidence.Putting{SHA256: kept.SHA256, Side: evidence.For, Title: title.Again(v)}
		if _, _, err := a.evidence.Put(ctx, gavel, in.Case, again); err != nil {
			return fmt.Errorf("evidence of %s: %w", run, err)
		}
		return nil
	}
	facts, err := check.Facts(v, kept.SHA256.String(), g.at)
	if err != nil {
		return err
	}
	facts = slices.DeleteFunc(facts, func(f fact.Fact) bool {
		return !slices.ContainsFunc(shown, func(x exhibit) bool { return x.piece == f.Subject.IDs["piece"] })
	})
	if len(facts) > 0 { // not every verdict has a number
		if _, err := a.evidence.Record(ctx, gavel, in.Case, facts...); err != nil {
			return fmt.Errorf("facts of %s: %w", run, err)
		}
	}
	for _, x := range shown {
		_, _, err := a.evidence.Put(ctx, gavel, in.Case, evidence.Putting{SHA256: kept.SHA256, Side: x.side,
			Title: title.Evidence(v, x.Evidence),
			Range: &evidence.Range{JSON: &fact.JSONPointer{Pointer: "/" + x.piece}}})
		if err != nil {
			return fmt.Errorf("evidence of %s: %w", run, err)
		}
	}
	return nil
}

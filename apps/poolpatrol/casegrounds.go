package poolpatrol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// putGrounds is to put on a case what an audit found, by its key.
const putGrounds lifecycle.ActionKind = "put_grounds"

// groundsTask begins the key of it; the audit's id follows.
const groundsTask = "grounds:"

// auditSource is where the evidence of a case comes from: our own audits.
func auditSource() evidence.Source {
	return evidence.Source{Name: "poolpatrol-audit", Title: "Audits of vanpools", Licence: "the programme's own records; for nobody else",
		Without: "cases would be opened without saying why", Personal: true, MaxBytes: 1 << 20}
}

// mostSealed is how many people one thing can be sealed for. A van of more keeps its
// verdicts with the audit alone.
const mostSealed = 32

// mostGrounds bounds how many pieces of evidence of each side one check puts on a
// case.
const mostGrounds = 8

// ground leaves an audit that does not pass to be put on the case, and to be
// explained.
func (s *step) ground(ctx context.Context, run string, verdicts []check.Verdict) error {
	if s.app.evidence != nil {
		if err := s.leave(ctx, lifecycle.Action{Kind: putGrounds, Key: groundsTask + run}); err != nil {
			return err
		}
	}
	return s.explain(ctx, run, verdicts)
}

// groundCase puts what an audit found on its case: each verdict that does not pass
// as it was kept, its numbers as facts, and what speaks for and against it as
// evidence. Done again it changes nothing.
func (a *app) groundCase(ctx context.Context, in casefile.Input, what lifecycle.Action) error {
	run := strings.TrimPrefix(what.Key, groundsTask)
	var verdicts []check.Verdict
	var at time.Time
	err := a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) (err error) {
		if err := tx.QueryRow(ctx, `select at from poolpatrol.audit_run where id = $1`, run).Scan(&at); err != nil {
			return err
		}
		verdicts, err = verdictsIn(ctx, tx, run)
		return err
	})
	for _, v := range verdicts {
		if n := len(ridersIn(v)); err == nil && v.Label == check.Fail && n > 0 && n <= mostSealed {
			err = a.groundOn(ctx, in, run, v, at)
		}
	}
	if err != nil && !fault.KindOf(err).Retryable() {
		// The case has ended, or somebody it says something about was erased. Whatever it
		// is, a case goes on without.
		a.log.WarnContext(ctx, "what an audit found was not put on its case", slog.String("case", string(in.Case)), slog.String("audit", run), slog.Any("error", err))
		return nil
	}
	return err
}

// ridersIn are the people a verdict says something about.
func ridersIn(v check.Verdict) (all []seal.Subject) {
	for _, e := range v.Evidence() {
		if who := e.Data.Text("employee_id"); who != "" {
			all = append(all, rider(fleet.EmployeeID(who)))
		}
	}
	return compactSubjects(all)
}

// groundOn puts one verdict on a case.
func (a *app) groundOn(ctx context.Context, in casefile.Input, run string, v check.Verdict, at time.Time) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	gavel := identity.Gavel(in.Org)
	kept, err := a.evidence.Take(ctx, gavel, evidence.Receipt{Source: auditSource().Name, Once: run + ":" + string(v.Check), ContentType: "application/json",
		Place: run + ".json", Subjects: ridersIn(v), Case: string(in.Case)}, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("keep the %s check of %s: %w", v.Check, run, err)
	}
	facts, err := check.Facts(v, kept.SHA256.String(), at)
	if err != nil {
		return err
	}
	if len(facts) > 0 { // not every verdict has a number
		if _, err := a.evidence.Record(ctx, gavel, in.Case, facts...); err != nil {
			return fmt.Errorf("facts of %s: %w", run, err)
		}
	}
	for _, side := range []struct {
		name string
		is   evidence.Side
		all  []check.Evidence
	}{{"for", evidence.For, v.For}, {"against", evidence.Against, v.Against}, {"unknown", evidence.Unknown, v.Unknown}} {
		for i, e := range side.all[:min(len(side.all), mostGrounds)] {
			_, _, err := a.evidence.Put(ctx, gavel, in.Case, evidence.Putting{SHA256: kept.SHA256, Side: side.is, Title: evidenceTitle(v, e),
				Range: &evidence.Range{JSON: &fact.JSONPointer{Pointer: fmt.Sprintf("/%s/%d", side.name, i)}}})
			if err != nil {
				return fmt.Errorf("evidence of %s: %w", run, err)
			}
		}
	}
	return nil
}

// evidenceTitle names a piece by what it is about.
func evidenceTitle(v check.Verdict, e check.Evidence) string {
	who := e.Data.Text("employee_id")
	if who == "" {
		who = string(v.Vanpool)
	}
	return who + ": " + strings.ReplaceAll(e.Type, "_", " ")
}

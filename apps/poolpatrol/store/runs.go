package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// A CheckTally is in how many vans of a pass a check failed.
type CheckTally struct {
	Check check.Name
	Vans  int
}

// PassTallies counts the vans of a pass that failed, by check, the most first. A
// van that failed two checks is in both.
func (s *Store) PassTallies(ctx context.Context, actor identity.Actor, pass string) (all []CheckTally, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const count = `select c, count(*) from poolpatrol.audit_run, unnest(checks) c where pass = $1 group by c order by 2 desc, 1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, count, pass)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CheckTally])
		return err
	})
	return all, err
}

// VanSites says at which site some vans are.
func (s *Store) VanSites(ctx context.Context, actor identity.Actor, runs []Run) (map[fleet.VanpoolID]record.SiteName, error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	vans := make([]string, len(runs))
	for i, r := range runs {
		vans[i] = string(r.Vanpool)
	}
	found := make(map[fleet.VanpoolID]record.SiteName, len(vans))
	const at = `select v.id, s.id, s.name from poolpatrol.vanpool v join poolpatrol.site s on s.org = v.org and s.id = v.site_id
		where v.id = any($1)`
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, at, vans)
		var van fleet.VanpoolID
		var site record.SiteName
		_, err := pgx.ForEachRow(rows, []any{&van, &site.ID, &site.Name}, func() error {
			found[van] = site
			return nil
		})
		return err
	})
	return found, err
}

// RunsNaming lists the newest audits with a finding on somebody, of the vans they
// ride or rode in.
func (s *Store) RunsNaming(ctx context.Context, actor identity.Actor, who fleet.EmployeeID) (all []Run, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const newest = `select ` + runColumns + ` from poolpatrol.audit_run a
		where vanpool_id in (select vanpool_id from poolpatrol.rider where employee_id = $1)
			and jsonb_path_exists(verdicts, '$[*].findings[*] ? (@.employee_id == $who)', jsonb_build_object('who', $1::text))
		order by at desc, id desc limit $2`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, who, record.MostRuns)
		all, err = pgx.CollectRows(rows, scanRun)
		return err
	})
	return all, err
}

// Surest is how sure the surest failed verdict of a run is, or zero.
func (r Run) Surest() check.Confidence {
	var most check.Confidence
	for _, v := range r.Verdicts {
		if v.Label == check.Fail {
			most = max(most, v.Confidence)
		}
	}
	return most
}

// OnlyGaps reports whether everything a run failed for is missing from the
// records: nobody is accused of that.
func (r Run) OnlyGaps() bool {
	some := false
	for _, v := range r.Verdicts {
		for _, f := range v.Live() {
			if f.Route != check.ToData {
				return false
			}
			some = true
		}
	}
	return some
}

// A Run is what one audit of one van found, as it was written down.
type Run struct {
	ID       fleet.RunID
	Pass     string
	Vanpool  fleet.VanpoolID
	Outcome  audit.Outcome
	Checks   []check.Name    // that failed
	Verdicts []check.Verdict // empty where nothing is wrong: they can be computed again from the snapshot
	Reason   string          // why it could not be judged
	Recheck  fleet.Date      // look again then; zero for none
	At       time.Time
}

// A RunQuery says which runs are wanted: those of a pass, in order of van, or
// those of a van, the newest first.
type RunQuery struct {
	Pass    string
	Vanpool fleet.VanpoolID
	Outcome audit.Outcome // empty for all
	After   string        // page token; empty for the beginning
	Limit   int           // 1 to 200; zero means 50
}

const runColumns = `id, pass, vanpool_id, outcome, checks, verdicts, reason, recheck_on, at`

// Runs lists audit runs, and the token of the next page, empty when there is none.
// A pass that is not there has no runs.
func (s *Store) Runs(ctx context.Context, actor identity.Actor, q RunQuery) (runs []Run, next string, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, "", err
	}
	find, args, err := q.statement()
	if err != nil {
		return nil, "", err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, find, args...)
		runs, err = pgx.CollectRows(rows, scanRun)
		return err
	})
	runs, next = list.Cut(runs, list.Size(q.Limit), q.mark)
	return runs, next, err
}

// mark is the token of what follows a run.
func (q RunQuery) mark(r Run) string {
	if q.Pass != "" {
		return string(r.Vanpool)
	}
	return list.Cursor{At: r.At, ID: string(r.ID)}.String()
}

// statement asks for one run more than wanted, which says whether there is more.
func (q RunQuery) statement() (find string, args []any, err error) {
	if !slices.Contains([]audit.Outcome{"", audit.Verified, audit.Failed, audit.Errored}, q.Outcome) {
		return "", nil, fault.New(fault.Invalid, "no outcome is called %.20q; there are verified, failed and error", q.Outcome).
			Because("no_choice", "value", string(q.Outcome))
	}
	more := list.Size(q.Limit) + 1
	if q.Pass != "" {
		const ofPass = `select ` + runColumns + ` from poolpatrol.audit_run
			where pass = $1 and ($2 = '' or vanpool_id = $2) and ($3 = '' or outcome = $3) and vanpool_id > $4 order by vanpool_id limit $5`
		return ofPass, []any{q.Pass, q.Vanpool, q.Outcome, q.After, more}, nil
	}
	if q.Vanpool == "" {
		return "", nil, fault.New(fault.Invalid, "runs are those of a pass or of a van: name one").WithNext("see the list of passes")
	}
	const ofVan = `select ` + runColumns + ` from poolpatrol.audit_run
		where vanpool_id = $1 and ($2 = '' or outcome = $2) and ($3::timestamptz is null or (at, id) < ($3, $4)) order by at desc, id desc
		limit $5`
	from, err := list.ParseCursor(q.After)
	return ofVan, []any{q.Vanpool, q.Outcome, from.Moment(), from.ID, more}, err
}

var runForm = regexp.MustCompile(`^RUN-[0-9A-F]{8}$`)

// Run reads one run.
func (s *Store) Run(ctx context.Context, actor identity.Actor, id string) (r Run, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return r, err
	}
	if !runForm.MatchString(id) {
		return r, noRun(id)
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select `+runColumns+` from poolpatrol.audit_run where id = $1`, id)
		r, err = pgx.CollectExactlyOneRow(rows, scanRun)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return r, noRun(id)
	}
	return r, err
}

func noRun(id string) error {
	return fault.New(fault.NotFound, "no audit run is called %.40q", id).WithNext("see the runs of a pass, or of a van").
		Because("no_run", "id", id)
}

func scanRun(row pgx.CollectableRow) (r Run, err error) {
	var verdicts []byte
	var recheck *time.Time
	if err := row.Scan(&r.ID, &r.Pass, &r.Vanpool, &r.Outcome, &r.Checks, &verdicts, &r.Reason, &recheck, &r.At); err != nil {
		return r, err
	}
	if recheck != nil {
		r.Recheck = fleet.NewDate(recheck.Date())
	}
	if len(verdicts) > 0 {
		if err := json.Unmarshal(verdicts, &r.Verdicts); err != nil {
			return r, fmt.Errorf("read the verdicts of %s: %w", r.ID, err)
		}
	}
	return r, nil
}

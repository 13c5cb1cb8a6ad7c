package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/seal"
)

// eraseCases takes out of cases what says where somebody lives or when they work,
// and why people decided about them. That a case was about them stays, by their id.
// It comes before the records are held: who looks again at a van for its case holds
// the case first.
func eraseCases(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, _ time.Time) (seal.Reach, error) {
	rows, _ := tx.Query(ctx, `select c.id, c.life from poolpatrol.case c join poolpatrol.case_subject s on s.case_id = c.id
		where s.employee_id = $1 order by c.id for update of c`, who)
	type row struct {
		ID   string
		Life []byte
	}
	cases, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("find cases: %w", err)
	}
	reach, err := eraseReadings(ctx, tx, who)
	if err != nil {
		return seal.Reach{}, err
	}
	for _, c := range cases {
		n, err := eraseEvents(ctx, tx, c.ID, who)
		if err != nil {
			return seal.Reach{}, err
		}
		left, err := blankLife(c.Life, who)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("erase from case %s: %w", c.ID, err)
		}
		tag, err := tx.Exec(ctx, `update poolpatrol.case set life = $2 where id = $1 and life <> $2::jsonb`, c.ID, string(left))
		if err != nil {
			return seal.Reach{}, fmt.Errorf("erase from case %s: %w", c.ID, err)
		}
		if n += int(tag.RowsAffected()); n > 0 {
			reach.Rows += n
			if !slices.Contains(reach.Cases, c.ID) {
				reach.Cases = append(reach.Cases, c.ID)
			}
		}
	}
	return reach, nil
}

// eraseReadings takes out how replies of somebody were read: that may say that they
// wrote of an illness, or of a lawyer.
func eraseReadings(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID) (seal.Reach, error) {
	const blank = `update poolpatrol.reading set said = null, sub_label = '', why = 'erased', no_draft = false where employee_id = $1
		and why <> 'erased' returning case_id`
	rows, _ := tx.Query(ctx, blank, who)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("erase from readings: %w", err)
	}
	slices.Sort(ids)
	return seal.Reach{Rows: len(ids), Cases: slices.Compact(slices.Clone(ids))}, nil
}

// blankLife is a life without what it says about somebody.
func blankLife(life []byte, who fleet.EmployeeID) ([]byte, error) {
	var c lifecycle.Case
	if err := json.Unmarshal(life, &c); err != nil {
		return nil, err
	}
	for i := range c.Subjects {
		c.Subjects[i].Findings = blankFindings(c.Subjects[i].Findings, who)
	}
	c.WasRight = slices.DeleteFunc(c.WasRight, func(key string) bool { return strings.Contains(key, "|"+string(who)+"|") })
	return json.Marshal(c)
}

func blankFindings(all []check.Finding, who fleet.EmployeeID) []check.Finding {
	for i := range all {
		if all[i].Employee != who {
			continue
		}
		all[i].Mark, all[i].WouldChange = "", ""
		if all[i].Excused != nil {
			all[i].Excused.Reason = casefile.ErasedText
		}
	}
	return all
}

// eraseEvents does the same to what happened to a case, and says to how much of it.
func eraseEvents(ctx context.Context, tx pgx.Tx, id string, who fleet.EmployeeID) (int, error) {
	rows, _ := tx.Query(ctx, `select key, event from poolpatrol.case_event where case_id = $1 and event::text like '%"' || $2 || '"%'
		order by n, key`, id, string(who))
	type row struct {
		Key   string
		Event []byte
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return 0, fmt.Errorf("find events of %s: %w", id, err)
	}
	n := 0
	for _, r := range events {
		var e lifecycle.Event
		if err := json.Unmarshal(r.Event, &e); err != nil {
			return 0, fmt.Errorf("erase from an event of %s: %w", id, err)
		}
		e.Findings = blankFindings(e.Findings, who)
		if d := e.Decision; d != nil {
			d.Findings = blankFindings(d.Findings, who)
			if d.Reason != "" && (d.Employee == who || d.Employee == "") {
				d.Reason = casefile.ErasedText
			}
		}
		left, err := json.Marshal(e)
		if err != nil {
			return 0, err
		}
		tag, err := tx.Exec(ctx, `update poolpatrol.case_event set event = $3 where case_id = $1 and key = $2
			and event <> $3::jsonb`, id, r.Key, string(left))
		if err != nil {
			return 0, fmt.Errorf("erase from an event of %s: %w", id, err)
		}
		n += int(tag.RowsAffected())
	}
	return n, nil
}

// EraseAnswers blanks what somebody said on their page. Which of the answers they
// chose stays, as that of a case does.
func EraseAnswers(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, at time.Time) (seal.Reach, error) {
	const blank = `update poolpatrol.answer set body = '', erased_at = $2 where employee_id = $1 and erased_at is null returning case_id`
	return reached(ctx, tx, "blank answers", blank, who, at)
}

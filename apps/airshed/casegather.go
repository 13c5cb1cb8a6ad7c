package airshed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
)

// A matter is a case with all that counts of it, as the record has it now.
type matter struct {
	app *app
	in  casefile.Input
	at  time.Time

	file     casefile.Case
	episode  Episode // with its newest answer
	attempt  int
	renew    bool
	thoughts []string
	draft    *Draft    // the newest; nil: there is none
	requests []request // to people, the newest first
	filing   *Filing   // that succeeded, else the newest; nil: none
	maybe    int       // the draft that the commission may have; 0: none
	mayBy    string    // the act that put it there
	told     []telling // whom to tell, once it was filed
}

// A request is something people were asked, and what became of it.
type request struct {
	id      string
	tool    string
	state   review.State
	act     act.State // empty: there is none
	sha256  string    // of the report
	attempt int
	about   string // the state a notice goes to
}

// A Draft is one draft of a report.
type Draft struct {
	N        int
	ReportID string
	Answer   int
	WordedBy string
	Station  string
	AQI      int
	SurgeAt  time.Time
	Verdict  string
	First    string
	Category string
	JSON     string // digest
	English  string
	Hindi    string
	MadeAt   time.Time
}

const draftColumns = `n, report_id, answer, worded_by, station, aqi, surge_at, verdict, first_state, category, json, english, hindi, made_at`

// gist is what the draft says in short.
func (d Draft) gist() docket.Gist {
	return docket.Gist{Verdict: d.Verdict, First: d.First, Category: d.Category}
}

// A Filing is what became of filing a report.
type Filing struct {
	Act       string
	N         int
	Status    string
	Place     string
	Receipt   string
	Simulated bool
	Why       string
	At        time.Time
}

const filingColumns = `act, n, status, place, receipt, simulated, why, at`

// The ways a filing ends, in the first design's words.
const (
	success        = "success"
	partialSuccess = "partial_success"
)

// gather reads a case.
func (a *app) gather(ctx context.Context, in casefile.Input, at time.Time) (*matter, error) {
	m := &matter{app: a, in: in, at: at}
	err := a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return m.read(ctx, tx) })
	if err != nil {
		return nil, fmt.Errorf("read case %s: %w", in.Case, err)
	}
	if m.filed() {
		m.told, err = m.tellings(ctx)
	}
	return m, err
}

// read reads it in a transaction, and keeps others from changing it until that ends.
func (m *matter) read(ctx context.Context, tx pgx.Tx) (err error) {
	if m.file, err = casefile.Lock(ctx, tx, m.in.Case); err != nil {
		return err
	}
	return m.readRest(ctx, tx)
}

// readRest reads what there is beside the case itself.
func (m *matter) readRest(ctx context.Context, tx pgx.Tx) (err error) {
	id := m.in.Case
	if m.episode, err = episodeOfCase(ctx, tx, id); err != nil {
		return err
	}
	const row = `select attempt, renew, thoughts from airshed.case where id = $1`
	if err := tx.QueryRow(ctx, row, id).Scan(&m.attempt, &m.renew, &m.thoughts); err != nil {
		return err
	}
	if m.draft, err = newestDraft(ctx, tx, id); err != nil {
		return err
	}
	if m.requests, err = requestsOf(ctx, tx, id); err != nil {
		return err
	}
	if m.filing, err = newestFiling(ctx, tx, id); err != nil {
		return err
	}
	err = tx.QueryRow(ctx, `select n, act from airshed.submission where case_id = $1 and outcome = '' order by n desc limit 1`, id).Scan(&m.maybe, &m.mayBy)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

func newestDraft(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (*Draft, error) {
	rows, _ := tx.Query(ctx, `select `+draftColumns+` from airshed.report where case_id = $1 order by n desc limit 1`, id)
	return oneOrNone[Draft](rows)
}

func newestFiling(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (*Filing, error) {
	rows, _ := tx.Query(ctx, `select `+filingColumns+` from airshed.filing where case_id = $1 order by status = 'success' desc, at desc limit 1`, id)
	return oneOrNone[Filing](rows)
}

// oneOrNone collects a row that may be there.
func oneOrNone[T any](rows pgx.Rows) (*T, error) {
	one, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // none is no fault
	}
	return one, err
}

// requestsOf are what people were asked in a case, the newest first. A test whether
// they look is none: it has no tool.
func requestsOf(ctx context.Context, tx pgx.Tx, id casefile.CaseID) ([]request, error) {
	const all = `select p.id, p.tool, p.state, coalesce(a.state, ''), coalesce(p.args::jsonb->'report'->>'sha256', ''), coalesce(p.args::jsonb->>'attempt', '1'),
			coalesce(p.args::jsonb->>'state', '')
		from gavel.proposal p left join gavel.act a on a.org = p.org and a.key = p.key where p.case_id = $1 and p.app = $2 and p.tool = any ($3) order by p.n desc limit 200`
	rows, _ := tx.Query(ctx, all, id, Name, []string{toolSend, toolNotice})
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r request, err error) {
		var attempt string
		err = row.Scan(&r.id, &r.tool, &r.state, &r.act, &r.sha256, &attempt, &r.about)
		r.attempt, _ = strconv.Atoi(attempt) // what is no number is of no attempt
		return r, err
	})
}

// became is what became of a request, as the docket knows it.
func (r request) became() docket.Asked {
	switch r.state {
	case review.Open:
		return docket.Open
	case review.Rejected:
		return docket.Refused
	case review.Expired:
		return docket.Expired
	case review.Approved, review.Edited:
		switch r.act {
		case act.Done:
			return docket.Done
		case act.Failed, act.Undone, act.Unknown:
			return docket.Failed
		}
		return docket.Under
	}
	return docket.Back // with a question, or taken back
}

// current reports whether a request is about what counts now: the newest draft in
// this attempt, or a notice.
func (m *matter) current(r request) bool {
	return r.tool == toolNotice || m.draft != nil && r.sha256 == m.draft.JSON && r.attempt == m.attempt
}

// asked is what became of asking people about the newest draft, in this attempt. What
// is being done of an earlier one comes first.
func (m *matter) asked() docket.Asked {
	newest := docket.NotAsked
	for _, r := range m.requests {
		if r.tool != toolSend {
			continue
		}
		became := r.became()
		if became == docket.Under {
			return became
		}
		if m.current(r) && newest == docket.NotAsked {
			newest = became
		}
	}
	return newest
}

// withdrawn reports whether the question about the newest draft was taken back before
// anybody answered it.
func (m *matter) withdrawn() bool {
	i := slices.IndexFunc(m.requests, func(r request) bool { return r.tool == toolSend && m.current(r) })
	return i >= 0 && m.requests[i].state == review.Withdrawn
}

func (m *matter) filed() bool { return m.filing != nil && m.filing.Status == success }

// beingFiled reports whether the report is being filed at this moment.
func (m *matter) beingFiled() bool {
	return slices.ContainsFunc(m.requests, func(r request) bool {
		return r.act == act.Running || r.act == act.Planned && r.became() == docket.Under
	})
}

// standing is the case for the docket.
func (m *matter) standing() docket.Standing {
	category, _ := aqi.CategoryOf(m.episode.Peak)
	s := docket.Standing{Closing: m.file.Status == casefile.StatusClosing, Renew: m.renew, Asked: m.asked(), Speed: m.in.Clock.Speed,
		Answer: docket.Gist{Verdict: m.episode.Verdict, First: m.episode.First, Category: string(category)}}
	if m.draft != nil {
		newest := m.draft.gist()
		s.Newest, s.Age = &newest, m.at.Sub(m.draft.MadeAt)
		s.Maybe = m.maybe == m.draft.N
		s.Worded, s.Handed = slices.Contains(m.thoughts, m.wordTask()), slices.Contains(m.thoughts, m.fileTask())
	}
	s.Filed = m.filed() && s.Asked != docket.Under // what was done is on record first
	for _, t := range m.told {
		s.Notices = append(s.Notices, t.asked)
	}
	return s
}

// wordTask and fileTask name what the agent is asked about the newest draft.
func (m *matter) wordTask() string { return wordTask(m.draft.N) }
func (m *matter) fileTask() string { return fmt.Sprintf("file-%d-%d", m.draft.N, m.attempt) }
func wordTask(n int) string        { return fmt.Sprintf("word-%d", n) }

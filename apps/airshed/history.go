package airshed

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/pattern"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Answer is one of the answers about an episode.
type Answer struct {
	N        int
	AsOf     time.Time // moment of its data
	Peak     int
	Verdict  string
	First    string // the state of the largest share
	Data     string // digest of what was analysed
	Analysis string // digest of the analysis
	Scan     string
	At       time.Time // when it was written down
}

// mostAnswers bounds the answers that are listed; there is one for each object of the
// lake at the most.
const mostAnswers = 200

const answersOf = `select n, as_of, peak_index, verdict, first_state, data, analysis, scan, at from airshed.answer where key = $1`

// Answers lists what was answered about an episode, the newest first.
func (s *Store) Answers(ctx context.Context, actor identity.Actor, key surge.Key) (all []Answer, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, answersOf+` order by n desc limit $2`, string(key), mostAnswers)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Answer])
		return err
	})
	return all, err
}

// AnswerBytes reads the analysis of one answer, byte for byte as it was kept.
func (s *Store) AnswerBytes(ctx context.Context, actor identity.Actor, key surge.Key, n int) (a Answer, body []byte, err error) {
	if err := errors.Join(s.rules.May(actor, actRead), s.keeps()); err != nil {
		return a, nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, answersOf+` and n = $2`, string(key), n)
		a, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Answer])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return a, nil, fault.New(fault.NotFound, "%.80s has no answer %d", key, n).WithNext("open the episode and see its answers")
	}
	if err != nil {
		return a, nil, err
	}
	d, err := blob.Parse(a.Analysis)
	if err != nil {
		return a, nil, err
	}
	body, err = s.bytesOf(ctx, actor.Org, d, maxAnalysis)
	return a, body, err
}

// Going lists the episodes that were not over when they were last seen, those that
// began last first.
func (s *Store) Going(ctx context.Context, actor identity.Actor) (all []Episode, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const most = 200 // there are fewer stations at the border
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, episodes+` where not e.over order by e.start_at desc, e.key desc limit $1`, most)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Episode])
		return err
	})
	return all, err
}

// known are the episodes of a board that were found under the keys it has for them.
func (s *Store) known(ctx context.Context, actor identity.Actor, board analysis.Board) (out []surge.Key, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	var keys []string
	for _, l := range board.Episodes {
		keys = append(keys, string(l.Episode.Key))
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select key from airshed.episode where key = any($1)`, keys)
		out, err = pgx.CollectRows(rows, pgx.RowTo[surge.Key])
		return err
	})
	return out, err
}

// maxHistory bounds the episodes that patterns are counted of: thirty stations with
// one each week, for ten years.
const maxHistory = 16000

// History reads what patterns are counted of, those that began last first. all is
// false where there are more than are counted.
func (s *Store) History(ctx context.Context, actor identity.Actor) (out []pattern.Episode, all bool, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, false, err
	}
	const every = `select e.site_id, e.station, e.start_at, a.verdict, a.first_state, a.district, a.satellites
		from airshed.episode e join airshed.answer a on a.org = e.org and a.key = e.key and a.n = e.answers
		order by e.start_at desc, e.key desc limit $1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, every, maxHistory+1)
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (e pattern.Episode, err error) {
			var verdict string
			var satellites []string
			err = row.Scan(&e.Site, &e.Station, &e.Start, &verdict, &e.State, &e.District, &satellites)
			e.Verdict = plume.Verdict(verdict)
			for _, name := range satellites {
				e.Satellites = append(e.Satellites, fire.Satellite(name))
			}
			if satellites != nil && e.Satellites == nil {
				e.Satellites = []fire.Satellite{}
			}
			return e, err
		})
		return err
	})
	if len(out) > maxHistory {
		return out[:maxHistory], false, err
	}
	return out, true, err
}

// Fresh says of each source of Airshed when it last spoke.
func (s *Store) Fresh(ctx context.Context, actor identity.Actor) ([]evidence.Freshness, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	if s.kept == nil {
		return nil, nil
	}
	all, err := s.kept.Freshness(ctx, actor.Org)
	ours := Sources()
	return slices.DeleteFunc(all, func(f evidence.Freshness) bool {
		return !slices.ContainsFunc(ours, func(o evidence.Source) bool { return o.Name == f.Source.Name })
	}), err
}

// watched are the satellites an analysis had rows of.
func watched(a analysis.Analysis) []string {
	out := []string{}
	for _, name := range a.Fires.Used {
		if len(out) < 40 {
			out = append(out, cut(string(name), 60))
		}
	}
	return out
}

// upwind is the district of the largest share with its state, where one is known.
func upwind(a analysis.Analysis) string {
	if len(a.Attribution.Districts) == 0 || a.Attribution.Districts[0].District == "" {
		return ""
	}
	d := a.Attribution.Districts[0]
	return cut(d.District, 120) + ", " + cut(d.State, 120)
}

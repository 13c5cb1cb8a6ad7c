package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/pattern"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Episode is a surge at one station, as it was last seen and last answered.
type Episode struct {
	Key       surge.Key
	Site      string
	Station   string
	StartAt   time.Time
	LastAt    time.Time // end of its last hour
	Over      bool
	AsOf      time.Time // moment of the newest data that counted
	Answers   int       // how often it was answered, each time otherwise
	Peak      int       // of the index, in the newest answer
	Verdict   string
	First     string // the state of the largest share
	Data      string // digest of what was analysed
	Analysis  string // digest of the analysis
	FirstScan string
	LastScan  string
	FoundAt   time.Time
	SeenAt    time.Time
	Method    analysis.Method // by which it is answered
}

const episodes = `select e.key, e.site_id, e.station, e.start_at, e.last_at, e.over, e.as_of, e.answers, a.peak_index, a.verdict,
	a.first_state, a.data, a.analysis,
	e.first_scan, e.last_scan, e.found_at, e.seen_at, e.method
	from airshed.episode e join airshed.answer a on a.org = e.org and a.key = e.key and a.n = e.answers`

// Episode reads one episode.
func (s *Store) Episode(ctx context.Context, actor identity.Actor, key surge.Key) (e Episode, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return e, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, episodes+` where e.key = $1`, string(key))
		e, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Episode])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, fault.New(fault.NotFound, "no episode is called %.80q", key).WithNext("see the surge board").
			Because("no_episode", "id", string(key))
	}
	return e, err
}

// An EpisodeFilter is what narrows the list of episodes.
type EpisodeFilter struct {
	Site string `query:"site_id" page:"station" maxLength:"60" pattern:"^[a-z0-9_-]*$" doc:"Only those at a station."`
}

// Episodes lists episodes, those that began last first, from a place on, which may
// be zero.
func (s *Store) Episodes(ctx context.Context, actor identity.Actor, after Cursor, limit int) ([]Episode, error) {
	return s.EpisodesWhere(ctx, actor, EpisodeFilter{}, after, limit)
}

// EpisodesWhere lists those that a filter leaves.
func (s *Store) EpisodesWhere(ctx context.Context, actor identity.Actor, f EpisodeFilter, after Cursor,
	limit int) (all []Episode, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = episodes + ` where ($1::timestamptz is null or (e.start_at, e.key) < ($1, $2)) and ($4 = '' or e.site_id = $4)
		order by e.start_at desc, e.key desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit, f.Site)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Episode])
		return err
	})
	return all, err
}

// ListedAt is where it stands in the list.
func (e Episode) ListedAt() Cursor { return Cursor{At: e.StartAt, ID: string(e.Key)} }

// Analysis reads the newest analysis of an episode, byte for byte as it was kept.
func (s *Store) Analysis(ctx context.Context, actor identity.Actor, key surge.Key) ([]byte, error) {
	e, err := s.Episode(ctx, actor, key)
	if err != nil {
		return nil, err
	}
	if err := s.Keeps(); err != nil {
		return nil, err
	}
	d, err := blob.Parse(e.Analysis)
	if err != nil {
		return nil, err
	}
	return s.BytesOf(ctx, actor.Org, d, analysis.MaxBytes)
}

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
	if err := s.rules.May(actor, ActRead); err != nil {
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
	if err := errors.Join(s.rules.May(actor, ActRead), s.Keeps()); err != nil {
		return a, nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, answersOf+` and n = $2`, string(key), n)
		a, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Answer])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return a, nil, fault.New(fault.NotFound, "%.80s has no answer %d", key, n).WithNext("open the episode and see its answers").
			Because("no_answer", "id", strconv.Itoa(n))
	}
	if err != nil {
		return a, nil, err
	}
	d, err := blob.Parse(a.Analysis)
	if err != nil {
		return a, nil, err
	}
	body, err = s.BytesOf(ctx, actor.Org, d, analysis.MaxBytes)
	return a, body, err
}

// Going lists the episodes that were not over when they were last seen, those that
// began last first.
func (s *Store) Going(ctx context.Context, actor identity.Actor) (all []Episode, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
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

// Known are the episodes of a board that were found under the keys it has for them.
func (s *Store) Known(ctx context.Context, actor identity.Actor, board analysis.Board) (out []surge.Key, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
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

// MaxHistory bounds the episodes that patterns are counted of: thirty stations with
// one each week, for ten years.
const MaxHistory = 16000

// History reads what patterns are counted of, those that began last first. all is
// false where there are more than are counted.
func (s *Store) History(ctx context.Context, actor identity.Actor) (out []pattern.Episode, all bool, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, false, err
	}
	const every = `select e.site_id, e.station, e.start_at, a.verdict, a.first_state, a.district, a.satellites
		from airshed.episode e join airshed.answer a on a.org = e.org and a.key = e.key and a.n = e.answers
		order by e.start_at desc, e.key desc limit $1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, every, MaxHistory+1)
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
	if len(out) > MaxHistory {
		return out[:MaxHistory], false, err
	}
	return out, true, err
}

// watched are the satellites an analysis had rows of.
func watched(a analysis.Analysis) []string {
	out := []string{}
	for _, name := range a.Fires.Used {
		if len(out) < 40 {
			out = append(out, Cut(string(name), 60))
		}
	}
	return out
}

// upwind is the district of the largest share with its state, where one is known.
func upwind(a analysis.Analysis) string {
	if a.Whose != nil && len(a.Whose.Where) > 0 {
		d := a.Whose.Where[0]
		return Cut(d.District, 120) + ", " + Cut(d.State, 120)
	}
	if len(a.Attribution.Districts) == 0 || a.Attribution.Districts[0].District == "" {
		return ""
	}
	d := a.Attribution.Districts[0]
	return Cut(d.District, 120) + ", " + Cut(d.State, 120)
}

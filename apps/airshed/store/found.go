package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// recordEpisode is the kind of the records of episodes in the log.
const recordEpisode log.Kind = "airshed_episode"

// apart is how far two stretches at one station must lie apart to be two episodes: as
// long as it takes for one to be over.
const apart = 12 * time.Hour

// A Sighting is an episode as one scan sees it.
type Sighting struct {
	Scan    Scan
	At      time.Time // moment of the data
	Episode surge.Episode
	Station string
}

// A found is the episode that a sighting is of, as it was found before.
type found struct {
	Key    surge.Key // empty where nobody has found it yet
	AsOf   time.Time
	Method analysis.Method
}

// known finds the episode that a sighting is of: the one of its key, or one at the
// same station that overlaps with it.
func (g Sighting) known(ctx context.Context, tx pgx.Tx) (was found, err error) {
	const one = `select key, as_of, method from airshed.episode where key = $1 or site_id = $2 and start_at <= $4
		and last_at + make_interval(secs => $5) >= $3
		order by key = $1 desc, start_at limit 1`
	e := g.Episode
	err = tx.QueryRow(ctx, one, string(e.Key), string(e.Site), e.Start.Start(), e.Last.End(), apart.Seconds()).
		Scan(&was.Key, &was.AsOf, &was.Method)
	if errors.Is(err, pgx.ErrNoRows) {
		return found{}, nil
	}
	return was, err
}

// hold lets one transaction at a time look at the episodes of a station.
func (g Sighting) hold(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, Name+"/"+string(org)+"/"+string(g.Episode.Site))
	return err
}

// News reports whether a sighting says anything that is not known yet: data that are
// no newer than what counted last do not.
func (s *Store) News(ctx context.Context, org identity.Org, g Sighting) (key surge.Key, news bool, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		was, err := g.known(ctx, tx)
		key, news = was.Key, was.Key == "" || g.At.After(was.AsOf)
		return err
	})
	return key, news, err
}

// WriteAnswer writes down what an analysis of a sighting says, unless newer data were
// faster: a new episode, or a further answer about one that was found before. An
// answer that is the last one again is no further one, and one by another method than the
// episode's, which somebody else found meanwhile, is to be made again.
func (s *Store) WriteAnswer(ctx context.Context, org identity.Org, g Sighting, a analysis.Analysis, digest blob.Digest) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if err := g.hold(ctx, tx, org); err != nil {
			return err
		}
		was, err := g.known(ctx, tx)
		if err != nil || was.Key != "" && !g.At.After(was.AsOf) {
			return err
		}
		key, n := was.Key, 1
		if key != "" && was.Method != a.Method() {
			return fault.New(fault.Unavailable, "episode %s is answered by %s, and was found meanwhile", key, was.Method)
		}
		if key == "" {
			key = g.Episode.Key
			err = s.found(ctx, tx, org, g, a.Method())
		} else {
			n, err = s.again(ctx, tx, key, g, digest)
		}
		if err != nil || n == 0 {
			return err
		}
		if err := s.addAnswer(ctx, tx, org, key, n, g, a, digest); err != nil {
			return err
		}
		return s.follow(ctx, tx, org, key, g)
	})
}

// found writes a new episode down.
func (s *Store) found(ctx context.Context, tx pgx.Tx, org identity.Org, g Sighting, by analysis.Method) error {
	const insert = `insert into airshed.episode (org, key, site_id, station, start_at, last_at, over, as_of, answers, first_scan, last_scan,
		found_at, seen_at, method)
		values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9, $10, $10, $11)`
	e := g.Episode
	_, err := tx.Exec(ctx, insert, org, string(e.Key), string(e.Site), g.Station, e.Start.Start(), e.Last.End(), !e.Open(), g.At, g.Scan.ID,
		s.clock.Now(), by)
	return err
}

// again notes that an episode was seen in newer data, and gives the number of a
// further answer: none where it would be the last one again.
func (s *Store) again(ctx context.Context, tx pgx.Tx, key surge.Key, g Sighting, digest blob.Digest) (n int, err error) {
	if err := s.seen(ctx, tx, key, g); err != nil {
		return 0, err
	}
	const next = `update airshed.episode e set answers = e.answers + 1
		from airshed.answer a where e.key = $1 and a.key = e.key and a.n = e.answers and a.analysis <> $2 returning e.answers`
	err = tx.QueryRow(ctx, next, string(key), digest.String()).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// seen notes how long an episode has gone on by newer data.
func (s *Store) seen(ctx context.Context, tx pgx.Tx, key surge.Key, g Sighting) error {
	const note = `update airshed.episode set last_at = greatest(last_at, $2), over = $3, as_of = $4, last_scan = $5, seen_at = $6
		where key = $1 and as_of < $4`
	_, err := tx.Exec(ctx, note, string(key), g.Episode.Last.End(), !g.Episode.Open(), g.At, g.Scan.ID, s.clock.Now())
	return err
}

func (s *Store) addAnswer(ctx context.Context, tx pgx.Tx, org identity.Org, key surge.Key, n int, g Sighting, a analysis.Analysis,
	digest blob.Digest) error {
	now := s.clock.Now()
	const insert = `insert into airshed.answer (org, key, n, as_of, peak_index, verdict, first_state, data, analysis, scan, at, satellites,
		district)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	_, err := tx.Exec(ctx, insert, org, string(key), n, g.At, a.Episode.PeakIndex, string(a.Attribution.Verdict), a.Attribution.First,
		g.Scan.Data, digest.String(), g.Scan.ID, now,
		watched(a), upwind(a))
	if err != nil {
		return err
	}
	_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordEpisode, App: Name, Actor: identity.Gavel(org), Subject: string(key),
		Body: map[string]any{"did": "answered", "answer": n, "scan": g.Scan.ID, "data": g.Scan.Data, "analysis": digest.String(),
			"verdict": string(a.Attribution.Verdict), "first": a.Attribution.First}})
	return err
}

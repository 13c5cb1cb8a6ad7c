package store

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
)

// fireRows is how many detections are written by one statement.
const fireRows = 20_000

// KeepReference writes the program's own lists, where they are new. A row that is there
// already stays as it is.
func (s *Store) KeepReference(ctx context.Context) error {
	stations, err := ownStations()
	if err != nil {
		return err
	}
	book, source, err := ownBook()
	if err != nil {
		return err
	}
	return s.db.InNone(ctx, func(tx pgx.Tx) error {
		if _, err := s.addStations(ctx, tx, stations); err != nil {
			return err
		}
		_, err := s.addCitations(ctx, tx, book, source)
		return err
	})
}

// KeepFires writes detections of one file, each once, and says how many were new.
// They go over as lists, a column each: the role of requests may make no table to
// copy into.
func (s *Store) KeepFires(ctx context.Context, all []fire.Detection, source blob.Digest) (fresh int64, err error) {
	const insert = `insert into ref.fire (acquired, satellite, lat, lon, version, frp, confidence, daynight, source)
		select *, $9 from unnest($1::timestamptz[], $2::text[], $3::integer[], $4::integer[], $5::text[], $6::real[], $7::text[],
		$8::text[])
		on conflict do nothing`
	for some := range slices.Chunk(all, fireRows) {
		var at []time.Time
		var satellite, version, confidence, light []string
		var lat, lon []int32
		var frp []float32
		for _, d := range some {
			at, satellite, version = append(at, d.Time), append(satellite, string(d.Satellite)), append(version, d.Version)
			lat, lon, frp = append(lat, hundredThousandths(d.At.Lat)), append(lon, hundredThousandths(d.At.Lon)),
				append(frp, float32(d.FRP))
			confidence, light = append(confidence, d.Confidence.String()), append(light, d.Light.String())
		}
		err := s.db.InNone(ctx, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, insert, at, satellite, lat, lon, version, frp, confidence, light, source[:])
			fresh += tag.RowsAffected()
			return err
		})
		if err != nil {
			return fresh, err
		}
	}
	return fresh, nil
}

func hundredThousandths(degrees float64) int32 { return int32(math.Round(degrees * 1e5)) }

// A RefStation is a place where the air is measured, as it is from a day on.
type RefStation struct {
	surge.Listed

	Source string // digest of the file it came in
	At     time.Time
}

const stationColumns = `site_id, valid_from, name, agency, lat, lon, kind, city, source, recorded_at`

// listedOn is the day on which the program's own list of stations was made.
var listedOn = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// ownStations are the stations this version of the program was made with.
func ownStations() ([]RefStation, error) {
	all := surge.Stations()
	file, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	out := make([]RefStation, len(all))
	for i, s := range all {
		out[i] = RefStation{Listed: s.Row(listedOn), Source: blob.Sum(file).String()}
	}
	return out, nil
}

func ownBook() (lawbook.Book, blob.Digest, error) {
	book, err := lawbook.Known()
	if err != nil {
		return book, blob.Digest{}, err
	}
	file, err := json.Marshal(book)
	return book, blob.Sum(file), err
}

// addStations writes stations that are not there yet, and says how many those were.
func (s *Store) addStations(ctx context.Context, tx pgx.Tx, all []RefStation) (fresh int64, err error) {
	const insert = `insert into ref.station (` + stationColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		on conflict do nothing`
	now := s.clock.Now()
	for _, st := range all {
		tag, err := tx.Exec(ctx, insert, st.Site, st.ValidFrom, st.Name, st.Agency, st.Lat, st.Lon, st.Kind, st.City,
			st.Source, now)
		if err != nil {
			return fresh, err
		}
		fresh += tag.RowsAffected()
	}
	return fresh, nil
}

// addCitations writes the provisions of a book that are not there yet, and says how
// many those were.
func (s *Store) addCitations(ctx context.Context, tx pgx.Tx, b lawbook.Book, source blob.Digest) (fresh int64, err error) {
	const insert = `insert into ref.citation (id, verified_on, number, date, title, subjects, addressees, says, origin, certainty, source,
		recorded_at)
		values ($1, $2::text::date, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`
	now := s.clock.Now()
	for _, c := range b.Citations {
		tag, err := tx.Exec(ctx, insert, string(c.ID), c.VerifiedOn, c.Number, c.Date, c.Title, c.Subjects, c.Addressees, c.Says, c.Source,
			c.Certainty, source.String(), now)
		if err != nil {
			return fresh, err
		}
		fresh += tag.RowsAffected()
	}
	return fresh, nil
}

// Stations are the stations to ask about at a moment: the program's own list, and over it
// what was imported before and holds on that day.
func (s *Store) Stations(ctx context.Context, at time.Time) ([]surge.Station, error) {
	rows, err := s.Listed(ctx, at)
	all, _ := surge.Over(surge.Stations(), rows, at)
	return all, err
}

// Listed is every row about stations that was on record at a moment, from whichever day on
// it holds. Rows that the program wrote of its own list say nothing new, and are no harm.
func (s *Store) Listed(ctx context.Context, at time.Time) (all []surge.Listed, err error) {
	const known = `select site_id, valid_from, name, agency, lat, lon, kind, city from ref.station where recorded_at <= $1
		order by site_id, valid_from`
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, known, at)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[surge.Listed])
		return err
	})
	return all, err
}

// RefStations lists stations by site, each as it is said to be last, from behind a
// site on, which may be empty.
func (s *Store) RefStations(ctx context.Context, actor identity.Actor, after string, limit int) (all []RefStation, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select distinct on (site_id) ` + stationColumns + ` from ref.station where site_id > $1 order by site_id, valid_from desc
		limit $2`
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RefStation])
		return err
	})
	return all, err
}

// A RefCitation is a provision, as its source said when it was last looked at.
type RefCitation struct {
	ID         string
	VerifiedOn time.Time
	Number     string
	Date       string
	Title      string
	Subjects   []string
	Addressees []string
	Says       string
	Origin     string // where it was read
	Certainty  string
	Source     string // digest of the book it came in
}

// RefCitations lists provisions by id, each as it was verified last, from behind an
// id on, which may be empty.
func (s *Store) RefCitations(ctx context.Context, actor identity.Actor, after string, limit int) (all []RefCitation, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select distinct on (id) id, verified_on, number, date, title, subjects, addressees, says, origin, certainty, source
		from ref.citation where id > $1 order by id, verified_on desc limit $2`
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RefCitation])
		return err
	})
	return all, err
}

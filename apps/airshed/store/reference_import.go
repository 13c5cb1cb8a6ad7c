package store

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// recordReference is the kind of the records of imported reference data in the log.
const recordReference log.Kind = "airshed_reference"

// An Imported is what an import of reference data added.
type Imported struct {
	Kind   string // stations, citations
	Rows   int    // of the file
	Fresh  int64  // that were not there yet
	SHA256 string
}

// ImportStations adds stations from a CSV file. Who may is asked by who calls it: they
// count for every organisation.
func (s *Store) ImportStations(ctx context.Context, actor identity.Actor, file []byte, name string) (Imported, error) {
	all, err := readStations(file)
	if err != nil {
		return Imported{}, err
	}
	i := Imported{Kind: "stations", Rows: len(all), SHA256: blob.Sum(file).String()}
	return s.refer(ctx, actor, i, file, name, func(tx pgx.Tx) (int64, error) { return s.addStations(ctx, tx, all) })
}

// ImportCitations adds provisions from a book of law, a JSON file. Who may is asked by who
// calls it.
func (s *Store) ImportCitations(ctx context.Context, actor identity.Actor, file []byte, name string) (Imported, error) {
	book, err := lawbook.Read(file)
	if err != nil {
		return Imported{}, err
	}
	i := Imported{Kind: "citations", Rows: len(book.Citations), SHA256: blob.Sum(file).String()}
	return s.refer(ctx, actor, i, file, name, func(tx pgx.Tx) (int64, error) { return s.addCitations(ctx, tx, book, blob.Sum(file)) })
}

// refer keeps a file, writes its rows and puts that on record.
func (s *Store) refer(ctx context.Context, actor identity.Actor, i Imported, file []byte, name string, add func(pgx.Tx) (int64, error)) (Imported, error) {
	_, err := s.kept.Take(ctx, identity.Gavel(actor.Org), evidence.Receipt{Source: ReferenceSource, Place: name}, bytes.NewReader(file))
	if err != nil {
		return Imported{}, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if i.Fresh, err = add(tx); err != nil {
			return err
		}
		_, err := log.Append(ctx, tx, log.Record{At: s.clock.Now(), Kind: recordReference, App: Name, Actor: actor, Subject: i.SHA256,
			Body: map[string]any{"did": "imported", "what": i.Kind, "rows": i.Rows, "fresh": i.Fresh}})
		return err
	})
	return i, err
}

// Bounds of a file of stations.
const (
	maxStations    = 5_000
	maxStationFile = surge.MaxStationFile
)

var (
	siteForm       = regexp.MustCompile(`^[a-z0-9_-]{1,60}$`)
	stationHeading = []string{"site_id", "name", "agency", "latitude", "longitude", "kind", "valid_from"}
)

// readStations reads a CSV file of stations, all of it or nothing.
func readStations(file []byte) ([]RefStation, error) {
	if len(file) > maxStationFile {
		return nil, fault.New(fault.TooLarge, "a file of stations has at most %d MB", maxStationFile>>20)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff"))))
	r.FieldsPerRecord = len(stationHeading)
	heading, err := r.Read()
	if err != nil || !slices.Equal(heading, stationHeading) {
		return nil, fault.New(fault.Invalid, "the file of stations does not begin with the heading %s", strings.Join(stationHeading, ","))
	}
	source := blob.Sum(file).String()
	var all []RefStation
	for line := 2; ; line++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if len(all) == maxStations {
			return nil, fault.New(fault.TooLarge, "a file of stations has at most %d rows", maxStations)
		}
		st, ok := stationOf(row)
		if err != nil || !ok {
			return nil, fault.New(fault.Invalid, "row %d of the stations cannot be used", line).
				WithNext("write a site_id of a-z, 0-9, - and _, a name, an agency, degrees, border, interior or other, and a day as 2026-01-31")
		}
		st.Source = source
		all = append(all, st)
	}
	if len(all) == 0 {
		return nil, fault.New(fault.Invalid, "the file has no station")
	}
	return all, nil
}

func stationOf(row []string) (st RefStation, ok bool) {
	if len(row) != len(stationHeading) {
		return st, false
	}
	var err1, err2, err3 error
	st = RefStation{Site: row[0], Name: strings.TrimSpace(row[1]), Agency: strings.TrimSpace(row[2]), Kind: row[5]}
	st.Lat, err1 = strconv.ParseFloat(row[3], 64)
	st.Lon, err2 = strconv.ParseFloat(row[4], 64)
	st.ValidFrom, err3 = time.Parse(time.DateOnly, row[6])
	return st, errors.Join(err1, err2, err3) == nil && siteForm.MatchString(st.Site) && shortName(st.Name, 200) && shortName(st.Agency, 100) &&
		st.Lat >= -90 && st.Lat <= 90 && st.Lon >= -180 && st.Lon <= 180 && slices.Contains([]string{"border", "interior", otherStation}, st.Kind) && st.ValidFrom.Year() >= 1900
}

// shortName reports whether a text is a name that can be kept and shown on a line.
func shortName(s string, most int) bool {
	return s != "" && len(s) <= most && strings.ToValidUTF8(s, "") == s && !strings.ContainsFunc(s, unicode.IsControl)
}

package store

import (
	"bytes"
	"context"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/intake"
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
func (s *Store) refer(ctx context.Context, actor identity.Actor, i Imported, file []byte, name string,
	add func(pgx.Tx) (int64, error),
) (Imported, error) {
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

var siteForm = regexp.MustCompile(`^[a-z0-9_-]{1,60}$`)

// stationTable is how a file of stations looks. A row may be there twice.
var stationTable = intake.Table[RefStation]{Name: "stations",
	Key: func(s *RefStation) string { return s.Site + " " + s.ValidFrom.Format(time.DateOnly) },
	Fields: []intake.Field[RefStation]{
		intake.Matches("site_id", siteForm, func(s *RefStation) *string { return &s.Site }),
		intake.Named("name", 200, func(s *RefStation) *string { return &s.Name }),
		intake.Named("agency", 100, func(s *RefStation) *string { return &s.Agency }),
		intake.Number("latitude", -90, 90, func(s *RefStation) *float64 { return &s.Lat }),
		intake.Number("longitude", -180, 180, func(s *RefStation) *float64 { return &s.Lon }),
		intake.Required(intake.Choice("kind", func(s *RefStation) *string { return &s.Kind }, "border", "interior", otherStation)),
		intake.Again(intake.Day("valid_from", func(s *RefStation) *time.Time { return &s.ValidFrom })),
	}}

// readStations reads a CSV file of stations, all of it or nothing.
func readStations(file []byte) ([]RefStation, error) {
	if len(file) > maxStationFile {
		return nil, fault.New(fault.TooLarge, "a file of stations has at most %d MB", maxStationFile>>20)
	}
	f, err := intake.Read(stationTable, file)
	switch {
	case err != nil:
		return nil, err
	case f.Count > 0:
		return nil, fault.New(fault.Invalid, "row %d of the stations cannot be used: %s", f.List[0].Line, f.List[0].Reason).
			WithNext("write a site_id of a-z, 0-9, - and _. Add name, agency, degrees, a kind (border, interior, other), and a day as " +
				"2026-01-31")
	case len(f.Rows) == 0:
		return nil, fault.New(fault.Invalid, "the file has no station")
	case f.Lines > maxStations:
		return nil, fault.New(fault.TooLarge, "a file of stations has at most %d rows", maxStations)
	}
	source := blob.Sum(file).String()
	all := make([]RefStation, len(f.Rows))
	for i, row := range f.Rows {
		all[i] = row.Value
		all[i].Source = source
	}
	return all, nil
}

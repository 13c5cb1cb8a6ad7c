package store

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
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

// readStations reads a CSV file of stations, all of it or nothing.
func readStations(file []byte) ([]RefStation, error) {
	rows, err := surge.ReadListed(file)
	all := make([]RefStation, len(rows))
	for i, row := range rows {
		all[i] = RefStation{Listed: row, Source: blob.Sum(file).String()}
	}
	return all, err
}

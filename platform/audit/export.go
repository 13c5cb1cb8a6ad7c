package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Departure is a file that leaves the system, as its record of kind Export
// tells it. The file itself is not kept: its SHA-256 is enough to know it again.
type Departure struct {
	File    string      // what it is: "report", "records", "bundle", or one of those below
	Name    string      // what people call it, such as a report's number; may be empty
	Subject string      // what it is about: a case, or "log"
	SHA256  blob.Digest // of the whole file
	Size    int64       // in bytes
	Rows    int         // of a list; zero for other files

	// Of a report: the digest of the id printed in it, and of the list of the
	// numbers it showed. The id itself is not on record: who has it has the report.
	Report  blob.Digest
	Numbers blob.Digest
}

// What a paper is that an application makes for an office elsewhere, and people decide
// about: its files are the same bytes before and after.
const (
	Filed     = "filed"     // as it was filed
	Rehearsed = "rehearsed" // filed with what stands in for that office, and so with nobody
	Drafted   = "draft"     // handed out, and not filed when it was
)

// departureBody is a Departure as the record's body spells it.
type departureBody struct {
	Bundle  string `json:"bundle,omitempty"` // a bundle's record names its digest so
	File    string `json:"file,omitempty"`
	Name    string `json:"name,omitempty"`
	Numbers string `json:"numbers,omitempty"`
	Report  string `json:"report,omitempty"`
	Rows    int    `json:"rows,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Size    int64  `json:"size"`
}

// NoteExport puts on record that a file leaves, in the caller's transaction.
// Only then may its first byte go out.
func NoteExport(ctx context.Context, tx pgx.Tx, actor identity.Actor, at time.Time, d Departure) (RecordID, error) {
	if !kindForm.MatchString(d.File) || d.File == "bundle" || d.SHA256.IsZero() || d.Size < 0 {
		return "", fault.New(fault.Internal, "a file that leaves has a kind and a digest; bundles record their own")
	}
	body := departureBody{File: d.File, Name: d.Name, SHA256: d.SHA256.String(), Size: d.Size, Rows: d.Rows}
	if !d.Report.IsZero() {
		body.Report, body.Numbers = d.Report.String(), d.Numbers.String()
	}
	return Append(ctx, tx, Record{At: at, Kind: Export, Actor: actor, Subject: d.Subject, Body: body})
}

// NoteExportOnce is NoteExport for a file that is kept and may be handed out every day:
// where the organisation has it on record as what it is, nothing is added.
func NoteExportOnce(ctx context.Context, tx pgx.Tx, actor identity.Actor, at time.Time, d Departure) error {
	rows, _ := tx.Query(ctx, entryColumns+leftAs+` and r.org = $2 order by r.id desc limit $3`, d.SHA256.String(), actor.Org, maxSame)
	known, err := pgx.CollectRows(rows, scanAny)
	if err != nil {
		return fmt.Errorf("find the record of a file: %w", err)
	}
	for _, e := range known {
		if left, ok := e.Left(); ok && left.File == d.File && left.SHA256 == d.SHA256 {
			return nil
		}
	}
	_, err = NoteExport(ctx, tx, actor, at, d)
	return err
}

// Left reads what an entry says about a file that left; false for a record of
// anything else.
func (e Entry) Left() (Departure, bool) {
	raw, _ := e.Record.Body.(json.RawMessage)
	var b departureBody
	if e.Record.Kind != Export || json.Unmarshal(raw, &b) != nil {
		return Departure{}, false
	}
	d := Departure{File: b.File, Name: b.Name, Subject: e.Record.Subject, Size: b.Size, Rows: b.Rows}
	if b.Bundle != "" {
		d.File, b.SHA256 = "bundle", b.Bundle
	}
	var err error
	if d.SHA256, err = blob.Parse(b.SHA256); err != nil {
		return Departure{}, false
	}
	if b.Report != "" {
		report, err := blob.Parse(b.Report)
		numbers, err2 := blob.Parse(b.Numbers)
		if err != nil || err2 != nil {
			return Departure{}, false
		}
		d.Report, d.Numbers = report, numbers
	}
	return d, true
}

// The expressions are those of the indexes, to the letter: another spelling
// reads every record.
const (
	leftAs     = ` where r.kind = 'export' and substring(r.json from '"(?:bundle|sha256)":"([0-9a-f]{64})"') = $1`
	leftReport = ` where r.kind = 'export' and substring(r.json from '"report":"([0-9a-f]{64})"') = $1`
)

// FindExport finds the record of the first time that a file with these bytes
// left, whichever organisation let it go: who has the file may ask. Of a paper that
// was filed it is the filing, also where its drafts had the same bytes before. NotFound
// means that none did.
func (r *Reader) FindExport(ctx context.Context, sum blob.Digest) (Entry, Departure, error) {
	return r.findLeft(ctx, leftAs, sum, func(d Departure) bool { return d.SHA256 == sum })
}

// FindReport finds the record of a report by the digest of the id printed in it.
func (r *Reader) FindReport(ctx context.Context, id blob.Digest) (Entry, Departure, error) {
	return r.findLeft(ctx, leftReport, id, func(d Departure) bool { return d.Report == id })
}

// maxSame bounds how many departures of the same bytes are looked at.
const maxSame = 20

// draftsLast puts what was only a draft behind what became of it.
const draftsLast = ` order by r.json like '%"file":"draft"%', r.id limit `

func (r *Reader) findLeft(ctx context.Context, where string, sum blob.Digest, is func(Departure) bool) (Entry, Departure, error) {
	rows, _ := r.system.Query(ctx, entryColumns+where+draftsLast+strconv.Itoa(maxSame), sum.String())
	entries, err := pgx.CollectRows(rows, scanAny)
	if err != nil {
		return Entry{}, Departure{}, fmt.Errorf("find the record of a file: %w", err)
	}
	for _, e := range entries {
		if d, ok := e.Left(); ok && is(d) {
			return e, d, nil
		}
	}
	for _, e := range entries {
		if e.Damage != nil { // it names the digest; nobody can say any more what it said of it
			return Entry{}, Departure{}, e.Damage
		}
	}
	return Entry{}, Departure{}, fault.New(fault.NotFound, "no file with this digest is on record")
}

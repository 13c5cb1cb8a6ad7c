// Package report is for knowing a report again after it has left: a file that
// shows numbers, each tagged with the fact it came from. Note puts on record
// that one leaves; Compare says of a copy with other bytes which numbers are not
// those that left.
//
// The log holds the file's SHA-256, so a copy that was not touched is found by
// audit.Reader.FindExport and needs nothing from here. A copy that was touched
// says which report it was by the id printed in it. The id has 128 bits that
// stand in the file and, in the log, only as a digest: who can name it was given
// the report, and learns from Compare no number that was not in it. Without that
// a public page would tell the facts of a case to who can make up a file.
package report

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of a report.
const (
	MaxBytes   = 16 << 20 // of the file
	MaxNumbers = 20_000
	maxList    = 8 << 20 // of the list of its numbers, in bytes
)

// An ID names one report that left, in the file and nowhere else.
type ID string

// NewID makes the id of a report. Its holder prints it in the file, by Tag.
func NewID() ID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return ID("rpt_" + hex.EncodeToString(b[:]))
}

// Tag is the id as the head of the file shows it.
func (id ID) Tag() string { return `<meta name="gavel-report" content="` + string(id) + `">` }

// digest is what the log holds of the id.
func (id ID) digest() blob.Digest { return blob.Sum([]byte(id)) }

var idTag = regexp.MustCompile(`<meta name="gavel-report" content="(rpt_[0-9a-f]{32})">`)

// IDOf is the id that a file prints first; false for a file that names none.
func IDOf(page []byte) (ID, bool) {
	m := idTag.FindSubmatch(page)
	if m == nil {
		return "", false
	}
	return ID(m[1]), true
}

// A Shelf keeps lists of numbers; blob.Store is one.
type Shelf interface {
	PutBytes(ctx context.Context, data []byte) (blob.Digest, error)
	Bytes(ctx context.Context, d blob.Digest, limit int64) ([]byte, error)
}

// A Desk is where reports leave and come back.
type Desk struct {
	log   *audit.Reader
	shelf Shelf
}

// NewDesk makes a desk.
func NewDesk(log *audit.Reader, shelf Shelf) *Desk { return &Desk{log: log, shelf: shelf} }

// Note puts on record that a report on a case leaves, and keeps the list of its
// numbers. Only then may its first byte go out. Its numbers must be tagged as
// package render tags them, and it must print one id.
func (d *Desk) Note(ctx context.Context, actor identity.Actor, at time.Time, caseID string, page []byte) (audit.RecordID, error) {
	if len(page) > MaxBytes {
		return "", fault.New(fault.TooLarge, "the report has %d bytes; the most is %d", len(page), MaxBytes)
	}
	ids := idTag.FindAllSubmatch(page, 2)
	if len(ids) != 1 {
		return "", fault.New(fault.Invalid, "a report that leaves prints exactly one id").WithNext("put report.NewID().Tag() in its head")
	}
	numbers, odd := Numbers(page)
	if odd > 0 || len(numbers) > MaxNumbers {
		return "", fault.New(fault.Invalid, "the report has %d numbers, of which %d are not tagged as they should be", len(numbers)+odd,
			odd)
	}
	list, err := json.Marshal(numbers)
	if err != nil {
		return "", fmt.Errorf("list the report's numbers: %w", err)
	}
	if len(list) > maxList {
		return "", fault.New(fault.TooLarge, "the list of the report's numbers has %d bytes; the most is %d", len(list), maxList)
	}
	kept, err := d.shelf.PutBytes(ctx, list)
	if err != nil {
		return "", fmt.Errorf("keep the list of the report's numbers: %w", err)
	}
	return d.log.NoteExport(ctx, actor, at, audit.Departure{File: "report", Subject: caseID, SHA256: blob.Sum(page), Size: int64(len(page)),
		Report: ID(ids[0][1]).digest(), Numbers: kept})
}

// A Comparison is a copy held against the report that it says it is.
type Comparison struct {
	Entry       audit.Entry // the record of the report that left
	Left        audit.Departure
	Numbers     int      // in the report that left
	Differences []string // sentences; none if every tagged number is as it left
	More        int      // differences that are not listed
}

// Compare says how a copy differs from the report that left under the id it
// prints. NotFound means that it prints none, or none that is known. That no
// number differs does not make a copy genuine: its bytes differ, so its words
// do, or numbers that were never tagged.
func (d *Desk) Compare(ctx context.Context, page []byte) (Comparison, error) {
	id, ok := IDOf(page)
	if !ok || len(page) > MaxBytes {
		return Comparison{}, fault.New(fault.NotFound, "the file names no report")
	}
	entry, left, err := d.log.FindReport(ctx, id.digest())
	if err != nil {
		return Comparison{}, err
	}
	list, err := d.shelf.Bytes(ctx, left.Numbers, maxList)
	if err != nil {
		return Comparison{}, fmt.Errorf("read the numbers of report %s: %w", entry.ID, err)
	}
	var was []Number
	if err := json.Unmarshal(list, &was); err != nil {
		return Comparison{}, fault.New(fault.Internal, "the kept numbers of report %s cannot be read", entry.ID)
	}
	is, odd := Numbers(page)
	c := Comparison{Entry: entry, Left: left, Numbers: len(was)}
	c.Differences, c.More = differences(was, is, odd)
	return c, nil
}

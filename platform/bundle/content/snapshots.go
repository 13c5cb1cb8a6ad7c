package content

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
)

// The files of the section: the receipts of the bytes, the evidence on the case,
// and the bytes themselves under their SHA-256.
const (
	receiptsFile = "receipts.ndjson"
	piecesFile   = "evidence.ndjson"
	bytesFolder  = "bytes/"
)

func bytesName(sha256 string) string { return bytesFolder + sha256 }

// A receipt is how bytes were first received.
type receipt struct {
	ID        evidence.SnapshotID `json:"id"`
	SHA256    blob.Digest         `json:"sha256"`
	Size      int64               `json:"size"`
	Source    string              `json:"source"`
	FetchedAt time.Time           `json:"fetched_at"`
	Told      string              `json:"content_type"`
	Detected  string              `json:"detected"`
	Licence   string              `json:"licence"`
	Place     string              `json:"place"`
	Actor     actor               `json:"actor"`
	Key       string              `json:"sealed_under,omitempty"`
	Record    audit.RecordID      `json:"record"`
}

// A piece is evidence on the case.
type piece struct {
	ID     string          `json:"id"` // "E3"
	SHA256 blob.Digest     `json:"sha256"`
	Range  *evidence.Range `json:"range"`
	Title  string          `json:"title"`
	Side   evidence.Side   `json:"side"`
	Note   string          `json:"note"`
	At     time.Time       `json:"at"`
	Actor  actor           `json:"actor"`

	ErasedAt *time.Time `json:"erased_at,omitempty"` // title and note were
}

func (s Sources) exportSnapshots(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	found, err := s.Evidence.Pieces(ctx, req.Org, casefile.CaseID(req.Case))
	if err != nil {
		return err
	}
	used := map[string]bool{}
	pieces := make([]piece, len(found))
	for i, p := range found {
		if p.ErasedAt != nil {
			p.Title = ""
		}
		pieces[i] = piece{p.ID(), p.SHA256, p.Range, p.Title, p.Side, p.Note, p.At.UTC(), actor{Kind: p.ActorKind, ID: p.ActorID},
			utc(p.ErasedAt)}
		used[p.SHA256.String()] = true
	}
	book, err := s.Evidence.Book(ctx, req.Org, casefile.CaseID(req.Case))
	if err != nil {
		return err
	}
	for _, f := range book.All() {
		if f.Source != nil && f.Source.Snapshot != "" {
			used[f.Source.Snapshot] = true
		}
	}
	receipts, err := s.putBytes(ctx, w, req, used)
	if err != nil {
		return err
	}
	if err := bundle.Lines(w, receiptsFile, receipts); err != nil {
		return err
	}
	return bundle.Lines(w, piecesFile, pieces)
}

// putBytes puts in the bytes of snapshots as they are kept, sealed ones sealed,
// and returns their receipts in the order of their digests.
func (s Sources) putBytes(ctx context.Context, w *bundle.Writer, req bundle.Request, used map[string]bool) ([]receipt, error) {
	var receipts []receipt
	for _, sum := range slices.Sorted(maps.Keys(used)) {
		d, err := blob.Parse(sum)
		if err != nil {
			return nil, err
		}
		snap, err := s.Evidence.Received(ctx, req.Org, d)
		if err != nil {
			return nil, err
		}
		open := func(ctx context.Context) (io.ReadCloser, error) { return s.Blobs.Open(ctx, d) }
		if err := w.Blob(bytesName(sum), d, snap.Size, open); err != nil {
			return nil, err
		}
		if snap.Sealed() {
			w.Sealed(d)
		}
		w.Cite(snap.Record)
		receipts = append(receipts, receipt{ID: snap.ID, SHA256: d, Size: snap.Size, Source: snap.Source, FetchedAt: snap.FetchedAt.UTC(),
			Told: snap.Told, Detected: snap.Detected, Licence: snap.Licence, Place: snap.Place,
			Actor: actor{Kind: snap.ActorKind, ID: snap.ActorID}, Key: snap.Key, Record: snap.Record})
	}
	return receipts, nil
}

// sealedOnes are the snapshots that cannot be read here.
func sealedOnes(r *bundle.Reader) map[string]bool {
	sealed := map[string]bool{}
	receipts, err := bundle.ReadLines[receipt](r.In("snapshots"), receiptsFile)
	if err != nil {
		return sealed
	}
	for _, one := range receipts {
		if one.Key != "" {
			sealed[one.SHA256.String()] = true
		}
	}
	return sealed
}

// known reports whether a file is one the section writes.
func knownSnapshotFile(name string) bool {
	return name == receiptsFile || name == piecesFile || strings.HasPrefix(name, bytesFolder)
}

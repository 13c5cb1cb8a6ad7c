package evidence

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// A SnapshotID is "snap_" and a ULID: one receipt of bytes.
type SnapshotID string

// A Snapshot is bytes as they were received, once.
type Snapshot struct {
	ID        SnapshotID
	SHA256    blob.Digest // of the bytes; of the envelope, if they are sealed
	Size      int64       // of what lies under SHA256
	Source    string
	FetchedAt time.Time
	Told      string // the content type, as the source said
	Detected  string // the content type, as the bytes look
	Licence   string
	Place     string // where they came from, without secrets
	ActorKind identity.Kind
	ActorID   string
	Key       string // opens the envelope; empty if the bytes are not sealed
	Record    audit.RecordID
}

// Sealed reports whether the bytes are personal data under a key of their own.
func (s Snapshot) Sealed() bool { return s.Key != "" }

// A Receipt is what is known about bytes beside themselves.
type Receipt struct {
	Source      string
	Once        string // the caller's key: the same key again is the same snapshot, whatever the bytes; may be empty
	ContentType string // as the source said
	Place       string // a URL or a file name; secrets in it are hidden before it is kept
	Secrets     []string
	Licence     string         // empty for the source's own
	Subjects    []seal.Subject // whom the bytes concern, for a personal source
	Case        string         // whose hold then protects personal bytes; may be empty
}

// Take receives bytes from a source: they are streamed into the blob store, and
// the row and its record are one transaction. The time is that of the
// installation's clock; nobody can name another. Bytes whose transaction fails
// may stay behind in the blob store, where nothing refers to them.
func (s *Store) Take(ctx context.Context, actor identity.Actor, rc Receipt, body io.Reader) (Snapshot, error) {
	if err := s.mayKeep(actor); err != nil {
		return Snapshot{}, err
	}
	src, known := s.sources[rc.Source]
	if !known {
		return Snapshot{}, fault.New(fault.Invalid, "no source is called %.60q", rc.Source)
	}
	snap, err := s.draft(actor, src, rc)
	if err != nil {
		return Snapshot{}, err
	}
	if old, err := s.taken(ctx, actor.Org, rc); err != nil || old.ID != "" {
		return old, err
	}
	like, err := s.receive(ctx, actor.Org, src, rc, body, &snap)
	if err != nil {
		return Snapshot{}, fmt.Errorf("receive from %s: %w", src.Name, err)
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return insertSnapshot(ctx, tx, actor, rc.Once, like, &snap) })
	if postgres.Violates(err, "fetch_once") {
		return s.taken(ctx, actor.Org, rc)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("keep snapshot of %s: %w", src.Name, err)
	}
	return snap, nil
}

// draft checks a receipt and makes the snapshot it is for, as yet without bytes.
func (s *Store) draft(actor identity.Actor, src Source, rc Receipt) (Snapshot, error) {
	if src.Personal != (len(rc.Subjects) > 0) {
		return Snapshot{}, fault.New(fault.Invalid, "source %s: personal bytes need the persons they concern, and others have none",
			src.Name)
	}
	now := s.clock.Now().Truncate(time.Microsecond)
	snap := Snapshot{
		ID:     SnapshotID("snap_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()),
		Source: src.Name, FetchedAt: now, ActorKind: actor.Kind, ActorID: actor.ID,
	}
	licence := rc.Licence
	if licence == "" {
		licence = src.Licence
	}
	for _, text := range []struct {
		what, text string
		most       int
		to         *string
	}{
		{"the licence", licence, 1000, &snap.Licence},
		{"the content type", rc.ContentType, 200, &snap.Told},
		{"the place", cleanPlace(rc.Place, src.Personal, rc.Secrets), 2000, &snap.Place},
		{"the key of the receipt", rc.Once, 200, new(string)},
	} {
		clean, err := checkText(text.what, text.text, text.most)
		if err != nil {
			return Snapshot{}, err
		}
		*text.to = clean
	}
	return snap, nil
}

// taken is the snapshot that was taken under the receipt's key, if there is one.
func (s *Store) taken(ctx context.Context, org identity.Org, rc Receipt) (snap Snapshot, err error) {
	if rc.Once == "" {
		return Snapshot{}, nil
	}
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		snap, err = oneSnapshot(ctx, tx, `where f.source = $1 and f.once = $2`, rc.Source, rc.Once)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Snapshot{}, nil
	}
	return snap, err
}

// receive stores the bytes, fills in what they say, and tells their shape.
func (s *Store) receive(ctx context.Context, org identity.Org, src Source, rc Receipt, body io.Reader,
	snap *Snapshot) (like string, err error) {
	limit := src.MaxBytes
	if limit == 0 {
		limit = DefaultMaxBytes
	}
	head := &beginning{r: body}
	if !src.Personal {
		snap.SHA256, snap.Size, err = s.blobs.Limited(limit).Put(ctx, head)
		snap.Detected = detect(head.first())
		return shape(head.seen), err
	}
	limit = min(limit, seal.MaxPlain)
	plain, err := io.ReadAll(io.LimitReader(head, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(plain)) > limit {
		return "", fault.New(fault.TooLarge, "personal bytes of %s may have at most %d bytes", src.Name, limit)
	}
	part, err := s.vault.SealBlob(ctx, org, seal.Matter{Subjects: rc.Subjects, Case: rc.Case, Purpose: sealedAs}, plain)
	clear(plain)
	if err != nil {
		return "", err
	}
	snap.SHA256, snap.Key, snap.Detected = part.Ciphertext, part.Key, detect(head.first())
	snap.Size, err = s.blobs.Stat(ctx, part.Ciphertext)
	return snap.Detected, err // the digest of a head could be guessed, and would outlive the bytes
}

// sealedAs is the purpose under which personal bytes are sealed and opened.
const sealedAs = "snapshot"

// A beginning passes bytes on and remembers the first of them.
type beginning struct {
	r    io.Reader
	seen []byte
}

// Read remembers what detect and shape need.
func (b *beginning) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.seen = append(b.seen, p[:min(n, headBytes-len(b.seen))]...)
	return n, err
}

// headBytes is how much of a document is looked at for its shape.
const headBytes = 16 << 10

// first is what a kind is told by.
func (b *beginning) first() []byte { return b.seen[:min(len(b.seen), 512)] }

func insertSnapshot(ctx context.Context, tx pgx.Tx, actor identity.Actor, once, like string, snap *Snapshot) error {
	body := map[string]any{"sha256": snap.SHA256, "size": snap.Size, "source": snap.Source, "detected": snap.Detected}
	if snap.Sealed() {
		body["sealed"] = audit.Sealed{Ciphertext: snap.SHA256, Key: snap.Key}
	} else if snap.Place != "" {
		body["place_sha256"] = blob.Sum([]byte(snap.Place))
	}
	record, err := audit.Append(ctx, tx, audit.Record{
		At: snap.FetchedAt, Kind: audit.Snapshot, Actor: actor, Subject: string(snap.ID), Body: body,
	})
	if err != nil {
		return err
	}
	snap.Record = record
	const insert = `
		with bytes as (
			insert into gavel.snapshot (org, sha256, size, detected, key, shape)
			values ($1, $2, $3, $4, nullif($5, ''), $16) on conflict (org, sha256) do nothing)
		insert into gavel.fetch (org, id, sha256, source, once, fetched_at, told, place, licence, actor_kind, actor_id, record_id)
		values ($1, $6, $2, $7, nullif($8, ''), $9, $10, $11, $12, $13, $14, $15)`
	_, err = tx.Exec(ctx, insert, actor.Org, snap.SHA256, snap.Size, snap.Detected, snap.Key, snap.ID, snap.Source, once,
		snap.FetchedAt, snap.Told, snap.Place, snap.Licence, snap.ActorKind, snap.ActorID, snap.Record, like)
	return err
}

const snapshotColumns = `select f.id, f.sha256, b.size, f.source, f.fetched_at, f.told, b.detected, f.licence, f.place,
		f.actor_kind, f.actor_id, coalesce(b.key, ''), f.record_id
	from gavel.fetch f join gavel.snapshot b on b.org = f.org and b.sha256 = f.sha256 `

func oneSnapshot(ctx context.Context, tx pgx.Tx, where string, args ...any) (Snapshot, error) {
	rows, _ := tx.Query(ctx, snapshotColumns+where, args...)
	snap, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[Snapshot])
	snap.FetchedAt = snap.FetchedAt.UTC()
	return snap, err
}

// Snapshot reads one receipt.
func (s *Store) Snapshot(ctx context.Context, org identity.Org, id SnapshotID) (snap Snapshot, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		snap, err = oneSnapshot(ctx, tx, `where f.id = $1`, id)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Snapshot{}, fault.New(fault.NotFound, "no snapshot is called %.60q", id)
	}
	return snap, err
}

// Received is how an organisation first received these bytes. Bytes that only
// others received are not found.
func (s *Store) Received(ctx context.Context, org identity.Org, d blob.Digest) (snap Snapshot, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		snap, err = oneSnapshot(ctx, tx, `where f.sha256 = $1 order by f.fetched_at, f.id limit 1`, d)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Snapshot{}, fault.New(fault.NotFound, "no snapshot has the SHA-256 %s", d)
	}
	return snap, err
}

// A SnapshotQuery narrows a list of snapshots.
type SnapshotQuery struct {
	Source string      // empty for all
	SHA256 blob.Digest // zero for all
	Before SnapshotID  // page token: taken before this one
	Limit  int         // 1 to 200; zero means 50
}

// Snapshots reads receipts, newest first.
func (s *Store) Snapshots(ctx context.Context, org identity.Org, q SnapshotQuery) (out []Snapshot, err error) {
	if q.Limit < 0 || q.Limit > 200 {
		return nil, fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", q.Limit)
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	digest := ""
	if !q.SHA256.IsZero() {
		digest = q.SHA256.String()
	}
	const page = snapshotColumns + `where ($1 = '' or f.source = $1) and ($2 = '' or f.sha256 = $2) and ($3 = '' or f.id < $3)
		order by f.id desc limit $4`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, q.Source, digest, q.Before, q.Limit)
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Snapshot])
		return err
	})
	for i := range out {
		out[i].FetchedAt = out[i].FetchedAt.UTC()
	}
	return out, err
}

// Open streams the bytes of a snapshot that the organisation has received,
// unsealed if they are sealed. They are proven only when io.EOF is reached. Bytes
// that were erased are not found.
func (s *Store) Open(ctx context.Context, org identity.Org, d blob.Digest) (io.ReadCloser, error) {
	snap, err := s.Received(ctx, org, d)
	if err != nil {
		return nil, err
	}
	if !snap.Sealed() {
		return s.blobs.Open(ctx, d)
	}
	if s.vault == nil {
		return nil, fault.New(fault.Refused, "snapshot %s is sealed, and there is no vault here to open it", d)
	}
	plain, err := s.vault.OpenBlob(ctx, org, sealedAs, d)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(plain)), nil
}

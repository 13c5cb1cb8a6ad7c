package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Piece is a snapshot, or rows of one, put on a case.
type Piece struct {
	Case      casefile.CaseID
	Number    int // E1 is number 1
	SHA256    blob.Digest
	Range     *Range // nil for the whole snapshot
	Title     string
	Side      Side
	Note      string
	At        time.Time
	ActorKind identity.Kind
	ActorID   string
	ErasedAt  *time.Time // title and note were erased then; the title is casefile.ErasedText here
}

// ID is what people call the piece: "E3".
func (p Piece) ID() string { return "E" + strconv.Itoa(p.Number) }

// A Side is what a piece speaks for, seen from what the case claims.
type Side string

// The sides.
const (
	For     Side = "for"
	Against Side = "against"
	Unknown Side = "unknown"
)

// A Range is the part of a snapshot that matters. Exactly one field is set.
type Range struct {
	CSV  *Records          `json:"csv,omitempty"`
	JSON *fact.JSONPointer `json:"json,omitempty"`
	Row  *fact.TableRow    `json:"row,omitempty"`
}

// Records are rows of a CSV document, from 1, both ends included.
type Records struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func (r *Range) check() error {
	if r == nil {
		return nil
	}
	n := 0
	for _, set := range []bool{r.CSV != nil, r.JSON != nil, r.Row != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fault.New(fault.Invalid, "a part of a snapshot is records, a JSON value or a row: one of them")
	}
	if c := r.CSV; c != nil && (c.From < 1 || c.To < c.From) {
		return fault.New(fault.Invalid, "records %d to %d: they are counted from 1, the last is not before the first", c.From, c.To)
	}
	if r.JSON != nil && len(r.JSON.Pointer) > 1600 {
		return fault.New(fault.TooLarge, "a JSON pointer has at most 1600 characters")
	}
	return nil
}

// A Putting asks for a piece to be put on a case.
type Putting struct {
	SHA256 blob.Digest
	Range  *Range
	Title  string
	Side   Side // empty for Unknown
	Note   string
}

// key is the same for the same rows of the same bytes.
func (p Putting) key() (string, []byte, error) {
	var part []byte
	if p.Range != nil {
		var err error
		if part, err = json.Marshal(p.Range); err != nil {
			return "", nil, err
		}
	}
	sum := sha256.Sum256([]byte(p.SHA256.String() + "\n" + string(part)))
	return hex.EncodeToString(sum[:]), part, nil
}

// Put puts a snapshot or rows of one on a case, with an entry in its history and
// a record in the log. The same rows again are the piece that is there already;
// put says which. The rows must be there: they are looked up in the bytes first.
func (s *Store) Put(ctx context.Context, actor identity.Actor, id casefile.CaseID, p Putting) (piece Piece, put bool, err error) {
	if err := s.mayKeep(actor); err != nil {
		return Piece{}, false, err
	}
	if piece, err = s.draftPiece(actor, id, p); err != nil {
		return Piece{}, false, err
	}
	if _, err := s.show(ctx, actor.Org, p.SHA256, p.Range); err != nil {
		return Piece{}, false, fmt.Errorf("look up evidence: %w", err)
	}
	key, part, err := p.key()
	if err != nil {
		return Piece{}, false, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		waitingFor, err := openCase(ctx, tx, id)
		if err != nil {
			return err
		}
		old, err := pieceBy(ctx, tx, id, key)
		if !errors.Is(err, pgx.ErrNoRows) {
			if err == nil && old.Side != piece.Side {
				err = fault.New(fault.Conflict, "%s is this already, as evidence %s", old.ID(), old.Side)
			}
			piece = old
			return err
		}
		put = true
		return insertPiece(ctx, tx, actor, &piece, key, part, waitingFor)
	})
	return piece, put && err == nil, err
}

func (s *Store) draftPiece(actor identity.Actor, id casefile.CaseID, p Putting) (Piece, error) {
	title, err := checkText("the title", p.Title, 300)
	if err != nil {
		return Piece{}, err
	}
	if title == "" {
		return Piece{}, fault.New(fault.Invalid, "the title is empty")
	}
	note, err := checkText("the note", p.Note, 10_000)
	if err != nil {
		return Piece{}, err
	}
	side := p.Side
	if side == "" {
		side = Unknown
	}
	if side != For && side != Against && side != Unknown {
		return Piece{}, fault.New(fault.Invalid, "evidence is for, against or unknown, not %.20q", side)
	}
	if err := p.Range.check(); err != nil {
		return Piece{}, err
	}
	return Piece{Case: id, SHA256: p.SHA256, Range: p.Range, Title: title, Side: side, Note: note,
		At: s.clock.Now().Truncate(time.Microsecond), ActorKind: actor.Kind, ActorID: actor.ID}, nil
}

const pieceColumns = `select case_id, number, sha256, range, case when erased_at is null then title else '` + casefile.ErasedText + `' end,
	side, note, at, actor_kind, actor_id, erased_at from gavel.evidence `

// entryKey is the key of the entry that says a piece was put on a case.
func entryKey(pieceKey string) string { return "evidence:" + pieceKey }

func pieceBy(ctx context.Context, tx pgx.Tx, id casefile.CaseID, key string) (Piece, error) {
	rows, _ := tx.Query(ctx, pieceColumns+`where case_id = $1 and key = $2`, id, key)
	return pgx.CollectOneRow(rows, pgx.RowToStructByPos[Piece])
}

// insertPiece numbers the piece and adds it, its record and its entry. The case
// is locked.
func insertPiece(ctx context.Context, tx pgx.Tx, actor identity.Actor, p *Piece, key string, part []byte, waitingFor string) error {
	const insert = `
		insert into gavel.evidence (org, case_id, number, key, sha256, range, title, side, note, at, actor_kind, actor_id)
		select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5::text::jsonb, $6, $7, $8, $9, $10, $11 from gavel.evidence
		where case_id = $2
		returning number`
	var text *string
	if part != nil {
		s := string(part)
		text = &s
	}
	err := tx.QueryRow(ctx, insert, actor.Org, p.Case, key, p.SHA256, text, p.Title, p.Side, p.Note, p.At, p.ActorKind, p.ActorID).
		Scan(&p.Number)
	if err != nil {
		return fmt.Errorf("insert evidence of %s: %w", p.Case, err)
	}
	body := map[string]any{"evidence": p.ID(), "sha256": p.SHA256, "side": p.Side, "part": key}
	if _, err := audit.Append(ctx, tx, audit.Record{At: p.At, Kind: RecordEvidence, Actor: actor, Subject: string(p.Case),
		Body: body}); err != nil {
		return err
	}
	_, _, err = casefile.Apply(ctx, tx, p.Case, casefile.Change{
		Key: entryKey(key),
		Entry: casefile.Entry{Kind: "evidence", At: p.At, ActorKind: actor.Kind, ActorID: actor.ID, ActorName: actor.Name,
			Text: p.ID() + ": " + p.Title},
		WaitingFor: waitingFor,
	})
	return err
}

// The kinds of record this package adds to the log.
const (
	RecordEvidence audit.Kind = "evidence" // a piece was put on a case; part is the digest of snapshot and range
	RecordFacts    audit.Kind = "facts"    // facts were entered; sha256 is reperform.BatchDigest of them
)

// Pieces lists the evidence on a case, by number.
func (s *Store) Pieces(ctx context.Context, org identity.Org, id casefile.CaseID) (out []Piece, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, pieceColumns+`where case_id = $1 order by number`, id)
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Piece])
		return err
	})
	for i := range out {
		out[i].At = out[i].At.UTC()
	}
	return out, err
}

// Piece reads one piece of evidence, by the number people say: 3 for E3.
func (s *Store) Piece(ctx context.Context, org identity.Org, id casefile.CaseID, number int) (p Piece, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, pieceColumns+`where case_id = $1 and number = $2`, id, number)
		p, err = pgx.CollectOneRow(rows, pgx.RowToStructByPos[Piece])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Piece{}, fault.New(fault.NotFound, "there is no evidence E%d on this case", number)
	}
	p.At = p.At.UTC()
	return p, err
}

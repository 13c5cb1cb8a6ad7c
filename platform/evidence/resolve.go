package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// around is how many rows an opened source shows on either side.
const around = 3

// An Opening is a fact's source opened at the place it was read from.
type Opening struct {
	Snapshot *Snapshot         // nil if a person entered the value without a document
	Raw      string            // the text that stands there
	Line     int               // of the document, from 1
	Excerpt  *selector.Excerpt // what stands around it; nil where there is nothing to show
	By       string            // who entered it, if a person did
}

// Resolve opens a fact's source at its row. The bytes are hashed to their end
// before anything is returned. A computed fact has inputs instead: Basis.
func (s *Store) Resolve(ctx context.Context, org identity.Org, f fact.Fact) (Opening, error) {
	if f.Source == nil {
		return Opening{}, fault.New(fault.Invalid, "%s was computed: it has inputs, not a source", f.ID)
	}
	sel := f.Source.Selector
	o := Opening{}
	if sel.Manual != nil {
		o.By = sel.Manual.By
	}
	if f.Source.Snapshot == "" {
		return o, nil
	}
	d, err := blob.Parse(f.Source.Snapshot)
	if err != nil {
		return Opening{}, err
	}
	snap, err := s.Received(ctx, org, d)
	if err != nil {
		return Opening{}, err
	}
	found, err := s.find(ctx, org, d, sel)
	if err != nil {
		return Opening{}, fmt.Errorf("open the source of %s: %w", f.Ref(), err)
	}
	o.Snapshot, o.Raw, o.Line, o.Excerpt = &snap, found.Raw, found.Line, found.Excerpt
	return o, found.Err
}

// Show opens a piece of evidence at its first row.
func (s *Store) Show(ctx context.Context, org identity.Org, p Piece) (*selector.Excerpt, error) {
	return s.show(ctx, org, p.SHA256, p.Range)
}

// show looks a range up. A whole snapshot must be there and genuine; it has
// nothing to show but itself.
func (s *Store) show(ctx context.Context, org identity.Org, d blob.Digest, r *Range) (*selector.Excerpt, error) {
	sel := fact.Selector{}
	switch {
	case r == nil:
	case r.CSV != nil:
		return s.showRecords(ctx, org, d, *r.CSV)
	case r.JSON != nil:
		sel.JSON = r.JSON
	default:
		sel.Row = r.Row
	}
	found, err := s.find(ctx, org, d, sel)
	if err != nil {
		return nil, err
	}
	if found.Holds { // it may be evidence, though it is no value
		return s.showMembers(ctx, org, d, sel.JSON.Pointer)
	}
	return found.Excerpt, found.Err
}

// showMembers shows what an object or a list holds.
func (s *Store) showMembers(ctx context.Context, org identity.Org, d blob.Digest, pointer string) (*selector.Excerpt, error) {
	body, err := s.Open(ctx, org, d)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return selector.Members(body, pointer)
}

// showRecords shows the first records of a range, once the last is known to be
// there.
func (s *Store) showRecords(ctx context.Context, org identity.Org, d blob.Digest, r Records) (*selector.Excerpt, error) {
	body, err := s.Open(ctx, org, d)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	excerpt, err := selector.Records(body, r.From, r.To)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, body)
	return excerpt, err
}

// find reads one selector in a snapshot, with its surroundings, to the end of
// the bytes. Without a selector it only proves the bytes.
func (s *Store) find(ctx context.Context, org identity.Org, d blob.Digest, sel fact.Selector) (selector.Found, error) {
	body, err := s.Open(ctx, org, d)
	if err != nil {
		return selector.Found{}, err
	}
	defer body.Close()
	found := []selector.Found{{}}
	switch {
	case sel.CSV != nil:
		found, err = selector.CSV(body, around, *sel.CSV)
	case sel.JSON != nil:
		found, err = selector.JSON(body, around, sel.JSON.Pointer)
	case sel.Row != nil:
		found, err = selector.Rows(body, around, *sel.Row)
	}
	if err != nil {
		return selector.Found{}, err
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return selector.Found{}, err
	}
	return found[0], nil
}

// opener is how reperform reaches an organisation's bytes.
func (s *Store) opener(ctx context.Context, org identity.Org) reperform.Open {
	return func(digest string) (reperform.Bytes, error) {
		d, err := blob.Parse(digest)
		if err != nil {
			return reperform.Bytes{}, err
		}
		snap, err := s.Received(ctx, org, d)
		if err != nil {
			return reperform.Bytes{}, err
		}
		if !snap.Sealed() {
			body, err := s.blobs.Open(ctx, d)
			return reperform.Bytes{ReadCloser: body, SHA256: digest}, err
		}
		body, err := s.Open(ctx, org, d)
		if err != nil {
			return reperform.Bytes{}, err
		}
		plain, err := io.ReadAll(body) // in memory already: the vault opened it
		sum := sha256.Sum256(plain)
		return reperform.Bytes{ReadCloser: io.NopCloser(bytes.NewReader(plain)), SHA256: hex.EncodeToString(sum[:])}, err
	}
}

// Check does one fact again: from its bytes, or from its inputs as they are kept.
// The verdict names what differs. The inputs themselves are not done again;
// Reperform does that for a whole case.
func (s *Store) Check(ctx context.Context, org identity.Org, f fact.Fact) (reperform.Verdict, error) {
	if f.Calc == nil {
		var one reperform.Batch
		one.Add(f)
		return one.Check(s.opener(ctx, org))[0], ctx.Err()
	}
	inputs, err := s.At(ctx, org, casefile.CaseID(f.Case), f.Calc.Inputs)
	if err != nil {
		return reperform.Verdict{}, err
	}
	return reperform.Computed(f, pinned(inputs).find), nil
}

// Reperform does every fact of a case again, down to the bytes.
func (s *Store) Reperform(ctx context.Context, org identity.Org, id casefile.CaseID) (reperform.Report, error) {
	facts, err := s.all(ctx, org, id)
	if err != nil {
		return reperform.Report{}, err
	}
	return reperform.Run(string(id), facts, s.opener(ctx, org)), ctx.Err()
}

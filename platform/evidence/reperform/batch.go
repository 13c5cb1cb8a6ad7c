package reperform

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Batch is facts that were read, to be read again together: each snapshot is
// opened once for each format, however many facts name it.
type Batch struct {
	facts []fact.Fact
	by    map[place][]int
	order []place
}

// A place is one way of reading one snapshot.
type place struct{ snapshot, format string }

// Add puts a fact into the batch.
func (b *Batch) Add(f fact.Fact) {
	p := placeOf(f)
	if b.by == nil {
		b.by = map[place][]int{}
	}
	if len(b.by[p]) == 0 {
		b.order = append(b.order, p)
	}
	b.by[p] = append(b.by[p], len(b.facts))
	b.facts = append(b.facts, f)
}

func placeOf(f fact.Fact) place {
	switch {
	case f.Source == nil:
		return place{}
	case f.Source.Selector.CSV != nil:
		return place{f.Source.Snapshot, "csv"}
	case f.Source.Selector.JSON != nil:
		return place{f.Source.Snapshot, "json"}
	case f.Source.Selector.Row != nil:
		return place{f.Source.Snapshot, "row"}
	case f.Source.Selector.Manual != nil:
		return place{f.Source.Snapshot, "manual"}
	}
	return place{}
}

// Check reads every fact of the batch again. Verdicts come in the order of Add.
func (b *Batch) Check(open Open) []Verdict {
	out := make([]Verdict, len(b.facts))
	for _, p := range b.order {
		at := b.by[p]
		facts := make([]fact.Fact, len(at))
		for i, j := range at {
			facts[i] = b.facts[j]
		}
		for i, v := range p.check(facts, open) {
			out[at[i]] = v
		}
	}
	return out
}

func (p place) check(facts []fact.Fact, open Open) []Verdict {
	out := make([]Verdict, len(facts))
	if p.format == "" {
		for i, f := range facts {
			out[i] = failed(f, "nothing says where it was read")
		}
		return out
	}
	var found []selector.Found
	outcome, err := Fail, error(nil)
	if p.format != "manual" || p.snapshot != "" {
		found, outcome, err = p.find(facts, open)
	}
	for i, f := range facts {
		switch {
		case err != nil:
			out[i] = Verdict{Fact: f.Ref(), Outcome: outcome, Why: words(err), Stored: f.Value}
		case p.format == "manual":
			out[i] = stated(f)
		case found[i].Err != nil:
			out[i] = failed(f, words(found[i].Err))
		default:
			out[i] = Reading(f, found[i].Raw)
		}
	}
	return out
}

// find reads the facts' selectors in the snapshot's bytes. The bytes count only
// once all of them have been hashed.
func (p place) find(facts []fact.Fact, open Open) ([]selector.Found, Outcome, error) {
	if p.snapshot == "" {
		return nil, Fail, fault.New(fault.Invalid, "it names no snapshot it was read from")
	}
	body, err := open(p.snapshot)
	if err != nil {
		return nil, missing(err), err
	}
	defer body.Close()
	sum := sha256.New()
	r := &hashed{body, sum}
	found, formErr := p.read(r, facts)
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, missing(err), readFault(err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != body.SHA256 {
		return nil, Fail, fault.New(fault.Invalid, "the bytes of snapshot %.16s… are not those it was made of: they hash to %.16s…",
			p.snapshot, got)
	}
	return found, missing(formErr), formErr
}

// missing is the outcome where bytes could not be had.
func missing(err error) Outcome {
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Refused, fault.Unavailable:
		return Unread
	}
	return Fail
}

func readFault(err error) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind != fault.Internal {
		return err
	}
	return fault.From(fault.Invalid, err, "its snapshot could not be read to the end")
}

func (p place) read(r io.Reader, facts []fact.Fact) ([]selector.Found, error) {
	switch p.format {
	case "csv":
		cells := make([]fact.CSVCell, len(facts))
		for i, f := range facts {
			cells[i] = *f.Source.Selector.CSV
		}
		return selector.CSV(r, 0, cells...)
	case "json":
		pointers := make([]string, len(facts))
		for i, f := range facts {
			pointers[i] = f.Source.Selector.JSON.Pointer
		}
		return selector.JSON(r, 0, pointers...)
	case "row":
		rows := make([]fact.TableRow, len(facts))
		for i, f := range facts {
			rows[i] = *f.Source.Selector.Row
		}
		return selector.Rows(r, 0, rows...)
	}
	return nil, nil // entered by a person who had these bytes before them
}

// hashed passes bytes on and hashes them.
type hashed struct {
	r   io.Reader
	sum hash.Hash
}

// Read hashes what it passes on.
func (h *hashed) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.sum.Write(p[:n])
	return n, err
}

package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// Digest is an analysis in canonical form and the SHA-256 of that, in hex: the
// snapshot that its facts are read from.
func Digest(a analysis.Analysis) (canonical []byte, sum string, err error) {
	canonical, err = a.JSON()
	if err != nil {
		return nil, "", fmt.Errorf("write the analysis: %w", err)
	}
	s := sha256.Sum256(canonical)
	return canonical, hex.EncodeToString(s[:]), nil
}

// Read reads all facts of an analysis from its canonical form. They have no numbers
// yet: a case gives them, in this order, or Enter does.
func Read(a analysis.Analysis) ([]Named, error) {
	canonical, sum, err := Digest(a)
	if err != nil {
		return nil, err
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("read the analysis: %w", err)
	}
	var out []Named
	for _, s := range Facts(a) {
		number, err := find(tree, s.Pointer)
		if err != nil {
			return nil, err
		}
		f, err := fact.Read(fact.Reading{Kind: s.Kind, Number: number, Unit: s.Unit, Decimals: s.Decimals, AsOf: a.At, Subject: s.Subject,
			Source: fact.Source{Snapshot: sum, Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: s.Pointer}}}})
		if err != nil {
			return nil, fmt.Errorf("fact %s: %w", s.Name, err)
		}
		out = append(out, Named{s.Name, f})
	}
	return out, nil
}

// find is the number at a pointer whose parts need no escapes.
func find(tree any, pointer string) (string, error) {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch v := tree.(type) {
		case map[string]any:
			tree = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return "", fault.New(fault.Internal, "the analysis has nothing at %s", pointer)
			}
			tree = v[i]
		}
	}
	n, ok := tree.(json.Number)
	if !ok {
		return "", fault.New(fault.Internal, "the analysis has no number at %s", pointer)
	}
	return n.String(), nil
}

// Enter gives facts their numbers in a book, for whoever has no case: the command
// line, a stranger who checks.
func Enter(book *fact.Book, read []Named) ([]Named, error) {
	out := make([]Named, len(read))
	for i, n := range read {
		f, err := book.Add(n.Fact)
		if err != nil {
			return nil, fmt.Errorf("fact %s: %w", n.Name, err)
		}
		out[i] = Named{n.Name, f}
	}
	return out, nil
}

// Numbered puts the numbers that a case gave to facts, in the order they were read
// in, beside their names.
func Numbered(read []Named, recorded []fact.Fact) ([]Named, error) {
	if len(read) != len(recorded) {
		return nil, fault.New(fault.Invalid, "%d facts were read and %d recorded", len(read), len(recorded))
	}
	out := make([]Named, len(read))
	for i, f := range recorded {
		if f.Key != read[i].Key {
			return nil, fault.New(fault.Invalid, "fact %s was recorded as something else", read[i].Name)
		}
		out[i] = Named{read[i].Name, f}
	}
	return out, nil
}

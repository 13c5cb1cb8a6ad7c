package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a dataset.
const (
	maxHead  = 64 << 10 // bytes of dataset.json
	maxFile  = 64 << 20 // bytes of cases.jsonl
	maxLine  = 1 << 20  // bytes of one case
	maxCases = 100_000
	maxID    = 100
	maxText  = 2000 // bytes of a name, a version or an about
)

// The files of a dataset.
const (
	headFile  = "dataset.json"
	casesFile = "cases.jsonl"
)

// Load reads a dataset and refuses cases that are not those its digest is of.
func Load(from fs.FS) (Dataset, []Case, error) {
	head, err := readFile(from, headFile, maxHead)
	if err != nil {
		return Dataset{}, nil, err
	}
	d, err := parseHead(head)
	if err != nil {
		return Dataset{}, nil, err
	}
	body, err := readFile(from, casesFile, maxFile)
	if err != nil {
		return Dataset{}, nil, err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != d.SHA256 {
		return Dataset{}, nil, fault.New(fault.Conflict, "the cases of dataset %.60q are not those of version %.60q", d.Name, d.Version).
			WithNext("a changed case is a new version: write its digest into dataset.json")
	}
	cases, err := parseCases(body)
	return d, cases, err
}

// readFile reads a file, up to a bound.
func readFile(from fs.FS, name string, most int64) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, fault.From(fault.NotFound, err, "a dataset has a file %s", name)
	}
	defer func() { _ = f.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "%s cannot be read", name)
	}
	if int64(len(body)) > most {
		return nil, fault.New(fault.TooLarge, "%s has more than %d bytes", name, most)
	}
	return body, nil
}

func parseHead(text []byte) (Dataset, error) {
	var d Dataset
	if err := strict(text, &d); err != nil {
		return Dataset{}, fault.From(fault.Invalid, err, "%s cannot be read", headFile)
	}
	sum, err := hex.DecodeString(d.SHA256)
	switch {
	case d.Name == "" || d.Version == "" || len(d.Name) > maxText || len(d.Version) > maxText || len(d.About) > maxText:
		return Dataset{}, fault.New(fault.Invalid, "%s has a short name and a version", headFile)
	case err != nil || len(sum) != sha256.Size:
		return Dataset{}, fault.New(fault.Invalid, "%s has the SHA-256 of %s, in hex", headFile, casesFile)
	}
	return d, nil
}

// parseCases reads one case a line. Every case has an id of its own, inputs and
// what is expected; empty lines are refused, since a case might be missing.
func parseCases(body []byte) ([]Case, error) {
	var out []Case
	seen := map[string]bool{}
	for n := 1; len(body) > 0; n++ {
		line, rest, _ := bytes.Cut(body, []byte("\n"))
		body = rest
		if n > maxCases || len(line) > maxLine {
			return nil, fault.New(fault.TooLarge, "a dataset has at most %d cases of at most %d bytes", maxCases, maxLine)
		}
		var c Case
		if err := strict(line, &c); err != nil {
			return nil, fault.From(fault.Invalid, err, "line %d is no case", n)
		}
		switch {
		case c.ID == "" || len(c.ID) > maxID:
			return nil, fault.New(fault.Invalid, "line %d has no id, or a long one", n)
		case seen[c.ID]:
			return nil, fault.New(fault.Invalid, "line %d has the id %.60q, which was there before", n, c.ID)
		case !object(c.Inputs) || !object(c.Expected):
			return nil, fault.New(fault.Invalid, "case %.60q has inputs and what is expected, each an object", c.ID)
		}
		seen[c.ID] = true
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "a dataset has at least one case")
	}
	return out, nil
}

func object(text json.RawMessage) bool { return len(text) > 0 && text[0] == '{' }

// strict decodes one JSON value and refuses fields nobody knows and anything
// after it.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "something follows it")
	}
	return nil
}

package reperform

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// Digest is the SHA-256, in hex, of a fact's canonical JSON (RFC 8785): number,
// version, value, source and formula.
func Digest(f fact.Fact) (string, error) {
	plain, err := json.Marshal(f)
	if err != nil {
		return "", fault.New(fault.Invalid, "%s cannot be written as JSON: %w", f.Ref(), err)
	}
	text, err := jcs.Transform(plain)
	if err != nil {
		return "", fault.New(fault.Invalid, "%s cannot be written as canonical JSON: %w", f.Ref(), err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// BatchDigest is what the log holds of facts that were entered together: the
// SHA-256, in hex, of one line for each in the order of their entry, "F17@2", a
// space, its Digest and a line end.
func BatchDigest(facts []fact.Fact) (string, error) { return EnteredDigest(facts, nil) }

// EnteredDigest is BatchDigest of facts some of which have lost their names since:
// was has the Digest that each of those had when it was entered.
func EnteredDigest(facts []fact.Fact, was map[fact.Ref]string) (string, error) {
	sum := sha256.New()
	for _, f := range facts {
		d, erased := was[f.Ref()]
		if !erased {
			var err error
			if d, err = Digest(f); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(sum, "%s %s\n", f.Ref(), d)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

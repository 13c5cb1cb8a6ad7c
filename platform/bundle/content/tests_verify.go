package content

import (
	"fmt"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/review"
)

// truth is what was wrong with a proposal that was a test; nothing where it was
// none, or once it is erased.
func (p proposed) truth() string {
	if p.Test == nil {
		return ""
	}
	return p.Test.Truth
}

// checkTests compares what the bundle says were tests with the records of their
// ends.
func (d *docket) checkTests(rep *bundle.Report, all []proposed) {
	c := rep.Check("what was a test, and what was not",
		"the record of a proposal's end says whether it was there as a test of oversight and holds a digest of what was wrong with it; "+
			"nobody has said so, or otherwise, afterwards",
		"that who decided did not know; nor, once it is erased, what was wrong with it: its digest cannot be computed again without the "+
			"words")
	path, n := d.r.Path(proposalsFile), 0
	for _, p := range all {
		rec := d.seeds[p.ID]
		body, _ := answerOf(rec)
		if wrong := p.tests(body.Seed); wrong != "" {
			c.Found(path, "Proposal %s (%s) %s.", p.ID, path, wrong)
		}
		if p.Test != nil {
			n++
		}
	}
	c.Saw("%d tests", n)
}

// tests says what is wrong with what a proposal says of being a test, or nothing.
// seed is the digest in the record of its end, empty where it has none.
func (p proposed) tests(seed string) string {
	switch {
	case p.Test == nil && seed == "":
		return ""
	case p.Test == nil:
		return "was a test, by the record of its end, and does not say so"
	case p.State == review.Open:
		return "is said to be a test before it has ended"
	case seed == "":
		return "is said to have been a test, and no record of its end in this bundle says so"
	case p.ErasedAt != nil:
		return "" // nobody can compute the digest again; what is left must be empty, which its erasure's check asks
	case p.Test.Truth == "":
		return "was a test, and does not say what was wrong with it"
	case review.SeedDigest(p.Test.Nonce, p.Act, p.ArgsSHA256, p.Test.Truth) != seed:
		return fmt.Sprintf("was another test than the digest %.16s… says", seed)
	}
	return ""
}

package content

import (
	"fmt"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
)

// erasedFacts checks the facts that lost their names against the records of the
// erasures, and returns the digests they were entered under.
func erasedFacts(r *bundle.Reader, rep *bundle.Report, c *bundle.Check, facts []fact.Fact) map[fact.Ref]string {
	was := map[fact.Ref]string{}
	path := r.Path(erasedFile)
	var lost []nameless
	if r.Has(erasedFile) {
		var err error
		if lost, err = bundle.ReadLines[nameless](r, erasedFile); err != nil {
			c.Found(path, "%s cannot be read: %s.", path, words(err))
			return was
		}
	}
	names, gone := gapsOf(r, evidence.ErasedNames), &tally{rep: rep, path: path}
	for _, one := range lost {
		at := one.ErasedAt
		if what := names.judge(one.Fact.String(), &at); what != "" || was[one.Fact] != "" {
			c.Found(path, "%s (%s) %s.", one.Fact, path, orTwice(what))
			continue
		}
		was[one.Fact] = one.SHA256
		gone.gone(fmt.Sprintf("What %s was called", one.Fact), names[one.Fact.String()])
	}
	leftOver(r, c, facts, was)
	return was
}

func orTwice(what string) string {
	if what == "" {
		return "is there twice"
	}
	return what
}

// leftOver checks that what is left of nameless facts is what the erasure left,
// and that none of them is missing from the list.
func leftOver(r *bundle.Reader, c *bundle.Check, facts []fact.Fact, was map[fact.Ref]string) {
	path := r.Path(factsFile)
	have := map[string]fact.Fact{}
	for _, f := range facts {
		have[f.Ref().String()] = f
	}
	for _, rec := range erasuresOf(r, evidence.ErasedNames) {
		left := make([]fact.Fact, 0, len(rec.body.Listed))
		for _, name := range rec.body.Listed {
			f, ok := have[name]
			if !ok || was[f.Ref()] == "" {
				c.Found(path, "%.40s of %s lost its names by record %s, and is missing here or not said to have.", name, path, rec.ID)
				continue
			}
			left = append(left, f)
		}
		sum, err := reperform.BatchDigest(left)
		if len(left) == len(rec.body.Listed) && (err != nil || sum != rec.body.Left) {
			c.Found(path, "What %s has of %s to %s is not what the erasure of record %s left of them.",
				path, rec.body.Listed[0], rec.body.Listed[len(rec.body.Listed)-1], rec.ID)
		}
	}
}

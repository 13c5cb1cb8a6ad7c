// Package content is what every bundle holds beside the log: the case, its
// history, its facts and snapshots, what was proposed and decided, and what was
// done. Each is a bundle.Section; Sections lists them in the order people read
// them.
//
// What a section writes and what its check reads are the same types, next to
// each other in one file. The checks work from the bundle's bytes alone.
package content

import (
	"slices"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// Sources are where the sections read. Without them they can still be checked
// and re-performed: that needs nothing but the bundle.
type Sources struct {
	DB       *postgres.DB
	Cases    *casefile.Store
	Evidence *evidence.Store
	Blobs    *blob.Store
}

// Sections are the parts of every case. Version 2 of the first four can say that
// words were erased, version 2 of the last two in whose stead somebody decided
// and what was a test; version 1 is read as before.
func Sections(from Sources) []bundle.Section {
	return []bundle.Section{
		{Name: "case", Title: "The case", Version: 2, Kinds: []audit.Kind{audit.CaseStep}, Export: from.exportCase, Verify: verifyCase},
		{Name: "history", Title: "The note sheet", Version: 2, Kinds: []audit.Kind{audit.CaseStep}, Export: from.exportHistory,
			Verify: verifyHistory},
		{Name: "facts", Title: "Facts, with source or formula", Version: 2, Kinds: []audit.Kind{evidence.RecordFacts},
			Export: from.exportFacts, Verify: verifyFacts, Reperform: reperformFacts},
		{Name: "snapshots", Title: "Snapshots and evidence", Version: 2, Kinds: []audit.Kind{audit.Snapshot, evidence.RecordEvidence},
			Export: from.exportSnapshots, Verify: verifySnapshots},
		{Name: decisionsName, Title: "Proposals and decisions", Version: 2, Kinds: []audit.Kind{review.KindProposal, audit.Decision,
			review.KindDelegation}, Export: from.exportDecisions, Verify: verifyDecisions},
		{Name: "acts", Title: "Acts", Version: 2, Kinds: []audit.Kind{audit.Act}, Export: from.exportActs, Verify: verifyActs},
	}
}

// ready refuses to export without sources.
func (s Sources) ready() error {
	if s.DB == nil || s.Cases == nil || s.Evidence == nil || s.Blobs == nil {
		return fault.New(fault.Internal, "these sections were made for checking, not for making, bundles")
	}
	return nil
}

// strangers adds the section's files that its check does not know.
func strangers(r *bundle.Reader, rep *bundle.Report, known func(name string) bool) {
	for _, name := range r.Names() {
		if !known(name) {
			c := rep.Check("no file of the section is unknown", "nothing was left unread", "anything else")
			c.Leave(r.Path(name), "%s is not understood.", r.Path(name))
		}
	}
}

func among(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

// words is what a person may be told about an error.
func words(err error) string {
	text, _ := fault.Words(err)
	return text
}

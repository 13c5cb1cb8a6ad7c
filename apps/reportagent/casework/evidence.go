package casework

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/pack"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Evidence is a report as it reads now, as one file from which an auditor does every number again: what gavel report export-evidence writes
// of files, with the sections that are signed. A report that its facts do not carry is not packed.
func (d *Desk) Evidence(ctx context.Context, actor identity.Actor, id string) ([]byte, error) {
	v, err := d.View(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	cat, err := d.library.open(ctx, actor.Org, v.Data.Pack)
	if err != nil {
		return nil, err
	}
	document := v.Document.Render()
	got, err := report.Check(document, v.Ledger, cat)
	if err != nil {
		return nil, err
	}
	if !got.OK() {
		return nil, fault.New(fault.Conflict, "report %s does not hold", id).WithNext("put right what the check finds, and draft what changed").
			Because("report_evidence_not_held")
	}
	p, err := d.library.pack(ctx, actor.Org, v.Data.Pack)
	if err != nil {
		return nil, err
	}
	files, err := pack.Gather(document, v.Ledger, cat, p)
	if err != nil {
		return nil, err
	}
	files["outline.md"] = []byte(v.Outline)
	for name, value := range map[string]any{pack.FactsFile: v.Ledger, "signatures.json": signatures(v)} {
		if files[name], err = pack.Indented(value); err != nil {
			return nil, err
		}
	}
	return pack.Zip(pack.Manifest{Made: d.store.Now().UTC().Truncate(time.Second), Tool: tool, Meta: v.Ledger.Meta}, files)
}

// A signature is one of a section, as a pack has it. Who gave it is in the case, under the proposal.
type signature struct {
	Section  string    `json:"section_id"`
	Version  int       `json:"version"`
	Hash     string    `json:"hash"`
	Proposal string    `json:"proposal"`
	At       time.Time `json:"at"`
}

// signatures are those that hold, in the order of the report.
func signatures(v View) []signature {
	out := []signature{}
	for _, s := range v.Document.Sections {
		if f, signed := v.Signed[s.ID]; signed {
			out = append(out, signature{s.ID, f.Version, f.Hash, f.Proposal, f.At.UTC()})
		}
	}
	return out
}

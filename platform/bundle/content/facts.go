package content

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// The files of the section. Facts stand in the order in which they were entered;
// the SHA-256 of a line is the fact's digest.
const (
	factsFile   = "facts.ndjson"
	batchesFile = "batches.ndjson"
	erasedFile  = "erased.ndjson" // only where facts lost their names
)

// A nameless fact is one whose names were erased. Its line no longer has the
// digest it was entered under, which is kept here; what is left of it is in the
// record of the erasure.
type nameless struct {
	Fact     fact.Ref  `json:"fact"`
	SHA256   string    `json:"sha256"`
	ErasedAt time.Time `json:"erased_at"`
}

// A batch is facts that were entered together: so many of the lines, in order.
// Their digest is in a record of the log.
type batch struct {
	Record audit.RecordID `json:"record"`
	Facts  int            `json:"facts"`
}

// entered is the body of the record of a batch, as package evidence writes it.
type entered struct {
	Facts  int      `json:"facts"`
	First  fact.Ref `json:"first"`
	Last   fact.Ref `json:"last"`
	SHA256 string   `json:"sha256"`
}

func (s Sources) exportFacts(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	records, err := s.factRecords(ctx, req.Org, req.Case)
	if err != nil {
		return err
	}
	var batches []batch
	var all []fact.Fact
	for _, id := range records {
		facts, err := s.Evidence.Entered(ctx, req.Org, id)
		if err != nil {
			return err
		}
		batches = append(batches, batch{id, len(facts)})
		all = append(all, facts...)
		w.Cite(id)
	}
	if err := bundle.Lines(w, batchesFile, batches); err != nil {
		return err
	}
	if err := bundle.Lines(w, factsFile, all); err != nil {
		return err
	}
	erased, err := s.Evidence.ErasedFacts(ctx, req.Org, casefile.CaseID(req.Case))
	if err != nil || len(erased) == 0 {
		return err
	}
	lost := make([]nameless, len(erased))
	for i, e := range erased {
		lost[i] = nameless{e.Ref, e.SHA256, e.At}
	}
	return bundle.Lines(w, erasedFile, lost)
}

// factRecords lists the records of the case's batches, oldest first.
func (s Sources) factRecords(ctx context.Context, org identity.Org, caseID string) ([]audit.RecordID, error) {
	var ids []audit.RecordID
	err := s.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		for q := (audit.Query{Subject: caseID, Kind: evidence.RecordFacts, Limit: 200}); ; {
			page, next, err := audit.List(ctx, tx, q)
			if err != nil {
				return err
			}
			for _, one := range page {
				ids = append(ids, one.ID)
			}
			if next == "" {
				return nil
			}
			q.Before = next
		}
	})
	slices.Reverse(ids)
	return ids, err
}

// verifyFacts checks that the facts are those that were entered. Whether they
// follow from their sources is done again by reperformFacts.
func verifyFacts(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the facts are those that were entered",
		"every value, source and formula is the one whose digest went into the log when it was entered",
		"that the values are right; gavel reperform reads and computes each of them again")
	facts, batches, err := readFacts(r)
	if err != nil {
		c.Found(r.Path(factsFile), "The facts cannot be read: %s.", words(err))
		return
	}
	c.Saw("%d facts in %d entries of the log", len(facts), len(batches))
	was := erasedFacts(r, rep, c, facts)
	cited := map[audit.RecordID]bool{}
	rest := facts
	for i, b := range batches {
		if b.Facts < 1 || b.Facts > len(rest) {
			c.Found(r.Path(batchesFile), "Line %d of %s counts %d facts; %s has %d left.", i+1, r.Path(batchesFile), b.Facts,
				r.Path(factsFile), len(rest))
			break
		}
		if cited[b.Record] {
			c.Found(r.Path(batchesFile), "Line %d of %s names record %.40s for the second time.", i+1, r.Path(batchesFile), b.Record)
		}
		cited[b.Record] = true
		if what := enteredAs(r, b, rest[:b.Facts], was); what != "" {
			c.Found(r.Path(factsFile), "%s to %s (%s): %s.", rest[0].Ref(), rest[b.Facts-1].Ref(), r.Path(factsFile), what)
		}
		rest = rest[b.Facts:]
	}
	if len(rest) > 0 && c.Outcome == bundle.Holds {
		c.Found(r.Path(factsFile), "%s and what follows in %s was never entered: no record of the log holds it.", rest[0].Ref(),
			r.Path(factsFile))
	}
	for _, p := range r.Records() {
		if p.Record.Kind == evidence.RecordFacts && p.Record.Subject == r.Manifest().Case && !cited[p.ID] {
			c.Found(r.Path(factsFile), "Facts of record %s are missing from %s.", p.ID, r.Path(factsFile))
		}
	}
	if _, err := fact.OpenBook(r.Manifest().Case, facts); err != nil {
		c.Found(r.Path(factsFile), "The register of facts (%s) is not in order: %s.", r.Path(factsFile), words(err))
	}
	checkBytes(r, rep, facts)
	strangers(r, rep, among(factsFile, batchesFile, erasedFile))
}

func readFacts(r *bundle.Reader) ([]fact.Fact, []batch, error) {
	facts, err := bundle.ReadLines[fact.Fact](r, factsFile)
	if err != nil {
		return nil, nil, err
	}
	if len(facts) > fact.MaxFacts {
		return nil, nil, fault.New(fault.TooLarge, "%s has more facts than a case may", r.Path(factsFile))
	}
	batches, err := bundle.ReadLines[batch](r, batchesFile)
	return facts, batches, err
}

// enteredAs says how facts differ from the record of their entry, or nothing.
func enteredAs(r *bundle.Reader, b batch, facts []fact.Fact, was map[fact.Ref]string) string {
	p, ok := r.Record(b.Record)
	if !ok {
		return fmt.Sprintf("their record %.40s is not proven in this bundle", b.Record)
	}
	if p.Record.Kind != evidence.RecordFacts || p.Record.Subject != r.Manifest().Case {
		return fmt.Sprintf("record %s is not about facts of this case", p.ID)
	}
	var body entered
	raw, _ := p.Record.Body.(json.RawMessage)
	sum, err := reperform.EnteredDigest(facts, was)
	if json.Unmarshal(raw, &body) != nil || err != nil || body.SHA256 != sum || body.Facts != len(facts) {
		return fmt.Sprintf("they are not what record %s says was entered", p.ID)
	}
	return ""
}

// checkBytes checks that what facts were read from is in the bundle.
func checkBytes(r *bundle.Reader, rep *bundle.Report, facts []fact.Fact) {
	c := rep.Check("what the facts were read from is here", "the bytes behind every number can be looked at",
		"that a source told the truth")
	from := map[string]bool{}
	for _, f := range facts {
		if f.Source == nil || f.Source.Snapshot == "" || from[f.Source.Snapshot] {
			continue
		}
		from[f.Source.Snapshot] = true
		if !r.In("snapshots").Has(bytesName(f.Source.Snapshot)) {
			c.Found(r.Path(factsFile), "%s was read from snapshot %.16s…, which is not in the bundle.", f.Ref(), f.Source.Snapshot)
		}
	}
	c.Saw("%d snapshots", len(from))
}

// reperformFacts does every fact again.
func reperformFacts(r *bundle.Reader, again *bundle.Reperformance) {
	facts, _, err := readFacts(r)
	if err != nil {
		again.Add(bundle.Done{Name: r.Path(factsFile), What: "the facts", Outcome: bundle.Fail, Why: words(err)})
		return
	}
	sealed := sealedOnes(r)
	rep := reperform.Run(r.Manifest().Case, facts, func(sum string) (reperform.Bytes, error) {
		if sealed[sum] {
			return reperform.Bytes{}, fault.New(fault.Refused, "the bytes are sealed: only the institution can open them")
		}
		body, err := r.In("snapshots").Open(bytesName(sum))
		return reperform.Bytes{ReadCloser: body, SHA256: sum}, err
	})
	if rep.Register != "" {
		again.Add(bundle.Done{Name: r.Path(factsFile), What: "numbers, keys and versions", Outcome: bundle.Fail, Why: rep.Register})
	}
	how := map[fact.Ref]string{}
	for _, f := range facts {
		how[f.Ref()] = origin(f)
	}
	for _, v := range rep.Verdicts {
		again.Add(bundle.Done{Name: v.Fact.String(), What: how[v.Fact], Outcome: string(v.Outcome), Why: v.Why, Stored: v.Stored,
			Again: v.Again})
	}
}

// origin says in a few words how a fact came to be.
func origin(f fact.Fact) string {
	if f.Calc == nil {
		return string(f.Kind)
	}
	refs := make([]string, len(f.Calc.Inputs))
	for i, in := range f.Calc.Inputs {
		refs[i] = in.String()
	}
	if len(refs) > 4 {
		refs = append(refs[:3:3], fmt.Sprintf("and %d more", len(refs)-3))
	}
	return string(f.Calc.Op) + " of " + strings.Join(refs, ", ")
}

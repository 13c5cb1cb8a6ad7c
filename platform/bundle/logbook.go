package bundle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/gavelhq/gavel/platform/audit"
)

// A logbook is the log's section, read and checked once for everyone who asks.
type logbook struct {
	head    audit.Checkpoint
	terms   []keyTerm
	earlier map[int64]audit.Checkpoint // by size, as far as they hold
	used    map[int64]bool             // checkpoints that a proof rests on
	proven  []Proven                   // in the order of the log
	byID    map[audit.RecordID]Proven
	under   map[audit.RecordID]audit.Checkpoint // the checkpoint a record is proven under
	records int                                 // lines that were looked at
	vouched []bool                              // terms that the key before vouches for

	headFaults, keyFaults, earlierFaults, recordFaults []Finding
}

func (o *opened) log() *logbook {
	if o.book == nil {
		b := &logbook{earlier: map[int64]audit.Checkpoint{}, used: map[int64]bool{},
			byID: map[audit.RecordID]Proven{}, under: map[audit.RecordID]audit.Checkpoint{}}
		r := o.of(logName)
		b.readHead(r)
		b.readTerms(r)
		b.checkHead(r)
		b.readEarlier(r)
		b.readRecords(r)
		b.checkTerms(r)
		o.book = b
	}
	return o.book
}

func tell(list *[]Finding, what, format string, args ...any) {
	*list = append(*list, Finding{What: what, Text: fmt.Sprintf(format, args...)})
}

// readHead reads the newest checkpoint. Without it nothing else holds.
func (b *logbook) readHead(r *Reader) {
	path := r.Path(checkpointFile)
	text, err := r.Text(checkpointFile)
	if err != nil {
		tell(&b.headFaults, path, "%s cannot be read: %s.", path, words(err))
		return
	}
	head, err := audit.ParseCheckpoint(string(text))
	if err != nil {
		tell(&b.headFaults, path, "%s is not a checkpoint of a log.", path)
		return
	}
	b.head = head
}

func (b *logbook) readTerms(r *Reader) {
	path := r.Path(keysFile)
	terms, err := ReadLines[keyTerm](r, keysFile)
	if err != nil {
		tell(&b.keyFaults, path, "%s cannot be read: %s.", path, words(err))
		return
	}
	origin := r.Manifest().Origin
	for i, t := range terms {
		name, _, err := publicKey(t.Key)
		switch {
		case err != nil || name != origin:
			tell(&b.keyFaults, path, "Line %d of %s is not a key of the log %s.", i+1, path, clip(origin))
		case i == 0 && t.From != 0, i > 0 && t.From <= terms[i-1].From:
			tell(&b.keyFaults, path, "Line %d of %s is out of order: keys follow each other from entry 0 on.", i+1, path)
		case slices.ContainsFunc(terms[:i], func(x keyTerm) bool { return x.Key == t.Key }):
			tell(&b.keyFaults, path, "Line %d of %s puts a key in force for the second time.", i+1, path)
		}
	}
	if len(terms) == 0 {
		tell(&b.keyFaults, path, "%s names no key.", path)
	}
	if len(b.keyFaults) == 0 {
		b.terms = terms
	}
}

// keyAt is the key that signs a checkpoint of a size.
func (b *logbook) keyAt(size int64) audit.Verifier {
	var key audit.Verifier
	for _, t := range b.terms {
		if t.From < size {
			key = t.Key
		}
	}
	return key
}

func (b *logbook) checkHead(r *Reader) {
	m, path := r.Manifest(), r.Path(checkpointFile)
	if b.head.Note == "" {
		return
	}
	switch key := b.keyAt(b.head.Tree.N); {
	case b.head.Origin != m.Origin:
		tell(&b.headFaults, path, "%s is of the log %s, not of %s.", path, clip(b.head.Origin), clip(m.Origin))
	case key == "" || !b.head.SignedBy(key):
		tell(&b.headFaults, path, "%s (checkpoint %d) is not signed by the key in force.", path, b.head.Tree.N)
	case key != m.Key:
		tell(&b.headFaults, path, "%s (checkpoint %d) and %s are signed by different keys.", path, b.head.Tree.N, manifestFile)
	}
}

// readEarlier checks the checkpoints that proofs rest on: signed, and extended by
// the head.
func (b *logbook) readEarlier(r *Reader) {
	path := r.Path(checkpointsFile)
	lines, err := ReadLines[earlier](r, checkpointsFile)
	if err != nil {
		tell(&b.earlierFaults, path, "%s cannot be read: %s.", path, words(err))
		return
	}
	last := int64(0)
	for i, e := range lines {
		if r.o.archive.meter.spend(len(e.Note)) != nil {
			return
		}
		from, _, err := audit.Extension{From: e.Note, To: b.head.Note, Path: e.Path}.Holds()
		key := b.keyAt(from.Tree.N)
		switch {
		case err != nil:
			tell(&b.earlierFaults, path, "Line %d of %s: the newest checkpoint does not extend checkpoint %d.", i+1, path, from.Tree.N)
		case from.Tree.N <= last || from.Tree.N >= b.head.Tree.N:
			tell(&b.earlierFaults, path, "Line %d of %s (checkpoint %d) is out of order or there twice.", i+1, path, from.Tree.N)
		case key == "" || !from.SignedBy(key):
			tell(&b.earlierFaults, path, "Line %d of %s (checkpoint %d) is not signed by the key in force then.", i+1, path, from.Tree.N)
		default:
			b.earlier[from.Tree.N] = from
		}
		last = max(last, from.Tree.N)
	}
}

func (b *logbook) readRecords(r *Reader) {
	path, proofPath := r.Path(recordsFile), r.Path(proofsFile)
	lines, err := r.RawLines(recordsFile)
	if err != nil {
		tell(&b.recordFaults, path, "%s cannot be read: %s.", path, words(err))
	}
	proofs, perr := ReadLines[inclusion](r, proofsFile)
	if perr != nil {
		tell(&b.recordFaults, proofPath, "%s cannot be read: %s.", proofPath, words(perr))
	}
	if err != nil || perr != nil {
		return
	}
	if len(lines) != len(proofs) {
		tell(&b.recordFaults, path, "%s has %d records and %s has %d proofs; each record has one.", path, len(lines), proofPath,
			len(proofs))
	}
	if len(lines) > maxRecords {
		tell(&b.recordFaults, path, "%s has more records than a bundle may hold.", path)
		return
	}
	b.records = len(lines)
	last := int64(-1)
	for i, line := range lines[:min(len(lines), len(proofs))] {
		if r.o.archive.meter.spend(len(line)) != nil {
			return
		}
		p, what := b.record(r, line, proofs[i])
		if what == "" && p.Seq <= last {
			what = "stands out of order, or there twice"
		}
		last = max(last, proofs[i].Seq)
		if what != "" {
			tell(&b.recordFaults, path, "Record %s (line %d of %s) %s.", clip(string(nameOf(p, proofs[i]))), i+1, path, what)
			continue
		}
		b.proven = append(b.proven, p)
		b.byID[p.ID] = p
	}
}

func nameOf(p Proven, x inclusion) audit.RecordID {
	if p.ID != "" {
		return p.ID
	}
	return x.Record
}

// record checks one record against its proof and says what is wrong with it.
func (b *logbook) record(r *Reader, line []byte, x inclusion) (p Proven, what string) {
	id, rec, err := audit.ParseRecord(line)
	if err != nil {
		return p, "is not a record of a log"
	}
	p = Proven{ID: id, Seq: x.Seq, Record: rec}
	base, ok := b.earlier[x.Checkpoint]
	if x.Checkpoint == b.head.Tree.N {
		base, ok = b.head, b.head.Note != ""
	}
	switch {
	case x.Record != id:
		return p, "stands beside the proof of another record"
	case !ok:
		return p, fmt.Sprintf("rests on checkpoint %d, which is not there or does not hold", x.Checkpoint)
	}
	if _, err := (audit.Proof{Seq: x.Seq, Path: x.Path, Checkpoint: base.Note}).Holds(line); err != nil {
		return p, fmt.Sprintf("is not entry %d of the tree of checkpoint %d", x.Seq, x.Checkpoint)
	}
	b.used[x.Checkpoint] = true
	b.under[id] = base
	if org := rec.Actor.Org; org != r.Manifest().Org && !b.namesKey(id, rec) {
		return p, fmt.Sprintf("belongs to %s, not to %s", clip(string(org)), r.Manifest().Org)
	}
	return p, ""
}

// namesKey reports whether a record is the installation's and says that a key of
// the list is in force.
func (b *logbook) namesKey(id audit.RecordID, rec audit.Record) bool {
	return rec.Actor.Org == audit.Installation && rec.Kind == audit.LogKey &&
		slices.ContainsFunc(b.terms, func(t keyTerm) bool { return t.Record == id })
}

// checkTerms compares the list of keys with the records that put them in force.
func (b *logbook) checkTerms(r *Reader) {
	path := r.Path(keysFile)
	b.vouched = make([]bool, len(b.terms))
	for i, t := range b.terms {
		p, ok := b.byID[t.Record]
		if !ok {
			tell(&b.keyFaults, path, "Line %d of %s: record %s, which puts the key in force, is not proven here.", i+1, path,
				clip(string(t.Record)))
			continue
		}
		var body struct {
			Key      audit.Verifier `json:"key"`
			Previous audit.Verifier `json:"previous"`
		}
		raw, _ := p.Record.Body.(json.RawMessage)
		var before audit.Verifier
		if i > 0 {
			before = b.terms[i-1].Key
		}
		if json.Unmarshal(raw, &body) != nil || body.Key != t.Key || body.Previous != before || p.Seq != t.From {
			tell(&b.keyFaults, path, "Line %d of %s says something else than record %s.", i+1, path, p.ID)
			continue
		}
		// The key before signed a tree that holds this record: it vouches for the change.
		b.vouched[i] = i > 0 && b.under[p.ID].SignedBy(before)
	}
	for _, n := range slices.Sorted(maps.Keys(b.earlier)) {
		if !b.used[n] {
			tell(&b.earlierFaults, r.Path(checkpointsFile), "Checkpoint %d in %s proves nothing here.", n, r.Path(checkpointsFile))
		}
	}
}

// trusts reports whether the manifest's key is one of roots, or was put in force
// by a line of keys that begins with one.
func (b *logbook) trusts(roots []audit.Verifier, key audit.Verifier) bool {
	good := false
	for i, t := range b.terms {
		good = slices.Contains(roots, t.Key) || good && b.vouched[i]
		if t.Key == key {
			return good
		}
	}
	return slices.Contains(roots, key)
}

// verifyLog reports what the logbook found.
func verifyLog(r *Reader, rep *Report) {
	b := r.o.log()
	for _, one := range []struct {
		claim, proves, doesNot, seen string
		faults                       []Finding
	}{
		{"the log's state is signed", "the holder of the log's key stated this size and root of the log",
			"that others were shown the same log; compare it with a copy that was published or mailed",
			fmt.Sprintf("checkpoint %d of %s", b.head.Tree.N, clip(b.head.Origin)), b.headFaults},
		{"each key was put in force by the log", "the list of keys is the one in the log, and no key signs before its time",
			"whose keys they are; that is the question who signed",
			count(len(b.terms), "key"), b.keyFaults},
		{"earlier states of the log are part of this one",
			"nothing was removed or reordered between the checkpoints that the proofs rest on",
			"anything about entries that are not in this bundle", count(len(b.earlier), "earlier checkpoint"), b.earlierFaults},
		{"every record is in the log",
			"each record stands in the log as it is here, under its number, and was there when the checkpoint was signed",
			"that what a record says is true, nor that there are no other records about this case", count(b.records, "record"),
			b.recordFaults},
	} {
		c := rep.Check(one.claim, one.proves, one.doesNot)
		c.Saw("%s", one.seen)
		for _, f := range one.faults {
			c.Found(f.What, "%s", f.Text)
		}
	}
	for _, name := range r.Names() {
		if !slices.Contains([]string{recordsFile, proofsFile, checkpointFile, checkpointsFile, keysFile}, name) {
			c := rep.Check("no file of the log's section is unknown", "nothing was left unread", "anything else")
			c.Leave(r.Path(name), "%s is not understood.", r.Path(name))
		}
	}
}

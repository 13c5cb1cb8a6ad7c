package content

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const entriesFile = "entries.ndjson"

// An entry is one note of the sheet as a bundle has it.
type entry struct {
	Seq   int64     `json:"seq"`
	Kind  string    `json:"kind"`
	At    time.Time `json:"at"`
	Actor actor     `json:"actor"`
	Text  string    `json:"text"`
	Salt  string    `json:"salt"` // hex; part of the digest in the log

	ErasedAt *time.Time `json:"erased_at,omitempty"` // text, salt and name were
}

type actor struct {
	Kind identity.Kind `json:"kind"`
	ID   string        `json:"id"`
	Name string        `json:"name,omitempty"`
}

// maxEntries bounds a history: what is longer is not read by anyone.
const maxEntries = 50_000

// exportHistory writes the notes up to the version that the case section read:
// notes are only ever added, so both are of one moment.
func (s Sources) exportHistory(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	id := casefile.CaseID(req.Case)
	var one matter
	if err := w.Earlier("case", caseFile, &one); err != nil {
		return err
	}
	var all []entry
	for before := one.Version + 1; before > 1; {
		page, err := s.Cases.Entries(ctx, req.Org, id, casefile.EntryQuery{Before: before, Limit: 200})
		if err != nil {
			return err
		}
		if len(page) == 0 || len(all) > maxEntries {
			return fault.New(fault.TooLarge, "the history of %s cannot be read to its beginning", id)
		}
		for _, e := range page {
			if e.ErasedAt != nil {
				e.Text, e.ActorName = "", ""
			}
			all = append(all, entry{Seq: e.Seq, Kind: e.Kind, At: e.At.UTC(), Actor: actor{e.ActorKind, e.ActorID, e.ActorName},
				Text: e.Text, Salt: hex.EncodeToString(e.Salt), ErasedAt: utc(e.ErasedAt)})
		}
		before = page[len(page)-1].Seq
	}
	slices.Reverse(all)
	return bundle.Lines(w, entriesFile, all)
}

// stepped is the body of the record of a note, as package casefile writes it.
type stepped struct {
	Seq    int64  `json:"seq"`
	Kind   string `json:"step"`
	Digest string `json:"sha256"`
}

func verifyHistory(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the note sheet is whole and unchanged",
		"no note is missing, doubled, out of its place or reworded: the log holds the digest of each",
		"that a note says the truth; the names people are known by rest on the manifest's signature")
	path := r.Path(entriesFile)
	entries, err := bundle.ReadLines[entry](r, entriesFile)
	if err != nil {
		c.Found(path, "%s cannot be read: %s.", path, words(err))
		return
	}
	logged, erased, gone := steps(r), gapsOf(r, casefile.ErasedEntries), &tally{rep: rep, path: path}
	for i, e := range entries {
		if want := int64(i + 1); e.Seq != want {
			c.Found(path, "Note %d of %s stands where note %d belongs.", e.Seq, path, want)
			break
		}
		if what := noted(r, e, logged, erased); what != "" {
			c.Found(path, "Note %d of %s %s.", e.Seq, path, what)
		} else if e.ErasedAt != nil {
			gone.gone(fmt.Sprintf("Note %d", e.Seq), erased[strconv.FormatInt(e.Seq, 10)])
		}
	}
	c.Saw("%d notes, %d of them erased", len(entries), gone.n)
	for _, seq := range slices.Sorted(maps.Keys(logged)) {
		if seq < 1 || seq > int64(len(entries)) {
			c.Found(path, "Note %d, of record %s, is missing from %s.", seq, logged[seq].ID, path)
		}
	}
	var one matter
	if err := r.In("case").JSON(caseFile, &one); err == nil && one.Version != int64(len(entries)) {
		c.Found(path, "%s has %d notes and the case is at version %d: notes are missing.", path, len(entries), one.Version)
	}
	strangers(r, rep, among(entriesFile))
}

// steps are the records of the case's notes, by the note's number.
func steps(r *bundle.Reader) map[int64]bundle.Proven {
	found := map[int64]bundle.Proven{}
	for _, p := range r.Records() {
		if p.Record.Kind == audit.CaseStep && p.Record.Subject == r.Manifest().Case {
			var body stepped
			raw, _ := p.Record.Body.(json.RawMessage)
			if json.Unmarshal(raw, &body) == nil {
				found[body.Seq] = p
			}
		}
	}
	return found
}

// noted says how a note differs from its record, or nothing.
func noted(r *bundle.Reader, e entry, logged map[int64]bundle.Proven, erased gaps) string {
	p, ok := logged[e.Seq]
	if !ok {
		return "is in no record of the log in this bundle"
	}
	if what := erased.judge(strconv.FormatInt(e.Seq, 10), e.ErasedAt, e.Text, e.Salt, e.Actor.Name); what != "" {
		return what
	}
	salt, err := hex.DecodeString(e.Salt)
	var body stepped
	raw, _ := p.Record.Body.(json.RawMessage)
	if e.ErasedAt != nil {
		if json.Unmarshal(raw, &body) != nil || body.Kind != e.Kind || !p.Record.At.Equal(e.At) ||
			p.Record.Actor.Kind != e.Actor.Kind || p.Record.Actor.ID != e.Actor.ID {
			return fmt.Sprintf("was erased, and what is left of it is not what record %s says was noted", p.ID)
		}
		return ""
	}
	same := casefile.Entry{Seq: e.Seq, Kind: e.Kind, At: e.At, ActorKind: e.Actor.Kind, ActorID: e.Actor.ID, Text: e.Text, Salt: salt}
	if err != nil || json.Unmarshal(raw, &body) != nil || body.Digest != same.Digest(casefile.CaseID(r.Manifest().Case)) {
		return fmt.Sprintf("is not what record %s says was noted", p.ID)
	}
	return ""
}

package content

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/evidence"
)

// verifySnapshots checks bytes against receipts, and receipts and evidence
// against the log.
func verifySnapshots(r *bundle.Reader, rep *bundle.Report) {
	receipts := checkReceipts(r, rep)
	checkPieces(r, rep, receipts)
	strangers(r, rep, knownSnapshotFile)
}

func checkReceipts(r *bundle.Reader, rep *bundle.Report) map[blob.Digest]bool {
	c := rep.Check("the bytes are as they were received",
		"each snapshot has the hash under which the log recorded its receipt: source, time and size",
		"that the source told the truth, nor that the bytes came over a line nobody touched")
	path := r.Path(receiptsFile)
	receipts, err := bundle.ReadLines[receipt](r, receiptsFile)
	if err != nil {
		c.Found(path, "%s cannot be read: %s.", path, words(err))
		return nil
	}
	have := map[blob.Digest]bool{}
	sealed := 0
	for i, one := range receipts {
		if what := received(r, one); what != "" {
			c.Found(path, "Snapshot %.16s… (line %d of %s) %s.", one.SHA256, i+1, path, what)
		}
		if have[one.SHA256] || i > 0 && one.SHA256.String() <= receipts[i-1].SHA256.String() {
			c.Found(path, "Line %d of %s is out of order or there twice.", i+1, path)
		}
		have[one.SHA256] = true
		if one.Key != "" {
			sealed++
		}
	}
	for _, name := range r.Names() {
		sum, isBytes := strings.CutPrefix(name, bytesFolder)
		if d, err := blob.Parse(sum); isBytes && (err != nil || !have[d]) {
			c.Found(r.Path(name), "%s has no receipt in %s.", r.Path(name), path)
		}
	}
	c.Saw("%d snapshots, %d of them sealed", len(receipts), sealed)
	return have
}

// took is the body of the record of a receipt, as package evidence writes it.
type took struct {
	SHA256   blob.Digest   `json:"sha256"`
	Size     int64         `json:"size"`
	Source   string        `json:"source"`
	Detected string        `json:"detected"`
	Place    blob.Digest   `json:"place_sha256"`
	Sealed   *audit.Sealed `json:"sealed"`
}

// received says how a receipt differs from its bytes or its record, or nothing.
func received(r *bundle.Reader, one receipt) string {
	sum, n, err := weigh(r, bytesName(one.SHA256.String()))
	switch {
	case err != nil:
		return "is not in the bundle: " + words(err)
	case sum != one.SHA256 || n != one.Size:
		return "has other bytes than were received"
	}
	p, ok := r.Record(one.Record)
	if !ok {
		return fmt.Sprintf("rests on record %.40s, which is not proven in this bundle", one.Record)
	}
	var body took
	raw, _ := p.Record.Body.(json.RawMessage)
	if p.Record.Kind != audit.Snapshot || p.Record.Subject != string(one.ID) || json.Unmarshal(raw, &body) != nil {
		return fmt.Sprintf("rests on record %s, which is about something else", p.ID)
	}
	same := body.SHA256 == one.SHA256 && body.Size == one.Size && body.Source == one.Source && body.Detected == one.Detected &&
		p.Record.At.Equal(one.FetchedAt) && p.Record.Actor.ID == one.Actor.ID && p.Record.Actor.Kind == one.Actor.Kind
	if body.Sealed != nil {
		same = same && body.Sealed.Ciphertext == one.SHA256 && body.Sealed.Key == one.Key
	} else {
		same = same && one.Key == "" && (one.Place == "" && body.Place.IsZero() || body.Place == blob.Sum([]byte(one.Place)))
	}
	if !same {
		return fmt.Sprintf("was received otherwise than this says, by record %s", p.ID)
	}
	return ""
}

// weigh hashes a file of the section.
func weigh(r *bundle.Reader, name string) (blob.Digest, int64, error) {
	body, err := r.Open(name)
	if err != nil {
		return blob.Digest{}, 0, err
	}
	defer body.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, body)
	return blob.Digest(sum.Sum(nil)), n, err
}

// put is the body of the record of a piece, as package evidence writes it.
type put struct {
	Evidence string        `json:"evidence"`
	SHA256   blob.Digest   `json:"sha256"`
	Side     evidence.Side `json:"side"`
	Part     string        `json:"part"`
}

func checkPieces(r *bundle.Reader, rep *bundle.Report, have map[blob.Digest]bool) {
	c := rep.Check("the evidence is what was put on the case",
		"each piece is the part of a snapshot that the log recorded, on the side it was put on",
		"that the evidence is enough; its title and note rest on the manifest's signature")
	path := r.Path(piecesFile)
	pieces, err := bundle.ReadLines[piece](r, piecesFile)
	if err != nil {
		c.Found(path, "%s cannot be read: %s.", path, words(err))
		return
	}
	logged := map[string]bundle.Proven{}
	for _, p := range r.Records() {
		var body put
		raw, _ := p.Record.Body.(json.RawMessage)
		if p.Record.Kind == evidence.RecordEvidence && p.Record.Subject == r.Manifest().Case && json.Unmarshal(raw, &body) == nil {
			logged[body.Evidence] = p
		}
	}
	erased, gone := gapsOf(r, evidence.ErasedPieces), &tally{rep: rep, path: path}
	for i, one := range pieces {
		if want := fmt.Sprintf("E%d", i+1); one.ID != want {
			c.Found(path, "Evidence %.20s of %s stands where %s belongs.", one.ID, path, want)
			break
		}
		if what := putAs(one, logged, have); what != "" {
			c.Found(path, "Evidence %s (%s) %s.", one.ID, path, what)
		} else if what := erased.judge(one.ID, one.ErasedAt, one.Title, one.Note); what != "" {
			c.Found(path, "Evidence %s (%s) %s.", one.ID, path, what)
		} else if one.ErasedAt != nil {
			gone.gone("Title and note of evidence "+one.ID, erased[one.ID])
		} else if one.Title == "" {
			c.Found(path, "Evidence %s (%s) has no title, and does not say that it was erased.", one.ID, path)
		}
		delete(logged, one.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(logged)) {
		c.Found(path, "Evidence %.20s of record %s is missing from %s.", id, logged[id].ID, path)
	}
	c.Saw("%d pieces", len(pieces))
}

// putAs says how a piece differs from its record, or nothing.
func putAs(one piece, logged map[string]bundle.Proven, have map[blob.Digest]bool) string {
	p, ok := logged[one.ID]
	if !ok {
		return "is in no record of the log in this bundle"
	}
	if !have[one.SHA256] {
		return "is of a snapshot that is not in the bundle"
	}
	var body put
	raw, _ := p.Record.Body.(json.RawMessage)
	var part []byte
	if one.Range != nil {
		var err error
		if part, err = json.Marshal(one.Range); err != nil {
			return "names a part that cannot be read"
		}
	}
	sum := sha256.Sum256([]byte(one.SHA256.String() + "\n" + string(part)))
	if json.Unmarshal(raw, &body) != nil || body.SHA256 != one.SHA256 || body.Side != one.Side || body.Part != hex.EncodeToString(sum[:]) ||
		!p.Record.At.Equal(one.At) || p.Record.Actor.ID != one.Actor.ID {
		return fmt.Sprintf("is not what record %s says was put on the case", p.ID)
	}
	return ""
}

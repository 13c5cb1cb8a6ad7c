// Package replay is what becomes of events that a gate let through while it had no network, once they arrive: each is applied once, or is
// a question for an administrator. Nothing is dropped, and nothing that a gate says undoes what a person decided.
//
// A device numbers its events, chains each to the one before and signs them, so that the order in which a guard let people through can
// be proved afterwards. Two gates that were both alone may have let the same pass through; then the first by the device's clock
// counts, and the other is the question. What counts does not depend on who came back to the network first: read fold, which says it
// of all events of a pass, and then Merge, which tells what arrival changes.
package replay

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/envelope"
	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
)

const (
	kind      envelope.Kind = "GE1"
	mostEvent               = 8 << 10 // bytes, with a long list of items
	mostSeq                 = 1 << 40
)

// A Digest names the very bytes of a signed event.
type Digest string

// DigestOf is the digest of a signed event.
func DigestOf(text string) Digest {
	sum := sha256.Sum256([]byte(text))
	return Digest(hex.EncodeToString(sum[:]))
}

// An Event is one thing that a gate let through.
type Event struct {
	ID     string // made by the device; the key under which it happens once
	Device string
	Seq    int64 // 1, 2, 3 on each device; zero for what a server took itself
	Prev   Digest
	Pass   number.Number
	Kind   pass.Event // ScanExit or ScanReturn
	At     time.Time  // by the device's clock, to the millisecond
	Guard  string     // the shift
	Photo  string     // the SHA-256 of it; empty where a supervisor let somebody through without
	Reason string     // why there is none
	Items  []item.Back
}

type wire struct {
	ID     string     `json:"i"`
	Device string     `json:"d"`
	Seq    int64      `json:"q"`
	Prev   string     `json:"h"`
	Number string     `json:"n"`
	Kind   string     `json:"e"`
	At     int64      `json:"at"`
	Guard  string     `json:"g"`
	Photo  string     `json:"p"`
	Reason string     `json:"w,omitempty"`
	Items  []wireItem `json:"b,omitempty"`
}

type wireItem struct {
	Item      string `json:"i"`
	Quantity  string `json:"q"`
	Condition string `json:"c"`
}

var (
	idForm   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Sign is an event as a device sends it.
func Sign(e Event, key ed25519.PrivateKey) (string, error) {
	w := wire{ID: e.ID, Device: e.Device, Seq: e.Seq, Prev: string(e.Prev), Number: string(e.Pass), Kind: string(e.Kind),
		At:    e.At.UnixMilli(),
		Guard: e.Guard, Photo: e.Photo, Reason: e.Reason}
	for _, b := range e.Items {
		w.Items = append(w.Items, wireItem{string(b.Item), b.Quantity.String(), string(b.Condition)})
	}
	if _, err := w.event(); err != nil {
		return "", err
	}
	payload, err := json.Marshal(w)
	if err != nil {
		return "", fault.From(fault.Internal, err, "write event %s", e.ID)
	}
	return envelope.Seal(kind, payload, key), nil
}

// open reads a signed event and believes nothing of it yet.
func open(text string) (Event, envelope.Sealed, error) {
	sealed, err := envelope.Open(kind, text, mostEvent)
	if err != nil {
		return Event{}, envelope.Sealed{}, err
	}
	var w wire
	d := json.NewDecoder(bytes.NewReader(sealed.Payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil || d.More() {
		return Event{}, envelope.Sealed{}, fault.New(fault.Invalid, "an event of a gate cannot be read")
	}
	e, err := w.event()
	return e, sealed, err
}

// Read is a signed event as it says it is; nobody has looked at who signed it.
func Read(text string) (Event, error) {
	e, _, err := open(text)
	return e, err
}

func (w wire) event() (Event, error) {
	bad := func(field string) (Event, error) {
		return Event{}, fault.New(fault.Invalid, "an event of a gate cannot be read").On(field, "invalid", "")
	}
	n, err := number.Parse(w.Number)
	scan := pass.Event(w.Kind) == pass.ScanExit || pass.Event(w.Kind) == pass.ScanReturn
	switch {
	case err != nil:
		return bad("pass_number")
	case !idForm.MatchString(w.ID) || !idForm.MatchString(w.Device) || !idForm.MatchString(w.Guard):
		return bad("event_id")
	case w.Seq < 1 || w.Seq > mostSeq || (w.Seq == 1) != (w.Prev == "") || w.Prev != "" && !hashForm.MatchString(w.Prev):
		return bad("seq")
	case !scan:
		return bad("event")
	case w.At <= 0 || w.At > 1<<43:
		return bad("captured_at")
	case w.Photo != "" && !hashForm.MatchString(w.Photo) || len(w.Reason) > 2000 || len(w.Items) > item.Most:
		return bad("photo")
	}
	e := Event{ID: w.ID, Device: w.Device, Seq: w.Seq, Prev: Digest(w.Prev), Pass: n, Kind: pass.Event(w.Kind), At: time.UnixMilli(w.At).
		UTC(),
		Guard: w.Guard, Photo: w.Photo, Reason: w.Reason}
	for _, b := range w.Items {
		q, err := item.ParseQuantity(b.Quantity)
		if err != nil {
			return bad("items")
		}
		e.Items = append(e.Items, item.Back{Item: item.ID(b.Item), Quantity: q, Condition: item.Condition(b.Condition)})
	}
	return e, nil
}

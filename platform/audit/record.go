package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Kind says what a record is about. Packages may add kinds of their own, of
// lower case letters and underscores.
type Kind string

// The kinds that the platform records.
const (
	Decision  Kind = "decision"   // a person decided a proposal
	Act       Kind = "act"        // an effect was planned, carried out, held or undone
	Policy    Kind = "policy"     // the answer to "may this actor call this tool?"
	Refusal   Kind = "refusal"    // someone was told no
	Export    Kind = "export"     // a bundle, report or list left the system
	ModelCall Kind = "model_call" // what was sent to a model and came back, by digest
	Snapshot  Kind = "snapshot"   // bytes were received from a source
	Erasure   Kind = "erasure"    // a subject's keys were destroyed
	Removal   Kind = "removal"    // somebody lost a place or a membership, by a decision of people
	CaseStep  Kind = "case"       // a case was opened, moved on or closed
	LogKey    Kind = "log_key"    // another key signs the checkpoints from here on

	LogResumed     Kind = "log_resumed"      // an operator lets a log go on that lost entries in a restore
	LogKeyAccepted Kind = "log_key_accepted" // an operator lets a key follow one that does not vouch for it
)

// Bounds of a record. A body holds ids and digests; whatever is longer is a
// blob, and its digest goes here.
const (
	maxBody  = 32 << 10
	maxDepth = 16
)

// A Record says who did what to what, and when. It never changes and is never
// removed, so it holds no name and no text about a person in plain: ids and
// digests only, and Sealed parts.
type Record struct {
	At      time.Time // on the installation's clock, kept to the microsecond
	Kind    Kind
	App     string         // the application's name; empty for the platform
	Actor   identity.Actor // kind, id and organisation are kept; the name is not
	Subject string         // the id of what it is about: a case, a snapshot, a key
	Body    any            // becomes a JSON object: whole numbers, text, truth values
}

// Sealed is how a record shows a part that is personal: the digest of the
// ciphertext, and which key opens it for as long as that key exists.
type Sealed struct {
	Ciphertext blob.Digest `json:"ct_sha256"`
	Key        string      `json:"key"`
}

var (
	idForm      = regexp.MustCompile(`^rec_[0-9A-HJKMNP-TV-Z]{26}$`)
	kindForm    = regexp.MustCompile(`^[a-z][a-z_]{1,39}$`)
	appForm     = regexp.MustCompile(`^[a-z]{2,20}$`)
	subjectForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$`)
	actorForm   = regexp.MustCompile(`^[!#-\[\]-~]{1,200}$`) // printable, no space, quote or backslash
)

// The first and the last moment a record may carry: what fits the form of its
// time and of its id.
var (
	firstMoment = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	lastMoment  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

func (r Record) check() error {
	switch {
	case !kindForm.MatchString(string(r.Kind)):
		return fault.New(fault.Invalid, "a record's kind is 2 to 40 lower case letters and underscores, not %.60q", r.Kind)
	case r.App != "" && !appForm.MatchString(r.App):
		return fault.New(fault.Invalid, "no application is called %.40q", r.App)
	case !r.Actor.Known():
		return fault.New(fault.Invalid, "a record of kind %s says nobody did it", r.Kind)
	case !actorForm.MatchString(r.Actor.ID):
		return fault.New(fault.Invalid, "an actor's id is 1 to 200 printable characters without spaces and quotes")
	case !subjectForm.MatchString(r.Subject):
		return fault.New(fault.Invalid, "a record's subject is an id, not %.60q", r.Subject)
	case r.At.Before(firstMoment) || r.At.After(lastMoment):
		return fault.New(fault.Invalid, "a record's time is between 1970 and 9999, not %s", r.At)
	}
	if r.Actor.Org == Installation {
		return nil
	}
	_, err := identity.ParseOrg(string(r.Actor.Org))
	return err
}

// atForm has a fixed width, so that text and column say the same moment.
const atForm = "2006-01-02T15:04:05.000000Z"

// formVersion is the version of the form below; a reader refuses one it does
// not know.
const formVersion = "1"

// canonical is the record as RFC 8785 JSON. Only the body has to be put in
// order: the members around it are written in theirs, and their values were
// checked to need no escaping.
func (r Record) canonical(id RecordID, nonce string) (string, error) {
	body, err := canonicalBody(r.Body)
	if err != nil {
		return "", err
	}
	b := make([]byte, 0, len(body)+400)
	for _, part := range []string{
		`{"actor":{"id":"`, r.Actor.ID, `","kind":"`, string(r.Actor.Kind), `"},"app":"`, r.App,
		`","at":"`, r.At.Format(atForm), `","body":`, string(body), `,"id":"`, string(id),
		`","kind":"`, string(r.Kind), `","nonce":"`, nonce, `","org":"`, string(r.Actor.Org),
		`","subject":"`, r.Subject, `","v":`, formVersion, `}`,
	} {
		b = append(b, part...)
	}
	return string(b), nil
}

// Leaf is the hash under which the tree holds a record: SHA-256 of a zero byte
// and the record's canonical JSON.
func Leaf(canonical []byte) tlog.Hash { return tlog.RecordHash(canonical) }

// A form is a record as its JSON spells it.
type form struct {
	Actor struct {
		ID   string        `json:"id"`
		Kind identity.Kind `json:"kind"`
	} `json:"actor"`
	App     string          `json:"app"`
	At      string          `json:"at"`
	Body    json.RawMessage `json:"body"`
	ID      RecordID        `json:"id"`
	Kind    Kind            `json:"kind"`
	Nonce   string          `json:"nonce"`
	Org     identity.Org    `json:"org"`
	Subject string          `json:"subject"`
	V       json.Number     `json:"v"`
}

// ParseRecord reads a record's canonical JSON, and refuses any other spelling of
// it: one record has one hash. The body is returned as it stands there.
func ParseRecord(canonical []byte) (RecordID, Record, error) {
	bad := func(why string) (RecordID, Record, error) {
		return "", Record{}, fault.New(fault.Invalid, "this is not a record of the log: %s", why)
	}
	if len(canonical) > 2*maxBody {
		return bad("it is too long")
	}
	var f form
	dec := json.NewDecoder(bytes.NewReader(canonical))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return bad("it is not JSON of the known form")
	}
	if !idForm.MatchString(string(f.ID)) {
		return bad("its id is malformed")
	}
	if f.V != formVersion {
		return bad(fmt.Sprintf("its form is version %.10s, and we know %s", f.V, formVersion))
	}
	at, err := time.Parse(atForm, f.At)
	if err != nil {
		return bad("its time is malformed")
	}
	r := Record{At: at, Kind: f.Kind, App: f.App, Subject: f.Subject, Body: f.Body,
		Actor: identity.Actor{Kind: f.Actor.Kind, ID: f.Actor.ID, Org: f.Org}}
	if err := r.check(); err != nil {
		return bad(err.Error())
	}
	again, err := r.canonical(f.ID, f.Nonce)
	if err != nil || again != string(canonical) {
		return bad("it is not spelt canonically")
	}
	return f.ID, r, nil
}

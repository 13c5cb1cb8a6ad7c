// Package casefile keeps cases and their history.
//
// A case is a matter being worked; its entries are the numbered notes of what
// happened. Both are PostgreSQL first: opening a case writes the row, its first
// entry and an outbox message in one transaction, and the engine starts the
// case's workflow when it can. Read Store.Open, then Workflow, which is what an
// application's own workflow looks like at its smallest.
package casefile

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// idPrefix begins the id of a case.
const idPrefix = "case_"

// A CaseID is "case_" and a ULID: it sorts by the time the case was opened.
type CaseID string

var caseIDForm = regexp.MustCompile(`^case_[0-9A-HJKMNP-TV-Z]{26}$`)

// ParseCaseID checks the form of a case's id.
func ParseCaseID(s string) (CaseID, error) {
	if !caseIDForm.MatchString(s) {
		return "", noSuchCase(s)
	}
	return CaseID(s), nil
}

func newCaseID(now time.Time) CaseID {
	return CaseID(idPrefix + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String())
}

// A State is what lists and clocks go by, the same for every application.
type State string

// The states of a case.
const (
	Open    State = "open"    // being worked
	Waiting State = "waiting" // for a person, a reply or a date
	Closed  State = "closed"
)

// A Case is a matter being worked, as it stands.
type Case struct {
	ID         CaseID
	Org        identity.Org
	App        string
	Key        string // natural key: one open case for each
	Ref        string // what people call it
	Title      string
	State      State
	Status     string // the application's own word
	WaitingFor string
	DueAt      *time.Time
	OpenedAt   time.Time
	ClosedAt   *time.Time
	Version    int64
	ErasedAt   *time.Time // the title was erased then, and is ErasedText here
}

// Overdue reports whether an open case is past its date.
func (c Case) Overdue(now time.Time) bool {
	return c.State != Closed && c.DueAt != nil && now.After(*c.DueAt)
}

// An Entry is one note of a case's history. Entries are only ever added; an
// erasure can take the words out of one, and nothing else can change it.
type Entry struct {
	Seq       int64 // the case's version that this entry made
	Kind      string
	At        time.Time
	ActorKind identity.Kind
	ActorID   string
	ActorName string
	Text      string
	Salt      []byte     // random; part of the digest
	ErasedAt  *time.Time // text, salt and name were erased then: Text is ErasedText, ActorName the id
}

// Digest is what the audit log keeps of an entry: the SHA-256 of its salt and
// its fields, each in quotes. Who has the entry can check it against the log;
// who has only the log can guess nothing from it. The name people know the actor
// by is not part of it.
func (e Entry) Digest(id CaseID) string {
	text := fmt.Appendf(nil, "%x %q %d %q %q %q %q %q", e.Salt, id, e.Seq, e.Kind,
		e.At.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano), e.ActorKind, e.ActorID, e.Text)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A Kind says how cases of one application are named and who works them.
type Kind struct {
	App       string // the application's name; also its task queue
	RefPrefix string // a ref is this, a dash and eight characters
	Hex       bool   // those characters are hexadecimal digits
	Workflow  string // the registered name of the workflow
	OwnEnd    bool   // its cases end by the application's own rules, and nobody closes one by hand

	// Ref names a case in the application's own way, "CAQM-2026-11-14-001", in the
	// transaction that opens it; nil: by the prefix. A name that is taken is drawn
	// again, so what counts up takes a lock first. 1 to 40 of A-Z, 0-9 and -.
	Ref func(ctx context.Context, tx pgx.Tx, c Case) (string, error)
}

// General is the kind of a case that no application owns. The platform's own
// workflow holds its deadline.
func General() Kind { return Kind{App: "general", RefPrefix: "GEN", Workflow: WorkflowName} }

// ref is the name people say: the application's own, or taken from the random end
// of the id. Eight hexadecimal digits are few: one in a hundred installations with
// 10,000 cases has drawn one twice, so whoever stores a case draws again.
func (k Kind) ref(ctx context.Context, tx pgx.Tx, c Case) (string, error) {
	switch {
	case k.Ref != nil:
		ref, err := k.Ref(ctx, tx, c)
		if err == nil && !refForm.MatchString(ref) {
			err = fault.New(fault.Internal, "%s names a case %.60q, which is no ref", k.App, ref)
		}
		return ref, err
	case k.Hex:
		sum := sha256.Sum256([]byte(c.ID))
		return fmt.Sprintf("%s-%X", k.RefPrefix, sum[:4]), nil
	}
	return k.RefPrefix + "-" + string(c.ID[len(c.ID)-8:]), nil
}

// refForm is what a ref is made of: replies come to it as a part of an address.
var refForm = regexp.MustCompile(`^[A-Z0-9][A-Z0-9-]{0,39}$`)

// workflowID is the address of a case's workflow in the engine. Keys hold only
// what is safe in it.
func workflowID(c Case) string { return c.App + "/" + string(c.Org) + "/" + c.Key }

var keyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$`)

const (
	maxTitle  = 300
	maxText   = 10_000
	maxReason = 2_000
)

func checkText(what, s string, most int) (string, error) {
	s = strings.TrimSpace(s)
	switch n := len([]rune(s)); {
	case n == 0:
		return "", fault.New(fault.Invalid, "%s is empty", what)
	case n > most:
		return "", fault.New(fault.TooLarge, "%s has %d characters; the most is %d", what, n, most)
	}
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		return "", fault.New(fault.Invalid, "%s holds a character that cannot be stored", what)
	}
	return s, nil
}

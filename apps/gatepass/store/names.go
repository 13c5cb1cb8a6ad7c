package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/policy"
)

// Name is the application's: its addresses, its task queue, the log.
const Name = "gatepass"

// The names the engine and the record know; they never change.
const (
	PassName     = "gatepass.Pass"
	ApproveKind  = "gatepass_approve"
	QuestionKind = "gatepass_question"
	RecallKind   = "gatepass_recall"
)

// The acts of the application.
const (
	ActMake     = "gatepass.pass.make"
	ActRead     = "gatepass.pass.read"
	ActOversee  = "gatepass.pass.oversee"
	ActDecide   = "gatepass.pass.decide"
	ActChange   = "gatepass.pass.change"
	ActScan     = "gatepass.gate.scan"
	ActLook     = "gatepass.gate.look"
	ActMark     = "gatepass.notice.mark"
	ActSettings = "gatepass.settings.change"
	ActWatch    = "gatepass.watchlist.change"
	ActExport   = "gatepass.register.export"
	ActBoard    = "gatepass.board.read"
	ActOnsite   = "gatepass.onsite.read"
	ActTake     = "gatepass.onsite.take"
	ActTalk     = "gatepass.talk"
)

// Acts are what somebody may be allowed to do with gate passes.
func Acts() []policy.Act {
	return []policy.Act{
		{Name: ActMake, Words: "make gate passes", Persons: true},
		{Name: ActRead, Words: "read gate passes as who makes them", Reads: true},
		{Name: ActOversee, Words: "read gate passes as who approves them", Reads: true},
		{Name: ActDecide, Words: "approve or reject gate passes", Persons: true},
		{Name: ActChange, Words: "delete, revoke or extend gate passes", Persons: true},
		{Name: ActScan, Words: "let people out and in at a gate", Persons: true},
		{Name: ActLook, Words: "look at gate passes at a gate", Reads: true},
		{Name: ActMark, Words: "note what they have read", Persons: true},
		{Name: ActSettings, Words: "change sites and rules of gate passes", Persons: true},
		{Name: ActWatch, Words: "change the watchlist", Persons: true},
		{Name: ActExport, Words: "take the register of gate passes out"},
		{Name: ActBoard, Words: "see the board of gate passes", Reads: true},
		{Name: ActOnsite, Words: "see who is on a site, by their passes", Reads: true},
		{Name: ActTake, Words: "take an evacuation list out"},
		{Name: ActTalk, Words: "talk with the agent of gate passes", Persons: true},
	}
}

// Cases says that a pass is a case whose key and ref are its number: the engine knows its clock by it.
func Cases() casefile.Kind {
	return casefile.Kind{App: Name, RefPrefix: "GP", Workflow: PassName, OwnEnd: true,
		Ref: func(_ context.Context, _ pgx.Tx, c casefile.Case) (string, error) { return c.Key, nil }}
}

// NewID is a UUID of version 7: chance, after the moment it was made.
func NewID(at time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(b[:6], ms[2:])
	b[6], b[8] = b[6]&0x0f|0x70, b[8]&0x3f|0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

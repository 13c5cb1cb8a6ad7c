package agent

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// What goes into histories is written small, with short names: a run of two
// hundred turns is carried around by the engine whole.

// A State is how a run stands.
type State string

// The states of a run.
const (
	Running       State = "running"
	WaitingPerson State = "waiting_person"
	WaitingReply  State = "waiting_reply"
	Held          State = "held" // an act waits for a pause to be lifted
	Done          State = "done"
	Failed        State = "failed"
	Stopped       State = "stopped" // by a person; may be resumed
	OutOfBudget   State = "out_of_budget"
)

// Ended reports whether a run in this state will never go on.
func (s State) Ended() bool { return s == Done || s == Failed || s == OutOfBudget }

// A turnInput asks for one turn of a run. Start is said once.
type turnInput struct {
	Org     identity.Org `json:"o"`
	Run     string       `json:"r"`
	Seq     int          `json:"n"`
	Head    string       `json:"h,omitempty"`
	Late    []late       `json:"l,omitempty"`
	Said    []string     `json:"m,omitempty"` // messages of people, by id
	Taint   bool         `json:"x,omitempty"`
	Repairs int          `json:"p,omitempty"` // answers sent back so far
	Tokens  int64        `json:"g,omitempty"` // what is left; 0 for no bound
	Start   *start       `json:"s,omitempty"`
}

// A start is what a run's first turn must know.
type start struct {
	Case   string          `json:"case"`
	App    string          `json:"app"`
	Agent  string          `json:"agent"`
	Name   string          `json:"name"`
	Root   string          `json:"root,omitempty"`
	Parent string          `json:"parent,omitempty"`
	Call   string          `json:"call,omitempty"` // of the parent, which holds the task
	Head   string          `json:"head,omitempty"` // of the parent's transcript
	Kind   identity.Kind   `json:"kind,omitempty"`
	For    string          `json:"for,omitempty"`
	Roles  []identity.Role `json:"roles,omitempty"`
	Budget *Budget         `json:"budget,omitempty"` // narrower than the agent's own
}

// A turnOutcome is what a turn came to. It is kept in the step's row, so that a
// repeated turn answers the same.
type turnOutcome struct {
	Head    string    `json:"h"`
	Calls   []planned `json:"k,omitempty"` // what is left to do; reads are done
	State   State     `json:"s,omitempty"` // where the run ended
	Reason  string    `json:"w,omitempty"` // fixed words, no data
	Taint   bool      `json:"x,omitempty"`
	Repairs int       `json:"p,omitempty"`
	Spent   Spent     `json:"u,omitzero"`
	Budget  *Budget   `json:"b,omitempty"` // said by the first turn of a tree
}

// Ways in which a call goes on after its turn.
const (
	doAct   = "act"   // it may run
	doAsk   = "ask"   // a person decides first
	doAgent = "agent" // another agent is set to work
)

// A planned call is one that the workflow has to see through.
type planned struct {
	Call    string    `json:"c"`
	Do      string    `json:"d"`
	Args    string    `json:"a,omitempty"` // SHA-256 of the arguments, in hex
	Expires time.Time `json:"e,omitzero"`  // where a person decides
	Attend  time.Time `json:"w,omitzero"`  // when something is due around the proposal before that
	Agent   string    `json:"n,omitempty"`
	Budget  *Budget   `json:"b,omitempty"`
}

// late says where the next turn finds what became of a call.
type late struct {
	Call string `json:"c"`
	From string `json:"f"` // one of the sources below
	ID   string `json:"k,omitempty"`
}

const (
	fromAct      = "a" // the act's row
	fromProposal = "p" // a person said no, or nobody said anything
	fromRun      = "r" // another agent's answer
	fromNothing  = "n" // it could not be done at all
)

// A stretchInput asks for turn after turn of a run, until somebody else has to come.
type stretchInput struct {
	turnInput
	First string    `json:"f"`           // the workflow's first run, which names the runs below
	Act   *actInput `json:"a,omitempty"` // what a person has let it do, before anything else
	Purse []pocket  `json:"u"`           // of the run, then of each above it
	Depth int       `json:"d,omitempty"`
	Turns int       `json:"k"` // at most
	Heed  []heed    `json:"y"` // the run and those above it
	Doubt bool      `json:"q,omitempty"`
}

// A pocket is a purse in words.
type pocket struct {
	Limit Budget `json:"l"`
	Used  Spent  `json:"u"`
}

// A heed is a run whose orders count, and the newest of them that is known.
type heed struct {
	Run string `json:"r"`
	N   int    `json:"n,omitempty"`
}

// A stretchOutcome is how far a run came, and what is left to do. What is not told to
// the model yet is in Late; where calls are open, it is what became of those that are not.
type stretchOutcome struct {
	Seq     int     `json:"n"` // the next turn
	Head    string  `json:"h,omitempty"`
	Late    []late  `json:"l,omitempty"`
	Calls   []open  `json:"k,omitempty"` // of the newest turn, if one of them is open
	State   State   `json:"s,omitempty"` // where the run ended, or waits for words
	Reason  string  `json:"w,omitempty"`
	Taint   bool    `json:"x,omitempty"`
	Repairs int     `json:"p,omitempty"`
	Spent   Spent   `json:"u,omitzero"` // with the runs below it
	Budget  *Budget `json:"b,omitempty"`
	Acts    int     `json:"t,omitempty"` // that came to an end
	Act     string  `json:"a,omitempty"` // why the act it was to begin with was not begun
	Orders  []order `json:"o,omitempty"` // that came meanwhile
	Doubt   bool    `json:"q,omitempty"` // the next turn may be on record
}

// An open call is one that a stretch has not seen through, or has.
type open struct {
	planned
	End   *late           `json:"z,omitempty"`
	Below *stretchOutcome `json:"y,omitempty"` // how far the agent came that was set to work
}

// An order is a person's word about a run: stop, resume, retry, cancel, say.
type order struct {
	Run     string `json:"run"`
	N       int    `json:"n"` // of all orders to this run, from 1
	Do      string `json:"do"`
	Message string `json:"message,omitempty"`
}

const (
	orderStop   = "stop"
	orderResume = "resume"
	orderRetry  = "retry"
	orderCancel = "cancel"
	orderSay    = "say"
)

// An endInput says that a run is over.
type endInput struct {
	Org    identity.Org `json:"o"`
	Run    string       `json:"r"`
	State  State        `json:"s"`
	Reason string       `json:"w"`
	Start  *start       `json:"b,omitempty"` // of a run that never had a turn
}

// An actInput asks for one act.
type actInput struct {
	Org  identity.Org `json:"o"`
	Run  string       `json:"r"`
	Call string       `json:"c"`
	Args string       `json:"a"`
}

// actKey is the key under which a call's effect happens, once.
func actKey(run, call string) string { return run + "/" + call }

// notAuthorised is the outcome of an act that nobody has given leave for.
const notAuthorised = "not_authorised"

// An actOutcome is what became of it.
type actOutcome struct {
	State string `json:"s"`
	Taint bool   `json:"x,omitempty"`
}

var ulidLetters = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// runID names a run by where it stands, so that a repeated start is the same
// run: the case, the workflow's first run and the task's name.
func runID(caseID, workflowRun, name string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", caseID, workflowRun, name))
	return "run_" + "0" + ulidLetters.EncodeToString(sum[:])[:25]
}

func short(d Digest) string { return base64.RawURLEncoding.EncodeToString(d[:]) }

func long(s string) (d Digest, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(raw) != len(d) {
		return d, fault.New(fault.Invalid, "%.60q is not a digest", s)
	}
	copy(d[:], raw)
	return d, nil
}

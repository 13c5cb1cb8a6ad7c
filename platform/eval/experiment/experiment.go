// Package experiment keeps what agents were measured at: datasets in versions, experiments
// on them, and the score of every item, so that two can be compared years later.
//
// Read Plan and Store.Start; Workflow has items answered, batch after batch, and Steps says
// how a batch is carried out so that whoever is killed goes on without paying twice.
// Store.Compare sets two experiments beside each other, or says why it cannot.
package experiment

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables.
func Migrations() postgres.MigrationSet { return postgres.Embedded("experiment", migrations) }

// The acts that policy is asked about.
const (
	ActRun  = "eval.run"
	ActRead = "eval.read"
)

// WorkflowName is the workflow that carries an experiment out. It never changes.
const WorkflowName = "Experiment"

// Job is the kind of job that an experiment is. Any worker of the platform's own queue
// carries it out.
var Job = job.Kind{App: "general", Name: "experiment", Prefix: "EXP", Workflow: WorkflowName, Act: ActRun, Read: ActRead}

// A Plan is what somebody wants measured.
type Plan struct {
	Name    string // people's: "v12"
	Set     string // with its application's: "poolpatrol/shift"
	Repeats int    // how often each case is asked; 0 for once
	Fresh   bool   // ask anew, whatever was answered before
	Budget  Budget
}

// A Budget bounds what an experiment may pay. Items that are under way when it is spent are
// finished: it can be passed by as many as are asked at once. A nought is no bound.
type Budget struct {
	Micros int64 // millionths of the route's currency
	Calls  int64
}

// An Experiment is one as it was planned. How far it is stands in its job.
type Experiment struct {
	ID      string
	Name    string
	Set     string
	Dataset eval.Dataset
	Cases   int

	Evaluator string
	Subject   string
	Route     string
	Provider  string
	Model     string
	Repeats   int
	Fresh     bool
	Budget    Budget
	By        string
	At        time.Time
}

// Scripted reports whether a script answered: it shows that nothing is broken, and nothing
// about a model.
func (e Experiment) Scripted() bool { return e.Provider == "scripted" }

// Items is how many there are.
func (e Experiment) Items() int { return e.Cases * e.Repeats }

// Sets are what can be measured, by name with the application's.
type Sets map[string]eval.Set

// digest is a SHA-256 in hex.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// An Input is that of the workflow.
type Input struct {
	Org  identity.Org `json:"org"`
	ID   string       `json:"id"`
	From int          `json:"from"` // items before it are done, or nobody's
}

// key is under which a model's answer is kept: what was asked of whom, and which repeat it
// is. Where another experiment's answers do not count, it is the experiment's own.
func key(e Experiment, rep int, req model.Request) (string, error) {
	sum, err := req.Digest()
	if err != nil {
		return "", err
	}
	own := ""
	if e.Fresh {
		own = e.ID
	}
	text, err := json.Marshal([]any{fmt.Sprintf("%x", sum), e.Route, e.Provider, e.Model, rep, own})
	return digest(text), err
}

// Package setting keeps what an organisation sets for an application: a value with a schema,
// in versions, with who changed it and what changed.
//
// An application declares a Kind with Of, from the Go type of its value: the tags of its
// fields are the schema. Read gives the value in force inside a transaction. Put writes the
// next version where policy lets somebody and where they have seen the last one; a Kind that is
// Gated is written by nobody directly, but by what people approved (package amend). Kinds in
// App.OrgSettings have their form, history and differences on the platform's own pages,
// addresses and commands.
//
// What the installation is told at start is something else: platform.Setting.
package setting

import (
	"context"
	"embed"
	"encoding/json"
	"regexp"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the table of settings.
func Migrations() postgres.MigrationSet { return postgres.Embedded("setting", migrations) }

// The bounds.
const (
	MostBytes   = 64 << 10 // of a value
	MostEffects = 20       // that a preview lists
	maxItem     = 100      // characters of an item's name
	maxWords    = 300      // characters of one side of an effect
)

// A Kind is one setting of an application. Its names are remembered by the database and the
// log, and never change. Make it with Of.
type Kind struct {
	App, Name string   // "office"
	Title     string   // what it is, for people, after the word "the": "set-up of the programme"
	Read      string   // the act of who may read it
	Change    string   // the act of who may change it, or propose to
	Record    log.Kind // of its records in the log
	Many      int      // there are several, each with a name of its own, and so many at most; 0: there is one
	Gated     bool     // people decide each change: see package amend. Of such a kind there is one

	schema   json.RawMessage
	members  []string // of the value, and those of them that must be there
	needed   []string
	resolved *jsonschema.Resolved
	broken   error // what is wrong with its type, for Check to say
	fits     func(item string, value json.RawMessage) (json.RawMessage, error)
	initial  func(ctx context.Context, tx pgx.Tx, org identity.Org) (json.RawMessage, error)
	effects  func(ctx context.Context, tx pgx.Tx, org identity.Org, was, now json.RawMessage) ([]Effect, error)
	said     func(now json.RawMessage) (map[string]any, error)
	then     func(ctx context.Context, tx pgx.Tx, c Change, was, now json.RawMessage) error
}

// Schema is the JSON Schema of its value.
func (k Kind) Schema() json.RawMessage { return k.schema }

// Previews reports whether its application says what a change would do.
func (k Kind) Previews() bool { return k.effects != nil }

var (
	appForm  = regexp.MustCompile(`^[a-z]{2,20}$`)
	nameForm = regexp.MustCompile(`^[a-z][a-z_]{1,39}$`)
)

// Check says what is wrong with the declaration, at start.
func (k Kind) Check() error {
	switch {
	case k.broken != nil:
		return fault.From(fault.Invalid, k.broken, "setting %s/%s: its type has no schema: %v", k.App, k.Name, k.broken)
	case k.fits == nil:
		return fault.New(fault.Invalid, "setting %s/%s is not made with setting.Of", k.App, k.Name)
	case !appForm.MatchString(k.App) || !nameForm.MatchString(k.Name):
		return fault.New(fault.Invalid, "a setting is called by lower case letters and underscores, not %.40q/%.40q", k.App, k.Name)
	case k.Title == "" || k.Read == "" || k.Change == "" || k.Record == "":
		return fault.New(fault.Invalid,
			"setting %s/%s lacks its title, who may read it, who may change it, or its kind of record", k.App, k.Name)
	case k.Gated && k.Many > 0:
		return fault.New(fault.Invalid, "setting %s/%s: of a setting that people decide there is one", k.App, k.Name)
	case k.Many == 0 && k.initial == nil:
		return fault.New(fault.Invalid, "setting %s/%s does not say what holds until somebody sets it", k.App, k.Name)
	}
	return nil
}

// An Effect is something that would be otherwise under another value: how many vans have a
// finding, when the next pass is. Name ends the key of its message; was and now are for people.
type Effect struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Now  string `json:"now"`
}

// A Mark says which version something is, and whose.
type Mark struct {
	Version   int64 // 0: nobody has set it, and it is the application's default
	ChangedBy string
	ChangedAt *time.Time
}

// A Held is one version of a setting.
type Held struct {
	Mark
	Item     string
	Value    json.RawMessage // canonical; nil where it is removed or erased
	Removed  bool
	Erased   bool
	Proposal string // that people approved; empty where nobody was asked
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = -1

// A Change is somebody's.
type Change struct {
	Actor    identity.Actor
	Seen     int64 // the version it was made to, or AnyVersion
	At       time.Time
	Proposal string // that people approved
	Item     string
	Version  int64 // that it became, for what follows from it
}

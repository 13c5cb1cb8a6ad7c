package platform

import (
	"log/slog"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Deps are what applications stand on. An application is declared before any of it
// is there, because its migrations, policies and names need none of it; App.Open
// hands it over.
type Deps struct {
	DB       *postgres.DB
	Clock    durable.Clock
	Rules    *policy.Rules
	Cases    *casefile.Store
	Acts     *act.Store
	Reviews  *review.Store
	Runs     *agent.Store
	Calls    *agent.Calls            // where its own code asks people before something is done
	Vault    *seal.Vault             // nil where nothing is sealed: no agents, and no settings for it
	Evidence *evidence.Store         // nil where nothing is sealed
	Post     *notify.Post            // nil: no mail goes out
	PDF      *pdf.Printer            // nil where there is no browser: pages are handed out as HTML
	Routed   func(route string) bool // whether agents of a route have a model
	Logger   *slog.Logger
	Keys     durable.Keys      // seal what leaves in a link and comes back; the zero value seals nothing
	Public   string            // the address people reach the server at; empty where nobody has said
	Here     string            // where programs on this machine reach it: the same, else where it listens
	Settings map[string]string // the values of its own settings, by name; without those that are not set
}

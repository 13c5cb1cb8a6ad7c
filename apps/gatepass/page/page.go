// Package page is what people see of Gate Pass: the words of its cases, records and settings on the platform's own pages, and the app
// at the gate (package gate).
package page

import (
	"embed"
	"io/fs"

	"github.com/gavelhq/gavel/apps/gatepass/page/gate"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text of the application, by language.
func Messages() fs.FS { return platform.Folder(messages, "messages") }

// Nav is the application's lines of the rail.
func Nav() []web.NavItem { return gate.Nav() }

// Routes registers every page.
func Routes(m *web.Mux) { gate.Routes(m) }

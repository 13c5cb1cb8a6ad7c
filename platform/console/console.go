// Package console is the face people work in: the list of cases and the case's
// file. It shows and asks; the packages below decide.
//
// Every region of a page has one owner and one address, and every act is a form
// that works without script. Read Routes for the addresses.
package console

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text of the console's pages, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// Nav is the console's part of the rail.
func Nav() []web.NavItem {
	return []web.NavItem{{Section: "cases", Key: "console.cases", Path: "/cases", Icon: "case", Roles: readers()}}
}

// readers are the roles that may read cases.
func readers() []identity.Role {
	return slices.DeleteFunc(identity.Roles(), func(role identity.Role) bool {
		return casefile.May(identity.Actor{Kind: identity.Person, ID: "any", Org: "any", Roles: []identity.Role{role}}, casefile.Read) != nil
	})
}

// A Console serves the pages.
type Console struct {
	site  *web.Site
	cases *casefile.Store
}

// New makes a console over a store of cases.
func New(site *web.Site, cases *casefile.Store) *Console { return &Console{site: site, cases: cases} }

// maxForm is the most a form may send, in bytes: the longest note, in a script
// that takes nine bytes a letter once it is encoded.
const maxForm = 256 << 10

// Routes registers every page, region and act of the console.
func (c *Console) Routes(m *web.Mux) {
	m.Handle("GET /cases", c.list)
	m.Handle("GET /cases/rows", c.rows)
	m.Handle("GET /cases/{id}", c.file)
	m.Handle("GET /cases/{id}/head", c.head)
	m.Handle("GET /cases/{id}/sheet", c.sheet)
	m.Handle("GET /cases/{id}/acts", c.acts)
	m.Handle("POST /cases/{id}/notes", c.addNote, web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/close", c.closeCase, web.MaxBody(maxForm))
}

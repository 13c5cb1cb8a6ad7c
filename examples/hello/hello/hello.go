// Package hello answers questions: an agent words the answer, an officer decides whether it is given. This file is the table of contents;
// the others are the rooms: page.templ for people, rest.go for programs, casework.go for what follows from what. One that grows: a folder.
package hello

import (
	"embed"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/web"
)

const name = "hello" // the application's, everywhere: addresses, command, schema, policies, task queue

//go:embed demo finding.json messages migrations policies
var files embed.FS

// An app is the application at work: what it stands on, and the site its pages are on.
type app struct {
	platform.Deps
	site *web.Site
}

// New is everything hello adds to Gavel.
func New() platform.App {
	a := &app{}
	return platform.App{
		Name: name, Title: "Hello", Open: func(d platform.Deps) error { a.Deps = d; return nil },
		Cases:  casefile.Kind{App: name, RefPrefix: "HELLO", Workflow: workflowName, OwnEnd: true},
		Work:   durable.Work{App: name, Workflows: []durable.Workflow{{Name: workflowName, Func: Case}}},
		Agents: a.agents(), Tools: a.tools(), Policies: platform.Folder(files, "policies"),
		Nav:    []web.NavItem{{Section: name, Key: "hello.title", Path: "/hello", Icon: "chat", Act: "case.read"}},
		Routes: a.routes, Messages: platform.Folder(files, "messages"), API: []api.Part{a}, Commands: commands,
		Migrations: []postgres.MigrationSet{postgres.Embedded(name, files)}, Demo: &platform.Demo{Files: platform.Folder(files, "demo")},
	}
}

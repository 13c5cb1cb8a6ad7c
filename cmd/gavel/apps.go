package main

import (
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// apps lists the applications, one line each. This is the only file that may
// name one.
func apps() []platform.App { return nil }

// migrationSets is every migration there is, the platform's first.
func migrationSets() []postgres.MigrationSet { return platform.Migrations(apps()...) }

// erasers blank what tables say about a person, the platform's first.
func erasers() []seal.Eraser { return platform.Erasers(apps()...) }

// caseKinds is how the applications' cases are named.
func caseKinds() []casefile.Kind {
	var kinds []casefile.Kind
	for _, a := range apps() {
		kinds = append(kinds, a.Cases)
	}
	return kinds
}

// queues is the task queues that workers must serve: one for each application,
// and the platform's own.
func queues() []string {
	all := []string{casefile.General().App}
	for _, a := range apps() {
		all = append(all, a.Work.App)
	}
	return all
}

package gavel_test

import "slices"

// doors are the rooms of an application and which of its other rooms each may enter.
// The root puts the rooms together, so every door is open to it.
var doors = map[string][]string{
	"":         {"page", "rest", "cli", "casework", "outside", "store", "rule", "evals"},
	"page":     {"casework", "store", "rule"},
	"rest":     {"casework", "store", "rule"},
	"cli":      {"rest", "rule"},
	"casework": {"store", "outside", "rule"},
	"outside":  {"rule"},
	"store":    {"rule"},
	"rule":     {"rule"},
	"evals":    {"rule", "evals"},
}

// shut is what of the platform a room has no business with.
var shut = map[string][]string{
	"page": {"platform/postgres", "platform/outbox", "platform/blob"},
	"rest": {"platform/postgres", "platform/outbox", "platform/console"},
	"cli": {"platform/postgres", "platform/outbox", "platform/durable", "platform/blob", "platform/casefile", "platform/review",
		"platform/agent", "platform/console"},
	"outside": {"platform/postgres", "platform/outbox", "platform/durable", "platform/web", "platform/console", "platform/api",
		"platform/agent", "platform/review"},
	"store": {"platform/web", "platform/console", "platform/api", "platform/agent", "platform/model", "platform/tool"},
}

// roomRules are the arrows between the rooms of an application, and out of them. Tests
// may look from anywhere.
var roomRules = []importRule{
	{rule{"rooms", "page, rest → casework, store, rule; cli → rest, rule; casework → store, outside, rule; outside, store → rule",
		"move it to the room it is for, or ask a room that this one may enter"},
		func(f *file, imp imported) bool {
			inside := imp.ours && f.at.layer == apps && imp.to.layer == apps && f.at.part == imp.to.part && f.at.room != imp.to.room
			return inside && !f.at.rules && !f.test && !f.at.helper && !imp.to.helper && !slices.Contains(doors[f.at.room], imp.to.room)
		}},
	{rule{"room-shut", "a page runs no SQL, a command does not reach the database, a client of others knows no record, a store knows no " +
		"web and no agent",
		"ask the application's store, casework or API for it"},
		func(f *file, imp imported) bool {
			return imp.ours && f.at.layer == apps && !f.test && !f.at.helper && under(imp.to.dir, shut[f.at.room]...)
		}},
}

// sqlRooms are the rooms whose code may hold a transaction.
var sqlRooms = []string{"", "store", "casework"}

func roomTwins() []twin {
	return []twin{
		{"SQL in a page", "row-drivers",
			[]fake{pkg("apps/netra/page", "github.com/jackc/pgx/v5")},
			[]fake{pkg("apps/netra/store", "github.com/jackc/pgx/v5")}},
		{"a page opens the database", "room-shut",
			[]fake{pkg("apps/netra/page/board", "./platform/postgres")},
			[]fake{pkg("apps/netra/page/board", "./platform/web", "./platform/console", "./apps/netra/store", "./apps/netra/casework",
				"./apps/netra/rule/score")}},
		{"the database in a command", "room-shut",
			[]fake{pkg("apps/netra/cli", "./platform/postgres")},
			[]fake{pkg("apps/netra/cli", "./apps/netra/rest", "./apps/netra/rule/score")}},
		{"a command goes through the store", "rooms",
			[]fake{pkg("apps/netra/cli", "./apps/netra/store")},
			[]fake{pkg("apps/netra/rest", "./apps/netra/store")}},
		{"the engine in a store", "engine-sdk",
			[]fake{pkg("apps/netra/store/workflow.go", "go.temporal.io/sdk/workflow")},
			[]fake{pkg("apps/netra/casework/workflow.go", "go.temporal.io/sdk/workflow")}},
		{"the web in a store", "room-shut",
			[]fake{pkg("apps/netra/store", "./platform/web")},
			[]fake{pkg("apps/netra/store", "./platform/postgres", "./platform/outbox")}},
		{"a store knows what follows", "rooms",
			[]fake{pkg("apps/netra/store", "./apps/netra/casework")},
			[]fake{pkg("apps/netra/casework", "./apps/netra/store", "./apps/netra/outside")}},
		{"a client of others looks into the record", "rooms",
			[]fake{pkg("apps/netra/outside", "./apps/netra/store")},
			[]fake{pkg("apps/netra/outside/outside_test.go", "./apps/netra/store")}},
		{"a page asks others itself", "rooms",
			[]fake{pkg("apps/netra/page", "./apps/netra/outside")},
			[]fake{pkg("apps/netra/casework", "./apps/netra/outside")}},
		{"anything but words below rule", "rules-know-words",
			[]fake{pkg("apps/netra/rule/score", "./platform/postgres")},
			[]fake{pkg("apps/netra/rule/score", "./platform/fact")}},
		{"a room that no application has", "known-place",
			[]fake{pkg("apps/netra/helpers", "fmt")},
			[]fake{pkg("apps/netra/rule/helpers", "fmt")}},
	}
}

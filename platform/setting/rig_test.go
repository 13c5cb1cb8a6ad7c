package setting_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/signin"
)

// limits are ten numbers that an application goes by, and a word.
type limits struct {
	Radius   float64 `json:"radius" minimum:"0.1" maximum:"100" doc:"In miles."`
	Riders   int     `json:"riders" minimum:"1" maximum:"15"`
	Days     int     `json:"days" minimum:"1" maximum:"90"`
	Share    float64 `json:"share" minimum:"0" maximum:"1"`
	Hours    int     `json:"hours" minimum:"0" maximum:"23"`
	Grace    int     `json:"grace" minimum:"0" maximum:"60"`
	Absences int     `json:"absences" minimum:"0" maximum:"90"`
	Detour   float64 `json:"detour" minimum:"0" maximum:"50"`
	Seats    int     `json:"seats" minimum:"4" maximum:"15"`
	Weeks    int     `json:"weeks" minimum:"1" maximum:"52"`
	Contact  string  `json:"contact" maxLength:"100"`
}

func usual() limits {
	return limits{Radius: 2.5, Riders: 5, Days: 30, Share: 0.5, Hours: 6, Grace: 7, Absences: 12, Detour: 4, Seats: 7, Weeks: 4,
		Contact: "the desk"}
}

var (
	thresholds = setting.Of(setting.Kind{App: "yard", Name: "limits", Title: "limits of the yard", Read: "case.read",
		Change: "case.note", Record: "yard_limits"},
		setting.Functions[limits]{
			Default: func(context.Context, pgx.Tx, identity.Org) (limits, error) { return usual(), nil },
			Check: func(_ string, l limits) (limits, error) {
				l.Contact = strings.TrimSpace(l.Contact)
				if l.Riders > l.Seats {
					return l, fault.New(fault.Invalid, "%d riders do not fit on %d seats", l.Riders, l.Seats)
				}
				return l, nil
			},
			Preview: func(_ context.Context, _ pgx.Tx, _ identity.Org, was, now limits) ([]setting.Effect, error) {
				return []setting.Effect{{Name: "found", Was: strings.Repeat("x", was.Days), Now: strings.Repeat("x", now.Days)}}, nil
			},
			Said: func(l limits) map[string]any { return map[string]any{"days": l.Days} },
			Then: func(ctx context.Context, tx pgx.Tx, c setting.Change, was, now limits) error {
				if now.Weeks == 13 {
					return errors.New("what follows cannot be done")
				}
				return nil
			},
		})
	gates = setting.Of(setting.Kind{App: "yard", Name: "gate", Title: "gate", Read: "case.read", Change: "case.note",
		Record: "yard_gate", Many: 3},
		setting.Functions[limits]{})

	asha = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.North, Roles: []identity.Role{identity.Officer}}
	nila = identity.Actor{Kind: identity.Person, ID: "nila", Org: postgrestest.South, Roles: []identity.Role{identity.Officer}}
	omar = identity.Actor{Kind: identity.Person, ID: "omar", Org: postgrestest.North, Roles: []identity.Role{identity.Auditor}}
	ravi = identity.Actor{Kind: identity.Person, ID: "ravi", Org: postgrestest.North, Roles: []identity.Role{identity.Gate}}
)

// A rig is a database and what is set in it.
type rig struct {
	*testing.T
	*setting.Store
	db *postgrestest.Database
}

func newRig(t *testing.T) rig {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), setting.Migrations(), signin.Migrations())
	return rig{t, setting.NewStore(setting.Config{DB: db.App, Rules: policy.Standard(), Kinds: []setting.Kind{thresholds, gates}}), db}
}

func text(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// put sets the limits.
func (r rig) put(by identity.Actor, l limits, seen int64) (setting.Held, error) {
	return r.Set(r.Context(), by, thresholds, "", text(l), seen)
}

func (r rig) count(query string, args ...any) (n int) {
	r.Helper()
	err := r.db.App.InOrg(r.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(r.Context(), query, args...).
			Scan(&n)
	})
	if err != nil {
		r.Fatal(err)
	}
	return n
}

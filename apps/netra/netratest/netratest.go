// Package netratest is NE-NETRA's store on a real database, with districts that are made up. The tests of each room put their
// own part of the application on it.
package netratest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/setting"
)

// A Rig is the store and what it stands on.
type Rig struct {
	*platformtest.Installation

	Store *store.Store
}

// New makes a rig with a database of its own. What the platform must know of the application for the store to stand is
// declared here.
func New(t testing.TB) Rig {
	t.Helper()
	r := Rig{installation(t), store.New()}
	r.Store.Open(store.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules})
	return r
}

// NewOffice makes a rig that keeps cases and evidence, too.
func NewOffice(t testing.TB) Rig {
	t.Helper()
	r := Rig{installation(t).Keep(t), store.New()}
	r.Store.Open(store.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules, Cases: r.Deps.Cases, Kept: r.Deps.Evidence})
	return r
}

func installation(t testing.TB) *platformtest.Installation {
	t.Helper()
	return platformtest.New(t, platform.App{Name: store.Name, Acts: store.Acts(), Policies: platformtest.Folder(t, "netra.go", "policies"),
		Cases: store.Cases(), Sources: store.Sources(), Migrations: []postgres.MigrationSet{store.Migrations()}})
}

// Person is somebody of north with a role.
func Person(role identity.Role) identity.Actor {
	return platformtest.Person("asha", postgrestest.North, role)
}

// Districts are so many that are made up, numbered from 1, in two states; every third is a border district.
func Districts(n int) (all []gazette.Entry) {
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, signal.India())
	for i := 1; i <= n; i++ {
		e := gazette.Entry{LGD: i, Name: fmt.Sprintf("Made-up %d", i), State: fmt.Sprintf("State %d", i%2), From: from}
		if i%3 == 0 {
			e.Tags, e.ReviewedBy, e.ReviewedOn = []signal.Tag{signal.NearBorder}, "A. Officer", from
		}
		all = append(all, e)
	}
	return all
}

// Know has the organisation know districts.
func (r Rig) Know(t testing.TB, n int) {
	t.Helper()
	if _, err := r.Store.ImportDistricts(t.Context(), Person(identity.Officer), Districts(n)); err != nil {
		t.Fatal(err)
	}
}

// SetLimits has an officer set where bands begin.
func (r Rig) SetLimits(t testing.TB, change func(*store.Limits)) {
	t.Helper()
	settings := setting.NewStore(setting.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules,
		Kinds: []setting.Kind{store.LimitsKind}})
	limits, mark, err := setting.Get[store.Limits](t.Context(), settings, Person(identity.Officer), store.LimitsKind, "")
	if err != nil {
		t.Fatal(err)
	}
	change(&limits)
	if _, _, err := setting.Put(t.Context(), settings, Person(identity.Officer), store.LimitsKind, "", limits, mark.Version); err != nil {
		t.Fatal(err)
	}
}

// Heard is signals that are made up: n of them, of districts numbered from 1, over a time that ends at a moment, more often of
// its last day, and often on the very edge of a minute.
func Heard(lot *rand.Rand, n, districts int, until time.Time, span time.Duration) []signal.Signal {
	out := make([]signal.Signal, n)
	for i := range out {
		back := time.Duration(lot.Int64N(int64(span)))
		if lot.IntN(2) == 0 {
			back = time.Duration(lot.Int64N(int64(24 * time.Hour)))
		}
		at := until.Add(-back).Truncate(time.Microsecond)
		if lot.IntN(4) == 0 {
			at = at.Truncate(time.Minute)
		}
		lgd := 1 + lot.IntN(districts)
		s := signal.Signal{ID: fmt.Sprintf("e-%d-%06d", lot.Uint32(), i), Source: "desk", SourceType: "news", Type: signal.Riot, At: at,
			LGD:      lgd,
			Severity: 1 + lot.IntN(5), Polarity: signal.Polarities()[lot.IntN(3)], Enforcement: lot.IntN(4) == 0, Geo: 1,
			Layers: []signal.Layer{signal.Layers()[lot.IntN(3)]}, Summary: "Made up for a test", Sources: 1}
		if lgd%3 == 0 {
			s.Geo = 1.5
		}
		if other := signal.Layers()[lot.IntN(3)]; lot.IntN(3) == 0 && !s.In(other) {
			s.Layers = append(s.Layers, other)
		}
		out[i] = s
	}
	return out
}

// Crowd moves signals into the hour that begins at a time, so that it has more than are read one by one.
func Crowd(lot *rand.Rand, some []signal.Signal, hour time.Time) {
	hour = hour.Truncate(time.Hour)
	for i := range some {
		some[i].At = hour.Add(time.Duration(lot.Int64N(int64(time.Hour)))).Truncate(time.Microsecond)
		if lot.IntN(4) == 0 {
			some[i].At = some[i].At.Truncate(time.Minute)
		}
	}
}

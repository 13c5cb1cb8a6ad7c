package store_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A square of the Punjab, around the fires of laketest.Surge.
const squares = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"district":"Made-up Mansa","state":"Punjab"},
	"geometry":{"type":"Polygon","coordinates":[[[75.0,30.1],[75.7,30.1],[75.7,30.8],[75.0,30.8],[75.0,30.1]]]}}]}`

// TestBoundariesAreRefusedWithoutTheirTerms promises that, and that a file of another
// place is refused before anybody relies on it.
func TestBoundariesAreRefusedWithoutTheirTerms(t *testing.T) {
	r := airshedtest.New(t)
	good := region.Terms{Name: "d.json", Licence: "made up", AsOf: "2026-01-31"}
	for what, tt := range map[string]struct {
		who   identity.Actor
		file  string
		terms region.Terms
		want  fault.Kind
	}{
		"no licence":    {airshedtest.Person(identity.Officer), squares, region.Terms{AsOf: "2026-01-31"}, fault.Invalid},
		"no date":       {airshedtest.Person(identity.Officer), squares, region.Terms{Licence: "made up"}, fault.Invalid},
		"no file":       {airshedtest.Person(identity.Officer), "", good, fault.Invalid},
		"another state": {airshedtest.Person(identity.Officer), strings.ReplaceAll(squares, "Punjab", "Kerala"), good, fault.Invalid},
		"an analyst":    {airshedtest.Person(identity.Analyst), squares, good, fault.Refused},
		"the system":    {identity.Gavel(postgrestest.North), squares, good, fault.Refused},
	} {
		if _, err := r.Store.ImportBoundary(t.Context(), tt.who, []byte(tt.file), tt.terms); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
	}
	if all, err := r.Store.Boundaries(t.Context(), airshedtest.Person(identity.Analyst), store.Cursor{}, 10); err != nil || len(all) != 0 {
		t.Errorf("%d were imported, %v", len(all), err)
	}
}

package page

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/search"
)

// TestStationsAndEpisodesAreFoundByName promises that the search of every page leads to each,
// and a station to its own episodes.
func TestStationsAndEpisodesAreFoundByName(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	if err := s.Store.KeepReference(t.Context()); err != nil {
		t.Fatal(err)
	}
	english, err := fs.ReadFile(Messages(), "en.json")
	if err != nil {
		t.Fatal(err)
	}
	finder := search.New(s.Deps.DB, s.Deps.Rules, store.Finds()...)
	name, _, _ := strings.Cut(e.Station, ",")
	for _, tt := range []struct{ text, kind, id, says string }{
		{name, "airshed.station", e.Site, e.Site},
		{e.Site, "airshed.station", e.Site, "Episodes at"},
		{name, "airshed.episode", string(e.Key), string(e.Key)},
		{string(e.Key), "airshed.episode", string(e.Key), string(e.Key)},
		{strings.ToLower(e.FirstScan), "airshed.scan", e.FirstScan, e.FirstScan},
	} {
		all, err := finder.Find(t.Context(), airshedtest.Person(identity.Analyst), tt.text)
		at := slices.IndexFunc(all.Hits, func(h search.Hit) bool { return string(h.Kind) == tt.kind && h.ID == tt.id })
		if err != nil || at < 0 {
			t.Errorf("%q finds %+v, %v", tt.text, all.Hits, err)
			continue
		}
		for _, key := range []string{all.Hits[at].State, all.Hits[at].Says, "search.kind." + tt.kind} {
			if key != "" && !strings.Contains(string(english), `"`+key+`":`) {
				t.Errorf("%q says %q, which is no message", tt.text, key)
			}
		}
		s.Get(t, identity.Analyst, all.Hits[at].Address).Holds(t, 200, tt.says)
		none, err := finder.Find(t.Context(), airshedtest.Person(identity.ProgrammeManager), tt.text)
		if err != nil || slices.ContainsFunc(none.Hits, func(h search.Hit) bool { return h.Kind != search.Case }) {
			t.Errorf("who may not read it finds %+v, %v", none.Hits, err)
		}
	}
	s.Get(t, identity.Analyst, "/airshed/episodes?station=site_none").Holds(t, 200, "No episode at site_none")
}

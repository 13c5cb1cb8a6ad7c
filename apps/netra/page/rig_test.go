package page

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// A stage is the pages on a real database and a real server.
type stage struct {
	netratest.Rig
	*platformtest.Server

	desk *casework.Desk
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{Rig: netratest.New(t)}
	s.App.Messages, s.App.Nav, s.App.Assets = Messages(), Nav(), Assets()
	s.desk = casework.New(s.Store)
	pages := New(s.Store, s.desk, analyst.New(s.Store, s.desk), correction.New(s.Store, s.desk))
	s.Server = s.Serve(t, platformtest.Serves{Routes: pages.Routes, Home: HomeAt})
	return s
}

// hear brings signals in.
func (s *stage) hear(t *testing.T, all ...signal.Signal) {
	t.Helper()
	if _, err := s.Store.Take(t.Context(), netratest.Person(identity.Analyst), store.Part{Name: "a.ndjson", Feed: "ndjson", Lines: len(all),
		Signals: all}); err != nil {
		t.Fatal(err)
	}
}

// told is a signal of so many hours ago.
func (s *stage) told(id string, lgd int, hours float64, severity int, way signal.Polarity, layer signal.Layer, what string) signal.Signal {
	return signal.Signal{ID: id, Source: "desk-4", SourceType: "news", Type: signal.Riot, LGD: lgd, Severity: severity, Polarity: way,
		Geo: 1, At: s.Store.Now().Add(-time.Duration(hours * float64(time.Hour))), Layers: []signal.Layer{layer}, Summary: what, Sources: 1}
}

// scene has ten districts know what they are: one that rose, one that calms, one silent, one with police action alone.
func (s *stage) scene(t *testing.T) {
	t.Helper()
	s.Know(t, 10)
	var usual []signal.Signal
	for day := 1; day <= 30; day++ {
		for _, lgd := range []int{1, 2, 5} {
			for k := range 3 {
				usual = append(usual, s.told("usual-"+string(rune('a'+k))+"-"+string(rune('0'+lgd))+"-"+time.Duration(day).String(), lgd,
					float64(24*day+3+k), 1, signal.Escalatory, signal.Cognitive, "A rumour was denied"))
			}
		}
	}
	s.hear(t, usual...)
	police := s.told("cordon", 4, 5, 2, signal.Neutral, signal.Physical, "A search in the hills")
	police.Enforcement, police.Type = true, signal.Cordon
	s.hear(t, s.told("riot", 1, 2, 5, signal.Escalatory, signal.Physical, "Stones thrown at the weekly market"),
		s.told("fire", 1, 6, 4, signal.Escalatory, signal.Physical, "Two shops burnt"),
		s.told("bandh", 1, 9, 3, signal.Escalatory, signal.Network, "Bandh called by three bodies"),
		s.told("peace", 1, 4, 2, signal.Stabilizing, signal.Physical, "A peace meeting was held"),
		s.told("small", 5, 20, 1, signal.Escalatory, signal.Cognitive, "A rumour of a closed school"), police)
}

// freeze writes scores down, as somebody does every morning.
func (s *stage) freeze(t *testing.T, p score.Profile) {
	t.Helper()
	if _, _, err := s.desk.Freeze(t.Context(), netratest.Person(identity.Officer), p); err != nil {
		t.Fatal(err)
	}
}

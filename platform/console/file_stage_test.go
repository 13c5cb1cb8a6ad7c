package console_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/policy"
)

// newStageWith is a stage whose general cases show more: what an application adds.
func newStageWith(t testing.TB, part console.Part) *stage {
	t.Helper()
	s := newStage(t)
	s.part = part
	s.build(t)
	s.server.Config.Handler = s.handler
	return s
}

// tellers keeps links for the people concerned, signed with a key of the test's.
func (s *stage) tellers(t testing.TB) *concern.Store {
	t.Helper()
	keys, err := durable.ParseKeys("test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	if err != nil {
		t.Fatal(err)
	}
	s.links, err = concern.New(concern.Config{DB: s.db.App, Rules: policy.Standard(), Cases: s.store, Keys: keys,
		Theirs: console.Theirs(map[string][]console.Part{"general": {s.part}})})
	if err != nil {
		t.Fatal(err)
	}
	return s.links
}

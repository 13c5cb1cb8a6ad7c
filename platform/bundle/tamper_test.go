package bundle_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// A scene is what attackers work on: a bundle, and one of another case of the
// same institution.
type scene struct {
	stage       *bundletest.Stage
	mine, other *bundletest.Forgery
	packed      []byte         // mine, as it was exported
	foreign     audit.RecordID // a record of another organisation in the same log
	stolen      string         // a key of the attacker's own, for a log of the same name
	strayKey    audit.Verifier // its public half

	partly, wholly *bundletest.Forgery // of cases in which somebody was erased: in some of it, and in all of it
}

// A kind is one way to tamper with a scene. names is what a finding must name.
type kind struct {
	who, what, names string
	forge            func(t *testing.T, s *scene) []byte
}

// on is the kind at work on a scene.
func (k kind) on(t *testing.T, s *scene) bundletest.Tampering {
	return bundletest.Tampering{Who: k.who, What: k.what, Names: k.names, Forge: func(testing.TB) []byte { return k.forge(t, s) }}
}

// TestTampering prints, for every kind of tampering with every kind of thing in
// a bundle, what verifying says, and promises that it says so every time. The
// kinds come from the registered sections: a new section is tried without being
// added here.
func TestTampering(t *testing.T) {
	s := newScene(t)
	if got := check(s.packed, s.stage.Public).Verdict(); got != bundle.Genuine {
		t.Fatalf("untouched: got %s, want genuine", got)
	}
	kinds := append(bundletest.OutsideKinds(s.mine, s.other), keyKinds(s)...)
	for _, k := range slices.Concat(archiveKinds(), signatureKinds(), insiderKinds(t, s), erasureKinds(s), decidedKinds(s),
		peopleKinds(s)) {
		kinds = append(kinds, k.on(t, s))
	}
	bundletest.Tamper(t, kinds, func(data []byte) *bundle.Report { return check(data, s.stage.Public) })
	if len(kinds) < 40 {
		t.Errorf("%d kinds were tried, want at least 40", len(kinds))
	}
	bundletest.EverySectionIsTried(t, s.stage.Exporter.Sections(), kinds)
}

func newScene(t *testing.T) *scene {
	stage := bundletest.New(t)
	other := stage.Case(t, 11)
	stage.Export(t, other) // so that the log has a checkpoint before the case's own
	id := stage.Case(t, 7)
	stage.Export(t, id)
	stage.Case(t, 13)
	s := &scene{stage: stage, foreign: stage.Foreign(t)}
	s.packed = stage.Export(t, id)
	s.mine, s.other = bundletest.TakeApart(t, s.packed), bundletest.TakeApart(t, stage.Export(t, other))
	s.setErased(t)
	var err error
	if s.stolen, s.strayKey, err = audit.NewKey(bundletest.Origin); err != nil {
		t.Fatal(err)
	}
	return s
}

// archiveKinds tamper with the zip itself.
func archiveKinds() []kind {
	raw := func(what, names string, change func(b []byte) []byte) kind {
		return kind{"careless", what, names, func(_ *testing.T, s *scene) []byte { return change(bytes.Clone(s.packed)) }}
	}
	return []kind{
		raw("cut off the end of the archive", "the archive", func(b []byte) []byte { return b[:len(b)-100] }),
		raw("cut off the beginning of the archive", "README.md", func(b []byte) []byte { return b[100:] }),
		raw("leave nothing of the archive", "the archive", func([]byte) []byte { return nil }),
		raw("put bytes before the archive", "README.md", func(b []byte) []byte { return append([]byte("#!/bin/sh\n"), b...) }),
		raw("put bytes behind the archive", "the archive", func(b []byte) []byte { return append(b, "hidden"...) }),
		{"careless", "put the archive's files in another order", "VERIFY.md", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			for name := range f.Files {
				f.Order = append(f.Order, name)
			}
			slices.Sort(f.Order)
			slices.Reverse(f.Order)
			return f.Pack(t)
		}},
		{"careless", "add a file", "case/more.json", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			f.Files["case/more.json"] = []byte("{}\n")
			return f.Pack(t)
		}},
	}
}

// signatureKinds are attackers who sign, with a key of their own.
func signatureKinds() []kind {
	return []kind{
		{"forger", "sign everything anew with another key", "gavel.test/log", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			f.SignWith(t, s.stolen)
			return f.Pack(t)
		}},
		{"forger", "change a note and sign with another key", "history/entries.ndjson", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			f.Files["history/entries.ndjson"] = bytes.Replace(f.Files["history/entries.ndjson"], []byte("Wind from"), []byte("Rain from"),
				1)
			f.SignWith(t, s.stolen)
			return f.Pack(t)
		}},
		{"forger", "make a whole case under a log of the same name", "gavel.test/log", func(t *testing.T, _ *scene) []byte {
			elsewhere := bundletest.New(t)
			return elsewhere.Export(t, elsewhere.Case(t, 7))
		}},
		{"forger", "take the manifest and signatures of another case", "manifest.sig", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			f.Files["manifest.sig"] = s.other.Files["manifest.sig"]
			return f.Pack(t)
		}},
		{"forger", "sign the note for another manifest", "manifest.note", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			f.Files["manifest.note"] = s.other.Files["manifest.note"]
			return f.Pack(t)
		}},
	}
}

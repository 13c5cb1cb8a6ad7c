package bundle_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/audit/bundle/bundletest"
)

// A scene is what attackers work on: a bundle, and one of another case of the
// same institution.
type scene struct {
	stage       *bundletest.Stage
	mine, other *forgery
	packed      []byte         // mine, as it was exported
	foreign     audit.RecordID // a record of another organisation in the same log
	stolen      string         // a key of the attacker's own, for a log of the same name
}

// A kind is one way to tamper. names is what a finding must name.
type kind struct {
	who, what, names string
	forge            func(t *testing.T, s *scene) []byte
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
	kinds := slices.Concat(archiveKinds(), fileKinds(s), lineKinds(s), signatureKinds(), insiderKinds(t, s))
	detected := 0
	for _, k := range kinds {
		rep := check(k.forge(t, s), s.stage.Public)
		said := ""
		for _, f := range rep.Findings() {
			if strings.Contains(f.Text, k.names) || f.What == k.names {
				said = f.Text
				break
			}
		}
		if rep.Verdict() == bundle.Altered && said != "" {
			detected++
		} else {
			t.Errorf("%s: %s: verdict %s, findings %v; want altered, and %q named", k.who, k.what, rep.Verdict(), rep.Findings(), k.names)
		}
		fmt.Printf("%-9s %-76s %s\n", k.who, k.what, said)
	}
	fmt.Printf("%d of %d detected\n", detected, len(kinds))
	if len(kinds) < 40 {
		t.Errorf("%d kinds were tried, want at least 40", len(kinds))
	}
	everySectionIsTried(t, s, kinds)
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
	s.mine, s.other = takeApart(t, s.packed), takeApart(t, stage.Export(t, other))
	var err error
	if s.stolen, _, err = audit.NewKey(bundletest.Origin); err != nil {
		t.Fatal(err)
	}
	return s
}

// everySectionIsTried promises that no section escapes the bar.
func everySectionIsTried(t *testing.T, s *scene, kinds []kind) {
	t.Helper()
	for _, section := range s.stage.Exporter.Sections() {
		for _, who := range []string{"careless", "careful", "insider"} {
			tried := func(k kind) bool { return k.who == who && strings.Contains(k.what+" "+k.names, section.Name+"/") }
			if !slices.ContainsFunc(kinds, tried) {
				t.Errorf("no %s attacker tampers with section %s", who, section.Name)
			}
		}
	}
}

var digest = regexp.MustCompile(`[0-9a-f]{64}`)

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
			f := s.mine.copy()
			for name := range f.files {
				f.order = append(f.order, name)
			}
			slices.Sort(f.order)
			slices.Reverse(f.order)
			return f.pack(t)
		}},
		{"careless", "add a file", "case/more.json", func(t *testing.T, s *scene) []byte {
			f := s.mine.copy()
			f.files["case/more.json"] = []byte("{}\n")
			return f.pack(t)
		}},
	}
}

// fileKinds tamper with every file there is.
func fileKinds(s *scene) []kind {
	var kinds []kind
	for _, op := range []struct {
		name   string
		change func(f *forgery, path string, other []byte)
	}{
		{"flip a bit in", func(f *forgery, path string, _ []byte) { f.files[path] = flip(f.files[path]) }},
		{"remove", func(f *forgery, path string, _ []byte) { delete(f.files, path) }},
		{"truncate", func(f *forgery, path string, _ []byte) { f.files[path] = f.files[path][:len(f.files[path])/2] }},
		{"empty", func(f *forgery, path string, _ []byte) { f.files[path] = nil }},
		{"double", func(f *forgery, path string, _ []byte) { f.twice = path }},
		{"exchange with another case's", func(f *forgery, path string, other []byte) { f.files[path] = other }},
	} {
		for _, path := range things(s.mine) {
			other := s.counterpart(path)
			if len(s.mine.files[path]) == 0 || bytes.Equal(other, s.mine.files[path]) && strings.HasPrefix(op.name, "exchange") {
				continue // nothing to flip, or nothing to tell apart
			}
			careless := func(s *scene) *forgery {
				f := s.mine.copy()
				op.change(f, path, other)
				return f
			}
			what := op.name + " " + digest.ReplaceAllString(path, "<sha256>")
			kinds = append(kinds, kind{"careless", what, path, func(t *testing.T, s *scene) []byte { return careless(s).pack(t) }})
			if slices.Contains(beside, path) || path == "SHA256SUMS" || op.name == "double" {
				continue // fixing up would undo it
			}
			kinds = append(kinds, kind{"careful", what, "manifest.sig", func(t *testing.T, s *scene) []byte {
				f := careless(s)
				f.fixUp(t)
				return f.pack(t)
			}})
		}
	}
	return unique(kinds)
}

// things are the files of a bundle, one of each kind.
func things(f *forgery) []string {
	var out []string
	for path := range f.files {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// counterpart is the file of the other case that plays the same part.
func (s *scene) counterpart(path string) []byte {
	if body, ok := s.other.files[path]; ok {
		return body
	}
	dir, _, _ := strings.Cut(path, "bytes/")
	for name, body := range s.other.files {
		if strings.HasPrefix(name, dir+"bytes/") {
			return body
		}
	}
	return nil
}

// unique keeps the first of kinds that are called the same.
func unique(kinds []kind) []kind {
	seen := map[string]bool{}
	return slices.DeleteFunc(kinds, func(k kind) bool {
		name := k.who + k.what
		defer func() { seen[name] = true }()
		return seen[name]
	})
}

// lineKinds tamper with the lines of every file that has lines, by an attacker
// who makes all hashes agree again and cannot sign.
func lineKinds(s *scene) []kind {
	var kinds []kind
	for _, path := range things(s.mine) {
		for _, op := range lineOps(s, path) {
			change := func(s *scene) *forgery {
				f := s.mine.copy()
				f.files[path] = unlines(op.change(lines(f.files[path])))
				return f
			}
			kinds = append(kinds,
				kind{"careless", op.name + " of " + path, path, func(t *testing.T, s *scene) []byte { return change(s).pack(t) }},
				kind{"careful", op.name + " of " + path, "manifest.sig", func(t *testing.T, s *scene) []byte {
					f := change(s)
					f.fixUp(t)
					return f.pack(t)
				}})
		}
	}
	return kinds
}

type lineOp struct {
	name   string
	change func([][]byte) [][]byte
}

// lineOps are the operations that make sense for a file.
func lineOps(s *scene, path string) []lineOp {
	have := lines(s.mine.files[path])
	if !strings.HasSuffix(path, ".ndjson") || len(have) == 0 {
		return nil
	}
	ops := []lineOp{
		{"flip a bit in a line", func(l [][]byte) [][]byte { l[0] = flip(l[0]); return l }},
		{"remove a line", func(l [][]byte) [][]byte { return slices.Delete(l, len(l)/2, len(l)/2+1) }},
		{"double a line", func(l [][]byte) [][]byte { return append(l, l[len(l)-1]) }},
		{"cut a line short", func(l [][]byte) [][]byte { l[len(l)-1] = l[len(l)-1][:len(l[len(l)-1])/2]; return l }},
	}
	if len(have) > 1 {
		ops = append(ops, lineOp{"exchange two lines", func(l [][]byte) [][]byte { l[0], l[1] = l[1], l[0]; return l }})
	}
	if theirs := lines(s.other.files[path]); len(theirs) > 0 && !bytes.Equal(theirs[len(theirs)-1], have[len(have)-1]) {
		ops = append(ops, lineOp{"put in another case's line instead of one", func(l [][]byte) [][]byte { l[len(l)-1] = theirs[len(theirs)-1]; return l }})
	}
	return ops
}

func lines(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	var out [][]byte
	for _, l := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
		out = append(out, bytes.Clone(l))
	}
	return out
}

func unlines(l [][]byte) []byte {
	if len(l) == 0 {
		return nil
	}
	return append(bytes.Join(l, []byte("\n")), '\n')
}

// flip changes one bit in the middle.
func flip(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 1
	return b
}

// signatureKinds are attackers who sign, with a key of their own.
func signatureKinds() []kind {
	return []kind{
		{"forger", "sign everything anew with another key", "gavel.test/log", func(t *testing.T, s *scene) []byte {
			f := s.mine.copy()
			f.signWith(t, s.stolen)
			return f.pack(t)
		}},
		{"forger", "change a note and sign with another key", "history/entries.ndjson", func(t *testing.T, s *scene) []byte {
			f := s.mine.copy()
			f.files["history/entries.ndjson"] = bytes.Replace(f.files["history/entries.ndjson"], []byte("Wind from"), []byte("Rain from"), 1)
			f.signWith(t, s.stolen)
			return f.pack(t)
		}},
		{"forger", "put the forger's key on the list of keys, too", "log/keys.ndjson", func(t *testing.T, s *scene) []byte {
			f := s.mine.copy()
			f.signWith(t, s.stolen)
			f.files["log/keys.ndjson"] = bytes.ReplaceAll(f.files["log/keys.ndjson"], []byte(s.stage.Public), []byte(f.manifest(t).Key))
			f.signWith(t, s.stolen)
			return f.pack(t)
		}},
		{"forger", "make a whole case under a log of the same name", "gavel.test/log", func(t *testing.T, _ *scene) []byte {
			elsewhere := bundletest.New(t)
			return elsewhere.Export(t, elsewhere.Case(t, 7))
		}},
		{"forger", "take the manifest and signatures of another case", "manifest.sig", func(t *testing.T, s *scene) []byte {
			f := s.mine.copy()
			f.files["manifest.sig"] = s.other.files["manifest.sig"]
			return f.pack(t)
		}},
		{"forger", "sign the note for another manifest", "manifest.note", func(t *testing.T, s *scene) []byte {
			f := s.mine.copy()
			f.files["manifest.note"] = s.other.files["manifest.note"]
			return f.pack(t)
		}},
	}
}

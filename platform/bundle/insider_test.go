package bundle_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// insiderKinds are what someone does who holds the institution's own key and
// signs what they like: everything the log contradicts is still found. What only
// the manifest's signature vouches for is not among them, and the checks say so.
func insiderKinds(t *testing.T, s *scene) []kind {
	edit := func(what, path string, change func(line map[string]any)) kind {
		return insider(what, path, func(t *testing.T, f *bundletest.Forgery) { f.Edit(t, path, "", change) })
	}
	receipt := func(what string, change func(line map[string]any)) kind {
		const path = "snapshots/receipts.ndjson"
		return insider(what, path, func(t *testing.T, f *bundletest.Forgery) { f.Edit(t, path, "text/csv", change) })
	}
	kinds := []kind{
		edit("name another case", "case/case.json", func(l map[string]any) { l["id"] = s.other.Manifest(t).Case }),
		edit("call the case closed", "case/case.json", func(l map[string]any) { l["state"] = "closed" }),
		edit("reword a note", "history/entries.ndjson", func(l map[string]any) { l["text"] = "Nothing happened." }),
		edit("have a note by somebody else", "history/entries.ndjson",
			func(l map[string]any) { l["actor"].(map[string]any)["id"] = "p:officer" }),
		edit("date a note back", "history/entries.ndjson", func(l map[string]any) { l["at"] = "2020-01-01T00:00:00Z" }),
		edit("change a fact's value", "facts/facts.ndjson", func(l map[string]any) {
			l["value"], l["exact"], l["display"] = "99", "99",
				"99.0 µg/m³"
		}),
		edit("change a fact's unit", "facts/facts.ndjson", func(l map[string]any) { l["unit"] = "mg/m3" }),
		edit("point a fact to another row", "facts/facts.ndjson", func(l map[string]any) {
			l["source"].(map[string]any)["selector"] = map[string]any{"csv": map[string]any{"row": 9, "column": "pm25"}}
		}),
		insider("change a formula's inputs", "facts/facts.ndjson", func(t *testing.T, f *bundletest.Forgery) {
			f.Files["facts/facts.ndjson"] = bytes.Replace(f.Files["facts/facts.ndjson"], []byte(`["F6@1","F4@1"]`),
				[]byte(`["F6@1","F5@1"]`), 1)
		}),
		edit("count a batch of facts differently", "facts/batches.ndjson", func(l map[string]any) { l["facts"] = 3 }).
			naming("facts/facts.ndjson"),
		receipt("date a receipt back", func(l map[string]any) { l["fetched_at"] = "2020-01-01T00:00:00Z" }),
		receipt("name another source", func(l map[string]any) { l["source"] = "given" }),
		receipt("name another place", func(l map[string]any) { l["place"] = "https://elsewhere.example/" }),
		edit("turn evidence to the other side", "snapshots/evidence.ndjson", func(l map[string]any) { l["side"] = "against" }),
		edit("widen the part of the evidence", "snapshots/evidence.ndjson", func(l map[string]any) { l["range"] = nil }),
		insider("exchange a snapshot's bytes", "snapshots/receipts.ndjson", func(_ *testing.T, f *bundletest.Forgery) {
			for name := range f.Files {
				if strings.HasPrefix(name, "snapshots/bytes/") {
					f.Files[name] = []byte("made up")
				}
			}
		}),
		edit("change a record", "log/records.ndjson", func(l map[string]any) { l["at"] = "2020-01-01T00:00:00.000000Z" }),
		edit("have a record of another organisation", "log/records.ndjson", func(l map[string]any) { l["org"] = "south" }),
		edit("give a proof another number", "log/proofs.ndjson", func(l map[string]any) { l["seq"] = 1 }).naming("log/records.ndjson"),
		edit("put a hash into a proof", "log/proofs.ndjson", func(l map[string]any) {
			l["path"] = append(l["path"].([]any), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
		}).naming("log/records.ndjson"),
		edit("rest a proof on another checkpoint", "log/proofs.ndjson", func(l map[string]any) { l["checkpoint"] = 5 }).
			naming("log/records.ndjson"),
		edit("change an extension of a checkpoint", "log/checkpoints.ndjson", func(l map[string]any) { l["path"] = []any{} }),
		edit("change an earlier checkpoint", "log/checkpoints.ndjson", func(l map[string]any) {
			l["note"] = strings.Replace(l["note"].(string), "\n", "\n1", 1)
		}),
		insider("claim more entries in the newest checkpoint", "log/checkpoint", func(_ *testing.T, f *bundletest.Forgery) {
			f.Files["log/checkpoint"] = bytes.Replace(f.Files["log/checkpoint"], []byte("\n"), []byte("\n1"), 1)
		}),
		insider("take the newest checkpoint's signature off", "log/checkpoint", func(_ *testing.T, f *bundletest.Forgery) {
			text, _, _ := bytes.Cut(f.Files["log/checkpoint"], []byte("\n\n"))
			f.Files["log/checkpoint"] = append(text, "\n\n— gavel.test/log AAAA\n"...)
		}),
		edit("put the key in force later", "log/keys.ndjson", func(l map[string]any) { l["from"] = 3 }),
		edit("have another record name the key", "log/keys.ndjson",
			func(l map[string]any) { l["record"] = "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV" }),
	}
	return append(kinds, droppedTogether(s)...)
}

// droppedTogether are lines that an insider removes with whatever else names
// them, as far as the log can still tell.
func droppedTogether(s *scene) []kind {
	last := func(path string) func(*testing.T, *bundletest.Forgery) {
		return func(_ *testing.T, f *bundletest.Forgery) {
			l := bundletest.Lines(f.Files[path])
			f.Files[path] = bundletest.Unlines(l[:len(l)-1])
		}
	}
	return []kind{
		insider("drop the last note and lower the version", "history/entries.ndjson", func(t *testing.T, f *bundletest.Forgery) {
			last("history/entries.ndjson")(t, f)
			f.Edit(t, "case/case.json", "", func(l map[string]any) { l["version"] = l["version"].(float64) - 1 })
		}),
		insider("drop the last batch of facts", "facts/facts.ndjson", func(t *testing.T, f *bundletest.Forgery) {
			last("facts/batches.ndjson")(t, f)
			last("facts/facts.ndjson")(t, f)
		}),
		insider("drop the last piece of evidence", "snapshots/evidence.ndjson", last("snapshots/evidence.ndjson")),
		insider("drop a record and its proof", "history/entries.ndjson", func(_ *testing.T, f *bundletest.Forgery) {
			records, proofs := bundletest.Lines(f.Files["log/records.ndjson"]), bundletest.Lines(f.Files["log/proofs.ndjson"])
			i := slices.IndexFunc(records, func(l []byte) bool { return bytes.Contains(l, []byte(`"kind":"case"`)) })
			f.Files["log/records.ndjson"] = bundletest.Unlines(slices.Delete(records, i, i+1))
			f.Files["log/proofs.ndjson"] = bundletest.Unlines(slices.Delete(proofs, i, i+1))
		}),
		insider("put in a true record of another organisation", "log/records.ndjson",
			func(t *testing.T, f *bundletest.Forgery) { putForeign(t, f, s) }),
		insider("add a record twice", "log/records.ndjson", func(_ *testing.T, f *bundletest.Forgery) {
			for _, name := range []string{"log/records.ndjson", "log/proofs.ndjson"} {
				l := bundletest.Lines(f.Files[name])
				f.Files[name] = bundletest.Unlines(append(l, l[len(l)-1]))
			}
		}),
		insider("add a checkpoint that proves nothing", "log/checkpoints.ndjson", func(_ *testing.T, f *bundletest.Forgery) {
			f.Files["log/checkpoints.ndjson"] = s.other.Files["log/checkpoints.ndjson"]
		}),
		insider("show something else in the viewer", "index.html", func(_ *testing.T, f *bundletest.Forgery) {
			f.KeepPage = true
			f.Files["index.html"] = bytes.Replace(f.Files["index.html"], []byte("Wind from"), []byte("Rain from"), 1)
		}),
	}
}

// insider signs a change with the institution's key.
func insider(what, path string, change func(t *testing.T, f *bundletest.Forgery)) kind {
	return kind{"insider", what, path, func(t *testing.T, s *scene) []byte {
		f := s.mine.Copy()
		change(t, f)
		f.SignWith(t, s.stage.Secret)
		return f.Pack(t)
	}}
}

// naming says that another file is the one to be named.
func (k kind) naming(path string) kind {
	k.names = path
	return k
}

// putForeign adds a record of another organisation with a proof that holds.
func putForeign(t *testing.T, f *bundletest.Forgery, s *scene) {
	t.Helper()
	one, err := audit.Get(t.Context(), s.stage.DB.System, s.foreign)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := audit.Prove(t.Context(), s.stage.DB.System, s.foreign)
	if err != nil {
		t.Fatal(err)
	}
	base, err := audit.ParseCheckpoint(proof.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(map[string]any{"record": one.ID, "seq": proof.Seq, "checkpoint": base.Tree.N, "path": proof.Path})
	if err != nil {
		t.Fatal(err)
	}
	records, proofs := bundletest.Lines(f.Files["log/records.ndjson"]), bundletest.Lines(f.Files["log/proofs.ndjson"])
	var seqs []int64
	for _, l := range proofs {
		var p struct{ Seq int64 }
		if err := json.Unmarshal(l, &p); err != nil {
			t.Fatal(err)
		}
		seqs = append(seqs, p.Seq)
	}
	at, _ := slices.BinarySearch(seqs, proof.Seq)
	f.Files["log/records.ndjson"] = bundletest.Unlines(slices.Insert(records, at, []byte(one.JSON)))
	f.Files["log/proofs.ndjson"] = bundletest.Unlines(slices.Insert(proofs, at, line))
}

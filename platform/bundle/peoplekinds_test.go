package bundle_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

const leavesPath = "decisions/delegations.ndjson"

// peopleKinds are what an insider with the institution's key does to have
// somebody decide by leave that nobody gave, or to pass a test off as real.
func peopleKinds(s *scene) []kind {
	return append(append(leaveKinds(s), steadKinds(s)...), append(testKinds(s), outsideKinds()...)...)
}

func changed(what, path, holding string, change func(l map[string]any)) kind {
	return insider(what, path, func(t *testing.T, f *bundletest.Forgery) { f.Edit(t, path, holding, change) })
}

func setTo(name string, v any) func(map[string]any) { return func(l map[string]any) { l[name] = v } }

const (
	givenUp  = `"from":"p:officer"` // the delegation that was ended
	goesOn   = `"from":"p:second"`
	forFirst = `"on_behalf":"p:officer"` // a decision under the one
	forOther = `"on_behalf":"p:second"`
	madeUp   = "del_01ARZ3NDEKTSV4RRFFQ69G5FAV"
)

// leaveKinds change delegations.
func leaveKinds(s *scene) []kind {
	var up, on struct{ ID, Record string }
	_ = json.Unmarshal(lineWith(s, leavesPath, givenUp), &up) // an empty one makes the kinds below fail
	_ = json.Unmarshal(lineWith(s, leavesPath, goesOn), &on)
	kinds := []kind{
		changed("have a delegation begin earlier", leavesPath, givenUp, setTo("starts_at", "2020-01-01T00:00:00Z")),
		changed("have a delegation last longer", leavesPath, givenUp, setTo("ends_at", "2030-01-01T00:00:00Z")),
		changed("date the making of a delegation back", leavesPath, givenUp, setTo("made_at", "2020-01-01T00:00:00Z")),
		changed("put another giver into a delegation", leavesPath, goesOn, setTo("from", "p:officer")),
		changed("put another taker into a delegation", leavesPath, goesOn, setTo("to", "p:analyst")),
		changed("widen a delegation to all applications", leavesPath, givenUp, setTo("app", "")),
		changed("widen a delegation to all kinds", leavesPath, goesOn, setTo("kind", "")),
		changed("widen a delegation to other roles", leavesPath, goesOn, setTo("roles", []any{"officer", "org_admin"})),
		changed("rest a delegation on another's record", leavesPath, goesOn, setTo("record", up.Record)),
		changed("rest a delegation on a record that is not there", leavesPath, goesOn, setTo("record", "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV")),
		changed("call an ended delegation in force", leavesPath, givenUp, func(l map[string]any) {
			delete(l, "ended_at")
			delete(l, "ended_by")
			delete(l, "end_record")
		}),
		changed("date the end of a delegation otherwise", leavesPath, givenUp, setTo("ended_at", "2030-01-01T00:00:00Z")),
		changed("have a delegation ended by somebody else", leavesPath, givenUp, setTo("ended_by", "p:deputy")),
		changed("call a delegation ended that goes on", leavesPath, goesOn,
			func(l map[string]any) { l["ended_at"], l["ended_by"] = l["ends_at"], "p:second" }),
		insider("drop a delegation", leavesPath, func(_ *testing.T, f *bundletest.Forgery) { dropLine(f, leavesPath, goesOn) }),
		insider("drop a delegation with its record", decisionsPath, func(_ *testing.T, f *bundletest.Forgery) {
			dropLine(f, leavesPath, goesOn)
			dropRecord(f, on.Record)
		}),
		insider("drop the list of delegations", leavesPath, func(_ *testing.T, f *bundletest.Forgery) { delete(f.Files, leavesPath) }),
		insider("drop the list of delegations, and say the section is of its first version", decisionsPath,
			func(t *testing.T, f *bundletest.Forgery) {
				delete(f.Files, leavesPath)
				m := f.Manifest(t)
				for i := range m.Sections {
					if m.Sections[i].Name == "decisions" {
						m.Sections[i].Version = 1
					}
				}
				f.SetManifest(t, m)
			}),
	}
	return append(kinds, forgedLeave(up.Record))
}

// forgedLeave makes a delegation up for a decision that was made by one's own
// right.
func forgedLeave(record string) kind {
	return insider("forge a delegation for a decision", leavesPath, func(t *testing.T, f *bundletest.Forgery) {
		first := bundletest.Lines(f.Files[leavesPath])[0]
		f.Files[leavesPath] = append(append(bytes.Clone(first), '\n'), f.Files[leavesPath]...)
		f.Edit(t, leavesPath, "", func(l map[string]any) {
			l["id"], l["from"], l["to"], l["record"] = madeUp, "p:analyst", "p:officer", record
			delete(l, "ended_at")
			delete(l, "ended_by")
			delete(l, "end_record")
		})
		f.Edit(t, decisionsPath, `"verdict":"reject"`, func(l map[string]any) { l["on_behalf"], l["delegation"] = "p:analyst", madeUp })
	})
}

// steadKinds change decisions that were made in others' stead.
func steadKinds(s *scene) []kind {
	return []kind{
		changed("put another giver into a decision", decisionsPath, forFirst, setTo("on_behalf", "p:second")),
		changed("have a decision under another delegation", decisionsPath, forFirst,
			setTo("delegation", idOf(lineWith(s, leavesPath, goesOn)))),
		changed("have a decision in another's stead, under another delegation", decisionsPath, forFirst, func(l map[string]any) {
			l["on_behalf"], l["delegation"] = "p:second", idOf(lineWith(s, leavesPath, goesOn))
		}),
		changed("have a decision in another's stead made by one's own right", decisionsPath, forFirst, func(l map[string]any) {
			delete(l, "on_behalf")
			delete(l, "delegation")
			l["roles"] = []any{"officer"}
		}),
		changed("have the giver decide", decisionsPath, forOther, func(l map[string]any) {
			delete(l, "on_behalf")
			delete(l, "delegation")
			l["actor"].(map[string]any)["id"], l["roles"] = "p:second", []any{"officer"}
		}),
		changed("have a decision of one's own made in another's stead", decisionsPath, `"verdict":"edit"`, func(l map[string]any) {
			l["on_behalf"], l["delegation"] = "p:second", idOf(lineWith(s, leavesPath, goesOn))
		}),
	}
}

// testKinds pass tests off as real, and real proposals off as tests.
func testKinds(s *scene) []kind {
	approved, rejected := bundletest.Truths[0], bundletest.Truths[1]
	claim := map[string]any{"truth": "The letter was a test.", "nonce": "AAAAAAAAAAAAAAAAAAAAAAAAAA"}
	const first = `"call":"0.1"`
	within := func(name, v string) func(map[string]any) {
		return func(l map[string]any) { l["test"].(map[string]any)[name] = v }
	}
	return []kind{
		changed("call a test a real proposal", proposalsPath, rejected, func(l map[string]any) { delete(l, "test") }).
			naming("was a test, by the record of its end, and does not say so"),
		changed("call a real proposal a test", proposalsPath, `"call":"0.2"`, setTo("test", claim)),
		changed("call an expired proposal a test", proposalsPath, `"call":"0.5"`, setTo("test", claim)),
		changed("call a proposal a test that waits for answers", proposalsPath, "wrong office 3", setTo("test", claim)),
		changed("say that something else was wrong with a test", proposalsPath, rejected, within("truth", "The stamp was missing.")),
		changed("give a test another nonce", proposalsPath, rejected, within("nonce", "AAAAAAAAAAAAAAAAAAAAAAAAAA")),
		changed("take what was wrong off a test", proposalsPath, rejected, func(l map[string]any) {
			delete(l["test"].(map[string]any),
				"truth")
		}),
		changed("have another thing wait for a second approval than the first was given for", proposalsPath, "wrong office 3",
			func(l map[string]any) {
				forged := `{"to":"the forger"}`
				l["args"], l["args_sha256"] = forged, act.Digest([]byte(forged))
				l["shown"] = `{"args":` + forged + `}`
				l["shown_sha256"] = act.Digest([]byte(l["shown"].(string)))
			}),
		changed("have a proposal that waits for a second approval come from another call", proposalsPath, "wrong office 3",
			setTo("call", "0.9")),
		insider("call a proposal a test and drop its act with all its records", proposalsPath, func(t *testing.T, f *bundletest.Forgery) {
			f.Edit(t, proposalsPath, first, setTo("test", claim))
			dropLine(f, actsPath, first)
			for _, l := range bundletest.Lines(f.Files["log/records.ndjson"]) {
				if bytes.Contains(l, []byte(`"kind":"act"`)) && bytes.Contains(l, []byte(`/0.1"`)) {
					dropRecord(f, idOf(l))
				}
			}
		}),
		insider("have something come of a test", "was a test: nothing may come of it", func(t *testing.T, f *bundletest.Forgery) {
			var p map[string]any
			if err := json.Unmarshal(lineWith(s, proposalsPath, approved), &p); err != nil {
				t.Fatal(err)
			}
			all := bundletest.Lines(f.Files[actsPath])
			f.Files[actsPath] = append(append(bytes.Clone(all[0]), '\n'), f.Files[actsPath]...)
			f.Edit(t, actsPath, "", func(l map[string]any) {
				l["proposal"], l["act"], l["args"], l["args_sha256"], l["run"], l["call"] = p["id"], p["act"], p["args"], p["args_sha256"],
					p["run"], p["call"]
			})
		}),
	}
}

// outsideKinds exchange runs and programs of people's own.
func outsideKinds() []kind {
	const fromOutside = `"call":"call_`
	return []kind{
		changed("have a run make a call that came from outside", proposalsPath, fromOutside, setTo("run", "run_1")),
		insider("have the case itself make a call that came from outside", proposalsPath, func(t *testing.T, f *bundletest.Forgery) {
			f.Edit(t, proposalsPath, fromOutside, setTo("run", f.Manifest(t).Case))
		}),
		changed("have a run's call come from outside", proposalsPath, `"call":"0.7"`, setTo("run", "")),
		changed("have other arguments asked for from outside", proposalsPath, fromOutside, setTo("args", `{"to":"the forger"}`)),
	}
}

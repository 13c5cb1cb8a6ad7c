package bundle_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

const (
	proposalsPath = "decisions/proposals.ndjson"
	decisionsPath = "decisions/decisions.ndjson"
	actsPath      = "acts/acts.ndjson"
)

// decidedKinds are what an insider with the institution's key does to have
// another thing decided, by somebody else, or done without a decision.
func decidedKinds(s *scene) []kind {
	edit, drop := insiderEdits, insiderDrops
	set := func(name string, v any) func(map[string]any) { return func(l map[string]any) { l[name] = v } }
	const first, second, edited, expired, twice, open = `"call":"0.1"`, `"call":"0.2"`, `"call":"0.4"`, `"call":"0.5"`, `"call":"0.6"`,
		`"call":"0.7"`
	forged := `{"to":"the forger"}`
	return []kind{
		edit("change a proposal's arguments", proposalsPath, first, set("args", forged)),
		edit("change a proposal's arguments and their digest", proposalsPath, first, func(l map[string]any) {
			l["args"], l["args_sha256"], l["final_args_sha256"] = forged, act.Digest([]byte(forged)), act.Digest([]byte(forged))
			l["shown"] = `{"args":` + forged + `}`
			l["shown_sha256"] = act.Digest([]byte(l["shown"].(string)))
		}),
		edit("have another text shown", proposalsPath, first, set("shown", `{"line":"Nothing happens"}`)),
		edit("have another text shown, and its digest", proposalsPath, first, func(l map[string]any) {
			l["shown"] = `{"line":"Nothing happens"}`
			l["shown_sha256"] = act.Digest([]byte(l["shown"].(string)))
		}).naming(decisionsPath),
		edit("show other arguments than are acted with", proposalsPath, open, func(l map[string]any) {
			l["shown"] = `{"args":` + forged + `}`
			l["shown_sha256"] = act.Digest([]byte(l["shown"].(string)))
		}),
		edit("call a rejected proposal approved", proposalsPath, second, func(l map[string]any) {
			l["state"], l["final_args_sha256"] = "approved", l["args_sha256"]
		}),
		edit("call an approved proposal rejected", proposalsPath, first, func(l map[string]any) {
			l["state"] = "rejected"
			delete(l, "final_args_sha256")
		}),
		edit("call an expired proposal open", proposalsPath, expired, func(l map[string]any) { l["state"], l["ended_at"] = "open", nil }),
		edit("call an open proposal rejected", proposalsPath, open, func(l map[string]any) {
			l["state"], l["ended_at"], l["ended_by"] = "rejected", "2026-01-01T00:00:00Z", "reject-nobody"
		}),
		edit("have a proposal rest on another record", proposalsPath, open, set("policy_record", "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV")),
		edit("have a proposal rest on no record", proposalsPath, open, func(l map[string]any) { delete(l, "policy_record") }),
		edit("have a proposal of another call", proposalsPath, open, set("call", "0.9")),
		edit("ask fewer people than were needed", proposalsPath, twice, set("required", 3)),
		edit("change what a person edited it to", proposalsPath, edited, set("final_args", forged)),
		edit("pass a deleted proposal off as erased", proposalsPath, first, func(l map[string]any) {
			l["erased_at"] = l["ended_at"]
			delete(l, "args")
			delete(l, "shown")
		}),
		drop("drop a proposal that was decided", proposalsPath, second),
		edit("have a decision by somebody else", decisionsPath, `"verdict":"reject"`,
			func(l map[string]any) { l["actor"].(map[string]any)["id"] = "p:second" }),
		edit("have a decision by a machine", decisionsPath, `"verdict":"reject"`,
			func(l map[string]any) { l["actor"].(map[string]any)["kind"] = "machine" }),
		edit("turn a rejection into an approval", decisionsPath, `"verdict":"reject"`, set("verdict", "approve")),
		edit("date a decision back", decisionsPath, `"verdict":"reject"`, set("at", "2020-01-01T00:00:00Z")),
		edit("have a decision on another proposal", decisionsPath, `"verdict":"reject"`, set("proposal", "P-1")),
		edit("have a decision on something else that was shown", decisionsPath, `"verdict":"reject"`,
			set("shown_sha256", strings.Repeat("0", 64))),
		edit("have a decision in a role that may not decide", decisionsPath, `"verdict":"reject"`, set("roles", []any{"analyst"})),
		edit("take the reason off a rejection", decisionsPath, `"verdict":"reject"`, set("reason", "")),
		edit("rest a decision on another decision's record", decisionsPath, `"verdict":"reject"`,
			set("record", recordOf(s, `"verdict":"edit"`))),
		drop("drop a decision", decisionsPath, `"verdict":"reject"`),
		insider("drop a decision with its record and its proposal's end", proposalsPath, func(t *testing.T, f *bundletest.Forgery) {
			dropLine(f, decisionsPath, `"verdict":"reject"`)
			dropRecord(f, recordOf(s, `"verdict":"reject"`))
		}),
		insider("have one of two approvals only, with the record of the other gone", proposalsPath,
			func(t *testing.T, f *bundletest.Forgery) {
				id := recordOf(s, `"id":"p:second"`)
				dropLine(f, decisionsPath, id)
				dropRecord(f, id)
			}),
		edit("have something else done than was approved", actsPath, first, set("args", forged)),
		edit("have something else done than was approved, and its digest", actsPath, first, func(l map[string]any) {
			l["args"], l["args_sha256"] = forged, act.Digest([]byte(forged))
		}),
		edit("change an act's result", actsPath, first, set("result", `{"sent":false}`)),
		edit("change an act's result and its digest", actsPath, first, func(l map[string]any) {
			l["result"], l["result_sha256"] = `{"sent":false}`, act.Digest([]byte(`{"sent":false}`))
		}),
		edit("have an act rest on a rejected proposal", actsPath, first, set("proposal", proposalOf(s, second))),
		edit("have an act rest on nothing", actsPath, first, func(l map[string]any) { delete(l, "proposal") }),
		edit("have an act that policy did not let run", actsPath, first, func(l map[string]any) {
			delete(l, "proposal")
			l["policy_record"] = recordOf(s, `"verdict":"approve"`)
		}),
		edit("have a failed act done", actsPath, `"state":"failed"`, set("state", "done")),
		edit("have an act of unknown outcome failed", actsPath, `"state":"unknown"`, set("state", "failed")),
		edit("have an act done that was called off", actsPath, `"state":"undone"`, set("state", "done")),
		edit("have an act done that has not ended", actsPath, `"state":"planned"`,
			func(l map[string]any) { l["state"], l["ended_at"] = "done", "2026-01-01T00:00:00Z" }),
		edit("have an act authorised by somebody else", actsPath, first,
			func(l map[string]any) { l["by"].(map[string]any)["id"] = "p:second" }),
		edit("date an act back", actsPath, first, set("planned_at", "2020-01-01T00:00:00Z")),
		edit("pass deleted arguments of an act off as erased", actsPath, first, func(l map[string]any) {
			l["erased_at"] = l["ended_at"]
			delete(l, "args")
			delete(l, "result")
		}),
		drop("drop an act", actsPath, first),
		insider("drop an act with all its records", actsPath, func(_ *testing.T, f *bundletest.Forgery) {
			dropLine(f, actsPath, first)
			for _, l := range bundletest.Lines(f.Files["log/records.ndjson"]) {
				if bytes.Contains(l, []byte(`"kind":"act"`)) && bytes.Contains(l, []byte(`/0.1"`)) {
					dropRecord(f, idOf(l))
				}
			}
		}),
		insider("add an act that nobody authorised", actsPath, func(t *testing.T, f *bundletest.Forgery) {
			l := bundletest.Lines(f.Files[actsPath])
			more := bytes.ReplaceAll(l[0], []byte("/0."), []byte("/7."))
			f.Files[actsPath] = bundletest.Unlines(append(l, more))
		}),
		insider("have an approval after a rejection of the same", decisionsPath, func(_ *testing.T, f *bundletest.Forgery) {
			l := bundletest.Lines(f.Files[decisionsPath])
			i := slices.IndexFunc(l, func(x []byte) bool { return bytes.Contains(x, []byte(`"verdict":"reject"`)) })
			more := bytes.Replace(bytes.Replace(l[i], []byte(`"verdict":"reject"`), []byte(`"verdict":"approve"`), 1),
				[]byte(`"id":"reject`), []byte(`"id":"yes`), 1)
			f.Files[decisionsPath] = bundletest.Unlines(append(l, more))
		}),
	}
}

// insiderEdits is an insider who changes the line of a file that holds some text.
func insiderEdits(what, path, holding string, change func(l map[string]any)) kind {
	return insider(what, path, func(t *testing.T, f *bundletest.Forgery) { f.Edit(t, path, holding, change) })
}

// insiderDrops is an insider who leaves out the line of a file that holds some text.
func insiderDrops(what, path, holding string) kind {
	return insider(what, path, func(_ *testing.T, f *bundletest.Forgery) { dropLine(f, path, holding) })
}

// lineWith is the first line of a file of the scene's bundle that holds some
// text.
func lineWith(s *scene, path, holding string) []byte {
	for _, l := range bundletest.Lines(s.mine.Files[path]) {
		if bytes.Contains(l, []byte(holding)) {
			return l
		}
	}
	return nil
}

// recordOf is the record of a decision.
func recordOf(s *scene, holding string) string {
	var d struct{ Record string }
	if json.Unmarshal(lineWith(s, decisionsPath, holding), &d) != nil {
		return ""
	}
	return d.Record
}

func proposalOf(s *scene, holding string) string { return idOf(lineWith(s, proposalsPath, holding)) }

func idOf(line []byte) string {
	var one struct{ ID string }
	if json.Unmarshal(line, &one) != nil {
		return ""
	}
	return one.ID
}

func dropLine(f *bundletest.Forgery, path, holding string) {
	l := bundletest.Lines(f.Files[path])
	i := slices.IndexFunc(l, func(x []byte) bool { return bytes.Contains(x, []byte(holding)) })
	f.Files[path] = bundletest.Unlines(slices.Delete(l, i, i+1))
}

// dropRecord takes a record out of the log's section, with its proof.
func dropRecord(f *bundletest.Forgery, id string) {
	records, proofs := bundletest.Lines(f.Files["log/records.ndjson"]), bundletest.Lines(f.Files["log/proofs.ndjson"])
	i := slices.IndexFunc(records, func(l []byte) bool { return idOf(l) == id })
	f.Files["log/records.ndjson"] = bundletest.Unlines(slices.Delete(records, i, i+1))
	f.Files["log/proofs.ndjson"] = bundletest.Unlines(slices.Delete(proofs, i, i+1))
}

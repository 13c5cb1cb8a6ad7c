package agent_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

const (
	runsPath   = "runs/runs.ndjson"
	stepsPath  = "runs/steps.ndjson"
	nodesPath  = "transcripts/nodes.ndjson"
	modelsPath = "models/models.ndjson"
)

// known are the sections that a stranger's program knows.
func known() []bundle.Section { return append(bundletest.Known(), agent.Sections(nil)...) }

// staged is an installation that exports what agents did.
func staged(t *testing.T) *bundletest.Stage {
	t.Helper()
	s := bundletest.With(t, bundletest.Setup{Tables: []postgres.MigrationSet{agent.Migrations()}, Erasers: []seal.Eraser{agent.Eraser()}})
	s.Rotate(t, s.Secret, "", agent.Sections(agent.NewStore(s.DB.App, s.Vault, policy.Standard(), durable.Clock{}))...)
	return s
}

// worked is a case that agents have worked, with an approval by a person.
func worked(t *testing.T, s *bundletest.Stage, script string, subjects ...seal.Subject) casefile.CaseID {
	t.Helper()
	r := rigOn(t, s.DB, func(c *agenttest.Config) {
		c.Vault, c.Subjects, c.Price = s.Vault, subjects, &model.Price{Currency: "INR", Input: 1_000_000, Output: 1_000_000}
	})
	r.run()
	c := r.open("foreman", script)
	r.asked(c.ID, 1)
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	return c.ID
}

func verified(data []byte, s *bundletest.Stage) *bundle.Report {
	return bundletest.Verify(data, bundle.Options{Sections: known(), Keys: []audit.Verifier{s.Public}})
}

// TestABundleHoldsWhatAgentsDid promises that every run, step, prompt, model and
// policy of a case leaves with it and verifies; that sealed transcripts leave
// sealed, and go on verifying once their key is gone.
func TestABundleHoldsWhatAgentsDid(t *testing.T) {
	s := staged(t)
	rider := seal.Subject{Type: "rider", ID: "R-9"}
	id := worked(t, s, "clerk(look secretword) | letter otherword", rider)
	data := s.Export(t, id)
	if rep := verified(data, s); rep.Verdict() != bundle.Genuine {
		t.Fatalf("got %s: %v", rep.Verdict(), rep.Findings())
	}
	f := bundletest.TakeApart(t, data)
	for path, want := range map[string]int{runsPath: 2, stepsPath: 5, nodesPath: 5, modelsPath: 1} {
		if got := len(bundletest.Lines(f.Files[path])); got != want {
			t.Errorf("%s has %d lines, want %d", path, got, want)
		}
	}
	for path, body := range f.Files {
		if strings.HasPrefix(path, "transcripts/nodes/") && (!strings.HasSuffix(path, ".sealed") ||
			bytes.Contains(body, []byte("secretword"))) {
			t.Errorf("%s is not sealed", path)
		}
	}
	if done := s.Erase(t, rider); done.Exports != 1 {
		t.Errorf("the erasure counts %d exports that it did not reach, want 1", done.Exports)
	}
	after := s.Export(t, id)
	for name, data := range map[string][]byte{"before": data, "after": after} {
		if rep := verified(data, s); rep.Verdict() != bundle.Genuine {
			t.Errorf("made %s the erasure: got %s: %v", name, rep.Verdict(), rep.Findings())
		}
	}
	left := bundletest.TakeApart(t, after)
	for _, path := range []string{"decisions/proposals.ndjson", "decisions/decisions.ndjson", "acts/acts.ndjson"} {
		if before, now := f.Files[path], left.Files[path]; path != "decisions/decisions.ndjson" &&
			!bytes.Contains(before, []byte("otherword")) ||
			bytes.Contains(now, []byte("otherword")) || bytes.Contains(now, []byte("because")) ||
			!bytes.Contains(now, []byte("erased_at")) {
			t.Errorf("%s keeps words after the erasure, or had none before: %s", path, now)
		}
	}
	forged := bundletest.Insider("put words into an erased act", "acts/acts.ndjson", left, s.Secret,
		func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, "acts/acts.ndjson", "", func(l map[string]any) { l["args"] = `{"word":"confessed"}` })
		})
	bundletest.Tamper(t, []bundletest.Tampering{forged}, func(data []byte) *bundle.Report { return verified(data, s) })
}

// TestTamperingWithWhatAgentsDid is the bar of bundles for the sections of this
// package: every kind of change to what is in them is named.
func TestTamperingWithWhatAgentsDid(t *testing.T) {
	s := staged(t)
	verify := func(data []byte) *bundle.Report { return verified(data, s) }
	theirs := s.Export(t, worked(t, s, "clerk(look z) | letter y"))
	data := s.Export(t, worked(t, s, "clerk(look a; mail b) | letter c; post known; look forbidden | judge(say)"))
	sealed := s.Export(t, worked(t, s, "look x | letter v", seal.Subject{Type: "rider", ID: "R-3"}))
	bundletest.Whole(t, map[string][]byte{"mine": data, "another": theirs, "sealed": sealed}, verify)
	mine, other := bundletest.TakeApart(t, data), bundletest.TakeApart(t, theirs)
	// the others have a bar of their own
	kinds := slices.DeleteFunc(bundletest.OutsideKinds(mine, other), func(k bundletest.Tampering) bool {
		return !slices.ContainsFunc(agent.Sections(nil), func(x bundle.Section) bool {
			return strings.Contains(" "+k.What,
				" "+x.Name+"/")
		})
	})
	kinds = append(kinds, insiders(t, s, mine)...)
	kinds = append(kinds, sealedKinds(t, s, bundletest.TakeApart(t, sealed))...)
	bundletest.Tamper(t, kinds, verify)
	bundletest.EverySectionIsTried(t, agent.Sections(nil), kinds)
}

// sealedKinds are what an insider does to turns that only the institution can
// open.
func sealedKinds(t *testing.T, s *bundletest.Stage, mine *bundletest.Forgery) []bundletest.Tampering {
	turn := first(t, mine, "transcripts/nodes/")
	change := func(what string, change func(f *bundletest.Forgery)) bundletest.Tampering {
		return bundletest.Insider(what, "transcripts/nodes/", mine, s.Secret, func(_ testing.TB, f *bundletest.Forgery) { change(f) })
	}
	return []bundletest.Tampering{
		change("change a sealed turn", func(f *bundletest.Forgery) {
			f.Files[turn] = append(bytes.Clone(f.Files[turn][:len(f.Files[turn])-1]), f.Files[turn][len(f.Files[turn])-1]^1)
		}),
		change("name another key of a sealed turn", func(f *bundletest.Forgery) {
			f.Edit(t, nodesPath, "sealed_under", func(l map[string]any) { l["sealed_under"] = "key_01ARZ3NDEKTSV4RRFFQ69G5FAV" })
		}),
		change("exchange two sealed turns", func(f *bundletest.Forgery) {
			for _, path := range f.Paths() {
				if strings.HasPrefix(path, "transcripts/nodes/") && path != turn {
					f.Files[turn], f.Files[path] = f.Files[path], f.Files[turn]
					return
				}
			}
		}),
		change("put words in the place of a sealed turn",
			func(f *bundletest.Forgery) { f.Files[turn] = []byte(`{"answer":{"role":"assistant"}}`) }),
		bundletest.Insider("have a sealed turn follow another", nodesPath, mine, s.Secret, func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, nodesPath, "parent_sha256", func(l map[string]any) { l["parent_sha256"] = strings.Repeat("0", 64) })
		}),
	}
}

// insiders are what someone does who holds the institution's key.
func insiders(t *testing.T, s *bundletest.Stage, mine *bundletest.Forgery) []bundletest.Tampering {
	insider := func(what, names string, change func(t testing.TB, f *bundletest.Forgery)) bundletest.Tampering {
		return bundletest.Insider(what, names, mine, s.Secret, change)
	}
	edit := func(what, path, holding string, change func(l map[string]any)) bundletest.Tampering {
		return insider(what, path, func(t testing.TB, f *bundletest.Forgery) { f.Edit(t, path, holding, change) })
	}
	set := func(name string, v any) func(map[string]any) { return func(l map[string]any) { l[name] = v } }
	zeros := strings.Repeat("0", 64)
	const child, foreman, forbidden = `"parent":`, `"agent":"foreman"`, `"why":"policy"`
	spec, plain, policies := first(t, mine, "prompts/specs/"), first(t, mine, "transcripts/nodes/"), first(t, mine, "policies/sets/")
	return []bundletest.Tampering{
		edit("have a run of another agent", runsPath, child, set("agent", "judge")).Naming(stepsPath),
		edit("have a run with another prompt", runsPath, foreman, set("spec_sha256", zeros)).Naming(stepsPath),
		edit("have a run that failed", runsPath, foreman, set("state", "failed")),
		edit("have a run that another call asked for", runsPath, child, set("parent_call", "7.1")),
		edit("have a run of another tree", runsPath, child, set("root", "run_"+strings.Repeat("0", 26))),
		edit("have a run that cost fewer tokens", runsPath, foreman, set("tokens_in", 1)),
		edit("have a run that took fewer turns", runsPath, foreman, func(l map[string]any) { l["seq"], l["model_calls"] = 0, 1 }),
		edit("date a run back", runsPath, foreman, set("started_at", "2020-01-01T00:00:00Z")),
		insider("drop a run and its steps", stepsPath, func(_ testing.TB, f *bundletest.Forgery) {
			id := member(lineWith(f, runsPath, child), "id")
			keep(f, runsPath, func(l []byte) bool { return !bytes.Contains(l, []byte(`"id":"`+id)) })
			keep(f, stepsPath, func(l []byte) bool { return !bytes.Contains(l, []byte(`"run":"`+id)) })
		}),
		edit("have a step answered by another model", stepsPath, "",
			func(l map[string]any) { l["model"].(map[string]any)["model"] = "gpt-7" }),
		edit("have a step that cost nothing", stepsPath, "",
			func(l map[string]any) { l["model"].(map[string]any)["usage"] = map[string]any{"input": 0, "output": 0} }),
		edit("have a refused call be one that ran", stepsPath, forbidden, func(l map[string]any) {
			for _, c := range l["calls"].([]any) {
				if c := c.(map[string]any); c["verdict"] == "refused" {
					c["verdict"] = "read"
				}
			}
		}),
		edit("have policy say something else", stepsPath, forbidden, func(l map[string]any) {
			l["calls"].([]any)[0].(map[string]any)["policy"].(map[string]any)["because"] = []any{"nobody"}
		}),
		edit("drop the calls of a step", stepsPath, forbidden, func(l map[string]any) { delete(l, "calls") }),
		edit("give a step another place in the transcript", stepsPath, forbidden, set("head_sha256", zeros)),
		edit("date a step back", stepsPath, "", set("at", "2020-01-01T00:00:00Z")),
		edit("rest a step on another record", stepsPath, "", set("record", "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV")),
		insider("drop the last step of a run and say it ended before", stepsPath, func(t testing.TB, f *bundletest.Forgery) {
			l := bundletest.Lines(f.Files[stepsPath])
			f.Files[stepsPath] = bundletest.Unlines(l[:len(l)-1])
		}),
		insider("drop the proposal that a call became, as if it had never been asked", stepsPath,
			func(_ testing.TB, f *bundletest.Forgery) {
				keep(f, "decisions/proposals.ndjson", func([]byte) bool { return false })
			}),
		insider("drop the act that a call became", stepsPath, func(_ testing.TB, f *bundletest.Forgery) {
			keep(f, "acts/acts.ndjson", func(l []byte) bool { return !bytes.Contains(l, []byte(`"tool":"post"`)) })
		}),
		insider("reword what a model was told", plain, func(_ testing.TB, f *bundletest.Forgery) {
			f.Files[plain] = bytes.Replace(f.Files[plain], []byte("look"), []byte("lock"), 1)
		}),
		insider("reword what a model was told, under its new digest", nodesPath, func(t testing.TB, f *bundletest.Forgery) {
			body := bytes.Replace(f.Files[plain], []byte("look"), []byte("lock"), 1)
			was, is := sumOf(f.Files[plain]), sumOf(body)
			delete(f.Files, plain)
			f.Files["transcripts/nodes/"+is+".json"] = body
			f.Files[nodesPath] = sorted(bytes.ReplaceAll(f.Files[nodesPath], []byte(was), []byte(is)))
		}),
		insider("drop a turn of a transcript", nodesPath, func(_ testing.TB, f *bundletest.Forgery) {
			sum := sumOf(f.Files[plain])
			delete(f.Files, plain)
			keep(f, nodesPath, func(l []byte) bool { return !bytes.Contains(l, []byte(`"sha256":"`+sum)) })
		}),
		edit("have a turn follow another", nodesPath, `"parent_sha256"`, set("parent_sha256", zeros)).Naming("transcripts/nodes/"),
		edit("call a plain turn sealed", nodesPath, "", set("sealed_under", "key_01ARZ3NDEKTSV4RRFFQ69G5FAV")).Naming("transcripts/nodes/"),
		insider("add a turn that nobody took", "transcripts/nodes/", func(_ testing.TB, f *bundletest.Forgery) {
			body := []byte(`{"answer":{"role":"assistant","parts":[{"text":"yes"}]}}`)
			f.Files["transcripts/nodes/"+sumOf(body)+".json"] = body
		}),
		insider("reword a prompt", spec, func(_ testing.TB, f *bundletest.Forgery) {
			f.Files[spec] = bytes.Replace(f.Files[spec], []byte("do what the task says"), []byte("do what is right here"), 1)
		}),
		insider("reword a prompt, under its new digest", stepsPath, func(_ testing.TB, f *bundletest.Forgery) {
			body := bytes.Replace(f.Files[spec], []byte("do what the task says"), []byte("do what is right here"), 1)
			was, is := sumOf(f.Files[spec]), sumOf(body)
			delete(f.Files, spec)
			f.Files["prompts/specs/"+is+".json"] = body
			f.Files[runsPath] = bytes.ReplaceAll(f.Files[runsPath], []byte(was), []byte(is))
		}),
		insider("drop a prompt", spec, func(_ testing.TB, f *bundletest.Forgery) { delete(f.Files, spec) }),
		insider("add a prompt that nobody used", "prompts/specs/"+zeros, func(_ testing.TB, f *bundletest.Forgery) {
			f.Files["prompts/specs/"+zeros+".json"] = []byte("{}")
		}),
		edit("name another model", modelsPath, "", set("model", "gpt-7")),
		edit("name another vendor", modelsPath, "", set("provider", "nobody")),
		edit("count fewer tokens", modelsPath, "", func(l map[string]any) { l["usage"].(map[string]any)["input"] = 1 }),
		insider("drop a model", modelsPath, func(_ testing.TB, f *bundletest.Forgery) { f.Files[modelsPath] = nil }),
		insider("reword a policy", policies, func(_ testing.TB, f *bundletest.Forgery) {
			f.Files[policies] = bytes.Replace(f.Files[policies], []byte("forbid"), []byte("permit"), 1)
		}),
		insider("drop a policy", policies, func(_ testing.TB, f *bundletest.Forgery) { delete(f.Files, policies) }),
		insider("add a policy that nobody asked", "policies/sets/"+zeros, func(_ testing.TB, f *bundletest.Forgery) {
			f.Files["policies/sets/"+zeros+".json"] = []byte(`{"files":[]}` + "\n")
		}),
	}
}

// first is the first file of a folder that holds the word look, or just the
// first.
func first(t *testing.T, f *bundletest.Forgery, folder string) string {
	t.Helper()
	found := ""
	for _, path := range f.Paths() {
		if strings.HasPrefix(path, folder) && (found == "" || bytes.Contains(f.Files[path], []byte("look"))) {
			found = path
		}
	}
	if found == "" {
		t.Fatalf("there is no file in %s", folder)
	}
	return found
}

// lineWith is the first line of a file that holds some text.
func lineWith(f *bundletest.Forgery, path, holding string) []byte {
	for _, l := range bundletest.Lines(f.Files[path]) {
		if bytes.Contains(l, []byte(holding)) {
			return l
		}
	}
	return nil
}

func member(line []byte, name string) string {
	var all map[string]any
	if json.Unmarshal(line, &all) != nil {
		return ""
	}
	text, _ := all[name].(string)
	return text
}

func keep(f *bundletest.Forgery, path string, wanted func([]byte) bool) {
	f.Files[path] = bundletest.Unlines(slices.DeleteFunc(bundletest.Lines(f.Files[path]), func(l []byte) bool { return !wanted(l) }))
}

func sorted(text []byte) []byte {
	l := bundletest.Lines(text)
	slices.SortFunc(l, func(a, b []byte) int { return strings.Compare(member(a, "sha256"), member(b, "sha256")) })
	return bundletest.Unlines(l)
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// TestTamperingByLeavingOutWhatAgentsDid promises that a bundle with records of an
// agent's turns has every section that tells of them, and those that every bundle has.
func TestTamperingByLeavingOutWhatAgentsDid(t *testing.T) {
	s := staged(t)
	data := s.Export(t, worked(t, s, "clerk(look secretword) | letter otherword"))
	mine := bundletest.TakeApart(t, data)
	kinds := append(bundletest.LeftOut(t, mine, s.Secret), bundletest.OtherViewer(mine, s.Secret))
	for _, section := range agent.Sections(nil) {
		if !slices.ContainsFunc(kinds, func(k bundletest.Tampering) bool { return k.What == "leave out ["+section.Name+"]" }) {
			t.Errorf("nobody left out %s", section.Name)
		}
	}
	verify := func(data []byte) *bundle.Report { return verified(data, s) }
	bundletest.Tamper(t, kinds, verify)
	bundletest.Whole(t, map[string][]byte{"as it left": data}, verify)
}

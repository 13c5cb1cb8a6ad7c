package program

import (
	"os"
	"path/filepath"
)

// reportContracts are those of the Report Agent, which works on files.
func reportContracts() map[string]contract {
	nowhere := func(command string, more ...string) func(*counter) []string {
		return words(append([]string{"report", command, "--data-root", "/nowhere"}, more...)...)
	}
	made := func(command string, more ...string) func(*counter) []string {
		return func(k *counter) []string {
			dir := k.reportFiles()
			args := []string{"report", command, "--data-root", filepath.Join(dir, "run")}
			for _, a := range more {
				if len(a) > 1 && a[0] == '@' {
					a = filepath.Join(dir, a[1:])
				}
				args = append(args, a)
			}
			return args
		}
	}
	return map[string]contract{
		"report generate-report": {one: made("generate-report", "--outline", "@outline.md", "--output", "@new.md"),
			fail: nowhere("generate-report", "--outline", "/nowhere/outline.md", "--output", "/nowhere/draft.md"), failCode: 3},
		"report generate-section": {one: made("generate-section", "--outline", "@draft.md", "--section", "energy"),
			fail: made("generate-section", "--outline", "@draft.md", "--section", "nothing"), failCode: 3},
		"report inspect-charts": {one: made("inspect-charts"), fail: made("inspect-charts", "--category", "nothing"), failCode: 3},
		"report inspect-section-mapping": {one: made("inspect-section-mapping", "--outline", "@outline.md"),
			fail: nowhere("inspect-section-mapping", "--outline", "/nowhere/outline.md"), failCode: 3},
		"report verify": {one: made("verify", "--report", "@edited.md"), code: 8,
			fail: made("verify", "--report", "@outline.md"), failCode: 3},
		"report run-eval": {one: func(k *counter) []string { return k.reportEval("accuracy=4") },
			fail: words("report", "run-eval", "--outline", "/nowhere/x.md", "--run-id", "v1", "--output", "/nowhere/x.json"), failCode: 3},
		"report export-evidence": {one: made("export-evidence", "--report", "@draft.md", "--output", "@more.zip"),
			fail: made("export-evidence", "--report", "@outline.md", "--output", "@more.zip"), failCode: 3},
		"report reperform": {one: func(k *counter) []string {
			return []string{"report", "reperform", filepath.Join(k.reportFiles(), "draft.zip")}
		},
			fail: words("report", "reperform", "/nowhere/evidence.zip"), failCode: 3},
	}
}

// reportFiles is a folder with a small run, an outline, a report made of them, the same edited, and its evidence.
func (k *counter) reportFiles() string {
	k.t.Helper()
	dir := k.t.TempDir()
	put := func(name, body string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			k.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			k.t.Fatal(err)
		}
	}
	put("run/energy/use_by_fuel.csv", "scen,fuel,unit,2025,2050\nDeep,Gas,PJ,100.0,10.0\nMild,Gas,PJ,100.0,60.0\n")
	put("outline.md", "# Energy\n<!-- Review comments: -->\n")
	for _, args := range [][]string{
		{"report", "generate-report", "--outline", dir + "/outline.md", "--data-root", dir + "/run", "--output", dir + "/draft.md"},
		{"report", "generate-report", "--outline", dir + "/outline.md", "--data-root", dir + "/run", "--output", dir + "/edited.md"},
		{"report", "export-evidence", "--report", dir + "/draft.md", "--data-root", dir + "/run", "--output", dir + "/draft.zip"},
	} {
		if got := (setup{}).run(k.t, args...); got.code != 0 {
			k.t.Fatal(got.talk)
		}
	}
	text, err := os.ReadFile(dir + "/edited.md")
	if err != nil {
		k.t.Fatal(err)
	}
	put("edited.md", string(text)+"\nSome 40 stations close.\n")
	return dir
}

// reportEval is run-eval over a report with one rating.
func (k *counter) reportEval(rating string) []string {
	k.t.Helper()
	dir := k.t.TempDir()
	body := "# Energy\n<!-- Review comments: RATING: " + rating + " -->\n\nIt is used.\n"
	if err := os.WriteFile(filepath.Join(dir, "reviewed.md"), []byte(body), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return []string{"report", "run-eval", "--outline", filepath.Join(dir, "reviewed.md"), "--run-id", "v1", "--output",
		filepath.Join(dir, "eval.json")}
}

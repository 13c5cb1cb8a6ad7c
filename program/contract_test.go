package program

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/program/output"
)

// A contract is what scripts may rely on of one command that prints data: how it
// is called so that it finds nothing, something, and fails. Each call is made
// anew for every form, because some change what they find.
type contract struct {
	as    identity.Role             // who calls it; empty is an officer
	empty func(k *counter) []string // asked where nobody has done anything
	never string                    // why a list is never empty
	one   func(k *counter) []string
	where func(t *testing.T) setup // somewhere else than at the counter
	forms []string                 // in which something is found; empty is all of them
	code  int                      // it ends with, where it finds something

	fail     func(k *counter) []string
	failCode int
}

func words(args ...string) func(*counter) []string { return func(*counter) []string { return args } }

// TestEveryCommandKeepsTheContractOfItsOutput promises: an empty list in JSON is
// [] and no failure; the exit code is the same in every form; errors for programs
// are one problem document on the stream of talk, with nothing on the other; and
// no command that prints data is left out of this.
func TestEveryCommandKeepsTheContractOfItsOutput(t *testing.T) {
	rows := contracts()
	var missing []string
	c := &cli{apps: builtIn()}
	silent := slices.Clone(printsNoData)
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "gavel ")
		if _, there := rows[name]; c.printsData(cmd) && !there {
			missing = append(missing, name)
		} else if there && !c.printsData(cmd) {
			t.Errorf("%s has a row and prints no data", name)
		}
		silent = slices.DeleteFunc(silent, func(path string) bool { return path == cmd.CommandPath() && cmd.Runnable() })
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(c.tree())
	if len(silent) > 0 {
		t.Errorf("printsNoData names what is no command: %v", silent)
	}
	if len(missing) > 0 {
		t.Errorf("no row for %s: say in contracts how each is called, or in printsNoData, or with Terminal.Silent, that it prints none",
			strings.Join(missing, ", "))
	}
	k := newCounter(t)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		k.part(t, name, func(k *counter, t *testing.T) { k.keeps(t, name, rows[name]) })
	}
}

func (k *counter) keeps(t *testing.T, name string, row contract) {
	at := k.as(row.caller())
	if row.empty == nil && row.never == "" && (strings.HasSuffix(name, "list") || name == "inbox") {
		t.Error("what does an empty list look like?")
	}
	if row.empty != nil {
		nobody := k.of(postgrestest.South, row.caller())
		k.checkEmpty(t, nobody, row.empty)
	}
	if row.where == nil {
		row.where = func(*testing.T) setup { return at }
	}
	checkOne(t, k, row)
	checkFailure(t, k, at, row)
}

func (row contract) caller() identity.Role {
	if row.as == "" {
		return identity.Officer
	}
	return row.as
}

func (k *counter) checkEmpty(t *testing.T, at setup, call func(*counter) []string) {
	table, forJSON := heard(t, at, 0, with(k, call)), heard(t, at, 0, with(k, call, "-o", "json"))
	if table.code != 0 || table.out != "" || strings.TrimSpace(table.talk) == "" {
		t.Errorf("empty, a table: got %+v, want words on the stream of talk and nothing else", table)
	}
	if forJSON.code != 0 || forJSON.out != "[]\n" {
		t.Errorf("empty, JSON: got %+v, want [] and code 0", forJSON)
	}
}

func checkOne(t *testing.T, k *counter, row contract) {
	some := row.forms != nil
	if !some {
		row.forms = output.Formats()
	}
	for _, form := range row.forms { // where there is nothing to list, the table and the names are empty
		got := heard(t, row.where(t), row.code, with(k, row.one, "-o", form))
		if got.code != row.code || got.out == "" {
			t.Errorf("one, %s: got %+v, want code %d and data", form, got, row.code)
		}
		switch output.Format(form) {
		case output.JSON:
			if !json.Valid([]byte(got.out)) {
				t.Errorf("one: not one JSON document:\n%s", got.out)
			}
		case output.NDJSON:
			for line := range strings.Lines(got.out) {
				if !json.Valid([]byte(line)) {
					t.Errorf("one: a line that is no JSON:\n%s", line)
				}
			}
		}
	}
	if some {
		return
	}
	if got := heard(t, row.where(t), row.code, with(k, row.one, "--jq", "type")); got.code != row.code || got.out != "array\n" &&
		got.out != "object\n" {
		t.Errorf("one, --jq: got %+v", got)
	}
}

func checkFailure(t *testing.T, k *counter, at setup, row contract) {
	table := heard(t, at, row.failCode, with(k, row.fail))
	if table.code != row.failCode || table.out != "" || !strings.Contains(table.talk, "gavel: ") || !strings.HasPrefix(lastLine(table.talk),
		"next: ") {
		t.Errorf("a failure: got %+v, want code %d, words and the next command", table, row.failCode)
	}
	for _, form := range []string{"json", "ndjson", "yaml"} {
		checkProblem(t, heard(t, at, row.failCode, with(k, row.fail, "-o", form)), row.failCode)
	}
}

// with is how a call is made up anew each time, in one form.
func with(k *counter, call func(*counter) []string, form ...string) func() []string {
	return func() []string { return append(call(k), form...) }
}

// heard makes a call, and again while a part does not answer in time, as the
// output asks people to: what is promised here is its form, and a machine that is
// out of breath says nothing about it.
func heard(t *testing.T, at setup, want int, call func() []string) (got ran) {
	t.Helper()
	for range 5 {
		got = at.run(t, call()...)
		if got.code != exitFailed || want == exitFailed || !strings.Contains(got.talk, "answer") {
			break
		}
	}
	return got
}

// contracts has a row for every command that prints data.
func contracts() map[string]contract {
	all := map[string]contract{}
	for _, some := range []map[string]contract{peoplesContracts(), casesContracts(), runsContracts(), recordsContracts(), officeContracts(),
		plainContracts(), webhookContracts(), settingContracts(), poolContracts(), airContracts(), netraContracts(), reportContracts()} {
		maps.Copy(all, some)
	}
	return all
}

const noCase, noRun, noRecord = "case_01K5ZJ3W8Q6X9V2T4N7M1B0CD9", "run_01K5ZJ3W8Q6X9V2T4N7M1B0CD9", "rec_01K5ZJ3W8Q6X9V2T4N7M1B0CD9"

func peoplesContracts() map[string]contract {
	decide := func(args ...string) func(*counter) []string {
		return func(k *counter) []string { return append([]string{args[0], k.propose()}, args[1:]...) }
	}
	onProposal := func(args ...string) func(*counter) []string {
		return func(k *counter) []string { return append([]string{"proposal", args[0], k.propose()}, args[1:]...) }
	}
	return map[string]contract{
		"inbox": {empty: words("inbox"), one: func(k *counter) []string { k.propose(); return []string{"inbox"} },
			fail: words("inbox", "--view", "all"), failCode: 2},
		"approve": {one: decide("approve", "--yes"), fail: func(k *counter) []string {
			return []string{"approve", k.propose(mail),
				"--yes"}
		}, failCode: 5},
		"reject": {one: decide("reject", "--yes", "--reason", "no"), fail: words("reject", "P-99999", "--yes", "--reason", "no"),
			failCode: 3},
		"send-back": {one: decide("send-back", "--yes", "--reason", "why?"), fail: decide("send-back", "--yes", "--reason", "why?",
			"--if-match", `"0-1"`), failCode: 6},
		"undo": {one: func(k *counter) []string { return []string{"undo", k.approved(), "--yes", "--reason", "no"} },
			fail: decide("undo", "--yes", "--reason", "no"), failCode: 6},
		"show": {one: func(k *counter) []string { return []string{"show", k.propose()} }, fail: words("show", noCase),
			failCode: 3},
		"open":   {one: func(k *counter) []string { return []string{"open", k.file} }, fail: words("open", noRun), failCode: 3},
		"status": {one: words("status"), fail: words("status", "--server", "http://127.0.0.1:1"), failCode: 1},
		"api":    {one: words("api", "/v1/cases"), fail: words("api", "/v1/cases/"+noCase), failCode: 3},
		"proposal list": {empty: words("proposal", "list"), one: func(k *counter) []string {
			k.propose()
			return []string{"proposal",
				"list"}
		}, fail: words("proposal", "list", "--state", "x"), failCode: 2},
		"proposal show":   {one: onProposal("show"), fail: words("proposal", "show", "P-99999"), failCode: 3},
		"proposal snooze": {one: onProposal("snooze", "--until", "1h"), fail: onProposal("snooze", "--until", "9999h"), failCode: 2},
		"proposal claim":  {one: onProposal("claim"), fail: words("proposal", "claim", "P-99999"), failCode: 3},
		"proposal assign": {one: onProposal("assign", "--to", colleague), fail: onProposal("assign", "--to", "p_nobody"), failCode: 3},
		"proposal delegate": {one: onProposal("delegate", "--to", colleague, "--until", "1h"), fail: onProposal("delegate", "--to",
			"p_nobody", "--until", "1h"), failCode: 3},
		"pause": {as: identity.OrgAdmin, one: words("pause", "outside", "--reason", "wrong letters"),
			fail: words("pause", "moon", "--reason", "x"), failCode: 2},
		"pause list": {as: identity.OrgAdmin, empty: words("pause", "list"),
			one:  func(k *counter) []string { k.pause(); return []string{"pause", "list"} },
			fail: words("pause", "list", "--limit", "0"), failCode: 2},
		"pause end": {as: identity.OrgAdmin, one: func(k *counter) []string {
			return []string{"pause", "end", k.pause(), "--reason",
				"right now"}
		},
			fail: words("pause", "end", "pause_01K5ZJ3W8Q6X9V2T4N7M1B0CD9", "--reason", "x"), failCode: 3},
		"job show": {one: func(k *counter) []string { return []string{"job", "show", k.job()} }, fail: words("job", "show", noScan),
			failCode: 3},
		"job cancel": {one: func(k *counter) []string { return []string{"job", "cancel", k.job()} },
			fail: words("job", "cancel", noScan), failCode: 3},
		"delegation list": {empty: words("delegation", "list"),
			one:  func(k *counter) []string { k.delegation(); return []string{"delegation", "list"} },
			fail: words("delegation", "list", "--everybody"), failCode: 5},
		"delegation add": {one: words("delegation", "add", "--to", colleague, "--until", "1h"), fail: words("delegation", "add", "--to",
			colleague), failCode: 2},
		"delegation end": {one: func(k *counter) []string { return []string{"delegation", "end", k.delegation()} },
			fail: words("delegation", "end", "del_01K5ZJ3W8Q6X9V2T4N7M1B0CD9"), failCode: 3},
	}
}

func casesContracts() map[string]contract {
	return map[string]contract{
		"case list": {empty: words("case", "list"), one: words("case", "list"), fail: words("case", "list", "--state", "lost"),
			failCode: 2},
		"case show": {one: func(k *counter) []string { return []string{"case", "show", k.file} }, fail: words("case", "show", noCase),
			failCode: 3},
		"case open": {one: words("case", "open", "--title", "Smoke"), fail: words("case", "open"), failCode: 2},
		"case note": {one: func(k *counter) []string { return []string{"case", "note", k.file, "seen"} },
			fail: words("case", "note", noCase, "seen"), failCode: 3},
		"case link": {one: func(k *counter) []string {
			return []string{"case", "link", k.file, "--summary", "nothing changes for you"}
		},
			fail: words("case", "link", noCase, "--summary", "x"), failCode: 3},
		"case close": {one: func(k *counter) []string { return []string{"case", "close", k.opened(), "--reason", "done"} },
			fail: words("case", "close", noCase, "--reason", "done"), failCode: 3},
		"bundle export": {forms: []string{"table", "json"}, one: func(k *counter) []string {
			return []string{"bundle", "export", k.opened(), "-f", filepath.Join(k.t.TempDir(), "a.zip")}
		}, fail: words("bundle", "export", noCase), failCode: 3},
		"verify": {one: func(k *counter) []string { return []string{"verify", k.bundle(), "--any-signer"} },
			fail: words("verify", "/does/not/exist"), failCode: 3},
		"reperform": {forms: []string{"table", "json", "yaml", "csv"}, one: func(k *counter) []string {
			return []string{"reperform",
				k.bundle()}
		}, fail: words("reperform", "/does/not/exist"), failCode: 3},
		"eval list": {never: "the sets are built in", one: words("eval", "list"), fail: words("eval", "list", "extra"), failCode: 2},
		"eval run":  {one: words("eval", "run", "manager"), fail: words("eval", "run", "nothing"), failCode: 3},
		"eval gate": {one: words("eval", "gate", "netra"), fail: words("eval", "gate", "nothing"), failCode: 3},
		"eval dataset": {one: words("eval", "dataset", filepath.Join("..", "apps", "poolpatrol", "evals", "shift")),
			fail: words("eval", "dataset", "/does/not/exist"), failCode: 3},
		"eval compare": {one: (*counter).evalReports,
			fail: words("eval", "compare", "/does/not/exist.json", "/does/not/exist.json"), failCode: 3},
	}
}

// evalReports compares a report with itself.
func (k *counter) evalReports() []string {
	k.t.Helper()
	file := filepath.Join(k.t.TempDir(), "manager.json")
	if did := (setup{}).run(k.t, "eval", "run", "manager", "--out", file); did.code != exitOK {
		k.t.Fatalf("eval run: %+v", did)
	}
	return []string{"eval", "compare", file, file}
}

// Runs are found where the depot answers in the published shapes: nobody has
// asked an agent for anything at the counter.
func runsContracts() map[string]contract {
	depot := func(t *testing.T) setup { at, _ := newDepot(t); return at }
	order := func(do string) contract {
		return contract{where: depot, one: words("run", do, someRun), fail: words("run", do, noRun), failCode: 3}
	}
	all := map[string]contract{
		"run list": {empty: words("run", "list"), where: depot, one: words("run", "list"), fail: words("run", "list", "--state", "lost"),
			failCode: 2},
		"run show":   {where: depot, one: words("run", "show", someRun), fail: words("run", "show", noRun), failCode: 3},
		"run replay": {where: depot, one: words("run", "replay", someRun), fail: words("run", "replay", noRun), failCode: 3},
		"run reask":  {where: depot, one: words("run", "reask", someRun), fail: words("run", "reask", noRun), failCode: 5},
	}
	for _, do := range []string{"stop", "resume", "cancel", "retry"} {
		all["run "+do] = order(do)
	}
	return all
}

func recordsContracts() map[string]contract {
	const oneDocument = "what was drawn and how is one document"
	return map[string]contract{
		"audit fsck": {forms: []string{"json", "ndjson", "yaml", "csv"}, one: words("audit", "fsck"),
			fail: words("audit", "fsck", "--checkpoint", "/does/not/exist"), failCode: 3},
		"audit sample": {never: oneDocument, one: func(k *counter) []string {
			k.record()
			return []string{"audit", "sample", "--seed",
				"x"}
		}, fail: words("audit", "sample"), failCode: 2},
		"audit verify": {one: func(k *counter) []string { return []string{"audit", "verify", k.record()} },
			fail: words("audit", "verify", noRecord), failCode: 3},
		"audit key new": {one: words("audit", "key", "new", "gavel.invalid/log"), fail: words("audit", "key", "new"), failCode: 2},
		"audit resume": {where: restoredLog, forms: []string{"table", "json"}, one: words("audit", "resume", "--reason", "a lost disk"),
			fail: words("audit", "resume"), failCode: 2},
		"recover begin": {where: restored(""), forms: []string{"table", "json"}, one: words("recover", "begin", "--engine",
			"same", "--reason", "a lost disk"),
			fail: words("recover", "begin", "--engine", "maybe", "--reason", "x"), failCode: 2},
		"recover show": {where: restored("on"), forms: []string{"table", "json"}, one: words("recover", "show"),
			fail: words("recover", "show"), failCode: 3},
		"recover end": {where: restored("on"), forms: []string{"table", "json"}, one: words("recover", "end", "--settle", "0s", "--reason",
			"looked at"),
			fail: words("recover", "end", "--reason", "looked at"), failCode: 6},
		"recover cases": {where: restored("over"), forms: []string{"table", "json", "csv"}, empty: words("recover", "cases"),
			one:  words("recover", "cases"),
			fail: words("recover", "cases", "extra"), failCode: 2},
		"recover free": {where: restored("over"), forms: []string{"table", "json"}, one: words("recover", "free", "CASE-1", "--org",
			"north", "--reason", "looked at"),
			fail: words("recover", "free", "CASE-1", "--org", "north", "--reason", "looked at"), failCode: 3},
		"audit key accept": {one: func(k *counter) []string {
			k.record()
			return []string{"audit", "key", "accept", k.nextKey(), "--reason", "lost"}
		},
			fail: words("audit", "key", "accept", "nothing"), failCode: 2},
		"key rewrap-all": {one: words("key", "rewrap-all"), fail: words("key", "rewrap-all", "--config", "/does/not/exist"), failCode: 2},
		"key rewrap": {as: identity.OrgAdmin, one: words("key", "rewrap"), fail: words("key", "rewrap", "--server",
			"http://127.0.0.1:1"), failCode: 1},
		"subject preview": {as: identity.OrgAdmin, one: words("subject", "preview", "rider:R-7"),
			fail: words("subject", "preview", "nobody"), failCode: 2},
		"subject erase": {as: identity.OrgAdmin, one: words("subject", "erase", "rider:R-7", "--ground", "request", "--yes"),
			fail: words("subject", "erase", "rider:R-7"), failCode: 2},
		"subject hold": {as: identity.OrgAdmin, one: words("subject", "hold", "rider:R-8", "--reason", "appeal"),
			fail: words("subject", "hold", "rider:R-8"), failCode: 2},
		"subject holds": {as: identity.OrgAdmin, empty: words("subject", "holds"),
			one:  func(k *counter) []string { k.hold(); return []string{"subject", "holds"} },
			fail: words("subject", "holds", "extra"), failCode: 2},
	}
}

func officeContracts() map[string]contract {
	return map[string]contract{
		"whoami": {one: words("whoami"), fail: words("whoami", "--server", "http://127.0.0.1:1"), failCode: 1},
		"people list": {as: identity.OrgAdmin, empty: words("people", "list"), one: words("people", "list"),
			fail: words("people", "list", "extra"), failCode: 2},
		"token create": {as: identity.OrgAdmin, one: words("token", "create", "--name", "x", "--scope", "read:cases", "--reason", "x"),
			fail: words("token", "create", "--name", "x"), failCode: 2},
		"token list": {as: identity.OrgAdmin, empty: words("token", "list"), one: func(k *counter) []string {
			k.as(identity.OrgAdmin).run(k.t, "token", "create", "--name", "y", "--scope", "read:cases", "--reason", "x")
			return []string{"token", "list"}
		}, fail: words("token", "list", "extra"), failCode: 2},
		"mcp token":   {one: words("mcp", "token"), fail: words("mcp", "token", "extra"), failCode: 2},
		"device pair": {as: identity.OrgAdmin, one: words("device", "pair", "north gate"), fail: words("device", "pair"), failCode: 2},
		"device list": {as: identity.OrgAdmin, empty: words("device", "list"),
			one:  func(k *counter) []string { k.device(); return []string{"device", "list"} },
			fail: words("device", "list", "extra"), failCode: 2},
		"policy table": {one: words("policy", "table"), fail: words("policy", "table", "--for", "nobody"), failCode: 3},
		"policy explain": {as: identity.OrgAdmin, one: words("policy", "explain", "case.close", "--role", "analyst"),
			fail: words("policy", "explain", "case.nothing", "--role", "analyst"), failCode: 3},
		"policy simulate": {as: identity.OrgAdmin, forms: []string{"json", "yaml", "csv"},
			one:  func(k *counter) []string { return []string{"policy", "simulate", k.policies()} },
			fail: words("policy", "simulate", "/does/not/exist"), failCode: 2},
		"org list": {never: "an installation without organisations has nobody to ask", one: words("org", "list"),
			fail: words("org", "list", "--config", "/does/not/exist"), failCode: 2},
	}
}

func plainContracts() map[string]contract {
	two := []string{"table", "json"} // each takes a database of its own
	return map[string]contract{
		"new app": {one: func(k *counter) []string {
			return []string{"new", "app", "permits", "--dir", filepath.Join(k.t.TempDir(), "permits"), "--checkout", ".."}
		}, fail: words("new", "app", "order"), failCode: 2},
		"version": {one: words("version"), fail: words("version", "extra"), failCode: 2},
		"config":  {one: words("config"), fail: words("config", "--config", "/does/not/exist"), failCode: 2},
		"config list": {never: "there are always settings", one: words("config", "list"), fail: words("config", "list", "--config",
			"/does/not/exist"), failCode: 2},
		// the engine is away
		"doctor": {one: words("doctor"), code: 1, fail: words("doctor", "--config", "/does/not/exist"), failCode: 2},
		"migrate": {empty: words("migrate"), where: unmigrated, forms: two, one: words("migrate"), fail: words("migrate", "--config",
			"/does/not/exist"), failCode: 2},
		"migrate up": {empty: words("migrate", "up"), where: unmigrated, forms: two, one: words("migrate", "up"),
			fail: words("migrate", "up", "extra"), failCode: 2},
		"migrate status": {empty: words("migrate", "status"), where: unmigrated, forms: two, one: words("migrate", "status"), code: 8,
			fail: words("migrate", "status", "extra"), failCode: 2},
	}
}

// unmigrated is a database that nothing was done to.
func unmigrated(t *testing.T) setup {
	t.Helper()
	return setup{environ: []string{"GAVEL_MODE=test", "GAVEL_DATABASE_OWNER_URL=" + postgrestest.New(t).OwnerURL}}
}

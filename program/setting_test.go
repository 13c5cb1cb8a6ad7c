package program

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
)

// settingContracts are those of what an organisation sets.
func settingContracts() map[string]contract {
	on := func(args ...string) func(*counter) []string {
		return func(k *counter) []string {
			if got := k.as(identity.ProgrammeManager).run(k.t, "setting", "set", "poolpatrol", "office", "--put",
				"manual_minutes=31"); got.code != 0 {
				k.t.Fatal(got.talk)
			}
			return append([]string{"setting", args[0], "poolpatrol", "office"}, args[1:]...)
		}
	}
	none := func(what string, more ...string) func(*counter) []string {
		return words(append([]string{"setting", what, "poolpatrol", "nothing"}, more...)...)
	}
	all := map[string]contract{
		"setting list": {never: "what can be set is the same for everybody", one: words("setting", "list"), fail: words("setting",
			"list", "--server", "http://127.0.0.1:1"), failCode: 1},
		"setting show":    {one: on("show"), fail: none("show"), failCode: 3},
		"setting history": {one: on("history"), fail: none("history"), failCode: 3},
		"setting diff":    {one: on("diff", "0", "1"), fail: none("diff", "0", "1"), failCode: 3},
		"setting set": {one: words("setting", "set", "poolpatrol", "office", "--put", "manual_minutes=30"), fail: words("setting",
			"set", "poolpatrol", "office"), failCode: 2},
	}
	for name, row := range all {
		row.as = identity.ProgrammeManager
		all[name] = row
	}
	return all
}

// TestASettingIsChangedFromTheTerminal promises that what is named is changed and the rest
// stays, that the history says who did, and that one of several can be set from a file's words,
// and removed.
func TestASettingIsChangedFromTheTerminal(t *testing.T) {
	k := newCounter(t)
	manager, officer := k.as(identity.ProgrammeManager), k.as(identity.Officer)
	manager.run(t, "setting", "set", "poolpatrol", "office", "--put", "manual_minutes=30", "--put", "contact=the desk").wants(t, 0,
		`"contact":"the desk"`, `"manual_minutes":30`, `"currency":""`)
	manager.run(t, "setting", "set", "poolpatrol", "office", "--put", "manual_minutes=0").wants(t, 2)
	manager.run(t, "setting", "set", "poolpatrol", "office", "--put", "hours=3").wants(t, 2)
	manager.run(t, "setting", "history", "poolpatrol", "office").wants(t, 0, "CHANGED BY")
	manager.run(t, "setting", "diff", "poolpatrol", "office", "0", "1").wants(t, 0, "manual_minutes", "45", "30")
	officer.run(t, "setting", "set", "airshed", "office", "--item", "Uttar Pradesh", "--put", "name=Board", "--put",
		"mailbox=board@state.example", "--put", "language=hi").wants(t, 0, "Uttar Pradesh")
	officer.run(t, "setting", "show", "airshed", "office").wants(t, 0, "Uttar Pradesh", "board@state.example")
	officer.run(t, "airshed", "office", "list").wants(t, 0, "Uttar Pradesh")
	officer.run(t, "setting", "remove", "airshed", "office", "--item", "Uttar Pradesh").wants(t, 0)
	officer.run(t, "setting", "show", "airshed", "office", "--item", "Uttar Pradesh").wants(t, 3)
	officer.run(t, "setting", "set", "poolpatrol", "office", "--put", "manual_minutes=30").wants(t, 5)
}

// wants insists on how a command ended, and on what it printed.
func (r ran) wants(t *testing.T, code int, said ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("ended with %d, want %d: %s", r.code, code, r.talk)
	}
	for _, s := range said {
		if !strings.Contains(r.out, s) {
			t.Errorf("%s lacks %q", r.out, s)
		}
	}
}

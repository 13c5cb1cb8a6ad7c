package program

import (
	"encoding/json"
	"strings"
	"testing"
)

// usesTools lets a program in with what a person's terminal gives it, and returns
// it: it reads in their name and does nothing else, over standard input and by a
// token of its own.
func usesTools(t *testing.T, shell setup) (program setup) {
	t.Helper()
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	speaking := shell
	speaking.in = list + "\n"
	if got := speaking.run(t, "mcp", "serve"); got.code != exitOK || !strings.Contains(got.out, `"search_cases"`) {
		t.Errorf("mcp serve after a login: %+v", got)
	}
	var made struct{ Token string }
	got := shell.run(t, "mcp", "token", "--name", "editor", "-o", "json")
	if json.Unmarshal([]byte(got.out), &made) != nil || !strings.HasPrefix(made.Token, "gvs_north.") {
		t.Fatalf("mcp token: %+v", got)
	}
	program = setup{environ: append([]string{"GAVEL_TOKEN=" + made.Token}, shell.environ...), in: list + "\n"}
	if got := program.run(t, "mcp", "serve"); got.code != exitOK || !strings.Contains(got.out, `"search_cases"`) {
		t.Errorf("mcp serve with its token: %+v", got)
	}
	if got := program.run(t, "people", "list"); got.code != exitOK {
		t.Errorf("the program cannot read: %+v", got)
	}
	for _, args := range [][]string{{"token", "create", "--name", "x", "--scope", "read:cases", "--reason", "x"},
		{"device", "pair", "Gate 9"}} {
		if got := program.run(t, args...); got.code != exitCodeOfRefused || !strings.Contains(got.talk, "for tools") {
			t.Errorf("the program may %v: %+v", args, got)
		}
	}
	return program
}

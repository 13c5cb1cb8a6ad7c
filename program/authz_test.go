package program

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhoMayDoWhat compares every role, nobody and every kind of token against
// every route, act and tool with the table that people keep. A new one without a
// row fails: add the row by hand, having thought about it.
//
// It then puts one of everything there is into the organisation north, and asks
// for it from south by every address that could name it; and it sends every form
// and every write of the API as somebody who only looks. What is asked is counted,
// so that nothing falls out of it unseen.
func TestWhoMayDoWhat(t *testing.T) {
	north := newFront(t).settle(t, postgrestest.North)
	asked := north.compareRows(t, "testdata/authz.golden")
	asked += north.apart(t)
	asked += north.untouched(t)
	north.reached(t) // last: here things are done
	if !t.Failed() {
		fmt.Printf("%d of %d answers to who may do what are as the table says, and none shows another organisation\n", asked, asked)
	}
}

// compareRows compares what is with the table, and returns how many answers that
// took.
func (e *estate) compareRows(t *testing.T, file string) (asked int) {
	t.Helper()
	got, asked := e.matrix(t)
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(table)), "\n") {
		if what, who, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			want[what] = who
		}
	}
	for _, row := range got {
		what, who, _ := strings.Cut(row, ": ")
		switch kept, ok := want[what]; {
		case !ok:
			t.Errorf("no row says who may use %s; as it is, the row would be\n%s", what, row)
		case kept != who:
			t.Errorf("%s: got %s, want %s", what, who, kept)
		}
		delete(want, what)
	}
	for what := range want {
		t.Errorf("the table has a row for %s, which there is not", what)
	}
	return asked
}

// An asker is somebody who asks: by a token, or by the session of a browser.
type asker struct{ name, token, session string }

// scopes are one of every kind that a machine's token has.
func scopes() []string {
	return []string{"read:cases", "read:audit", "read:metrics", "read:yard", "ingest:poolpatrol", "ingest:airshed", "ingest:netra",
		"read:staff", "propose:yard"}
}

// askers are everybody of an organisation, roles first.
func (f *front) askers(t *testing.T, org identity.Org) []asker {
	t.Helper()
	var all []asker
	for _, role := range identity.Roles() {
		all = append(all, asker{name: string(role), token: devTokenOf(t, org, role)})
	}
	for _, scope := range scopes() {
		all = append(all, asker{name: "token " + scope, token: f.machine(t, org, scope)})
	}
	return all
}

// together does something as each of them, at the same time.
func together(all []asker, do func(i int, who asker)) {
	var group errgroup.Group
	group.SetLimit(6)
	for i, who := range all {
		group.Go(func() error {
			do(i, who)
			return nil
		})
	}
	_ = group.Wait() // nobody returns an error
}

// whoMay says who is let in, as the table has it.
func whoMay(in []string, nobody string, all int) string {
	switch {
	case len(in) == 0:
		return "none"
	case len(in) == all:
		return "everybody"
	case len(in) == all-1 && !slices.Contains(in, nobody):
		return "whoever is signed in"
	}
	return strings.Join(in, ", ")
}

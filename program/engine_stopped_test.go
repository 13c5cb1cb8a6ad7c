package program

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// newParts is PostgreSQL and an engine that a test may stop, and the settings that
// lead there. They are removed when the test ends.
func newParts(t *testing.T) (*devstack.Stack, []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel-works-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	_, err = devstack.Up(ctx, devstack.Options{Dir: dir, Parts: []devstack.Part{devstack.Postgres, devstack.Temporal}})
	stack, openErr := devstack.Open(dir) // also when Up was interrupted, so that what it started is removed
	if openErr != nil {
		t.Fatal(errors.Join(err, openErr))
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := stack.Remove(ctx); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	all := stack.Settings()
	maps.Copy(all, map[string]string{"GAVEL_LISTEN": "127.0.0.1:0", "GAVEL_PUBLIC_URL": "", "GAVEL_DEV_TOKEN_KEY": testKey})
	foundNorth(t, all["GAVEL_DATABASE_OWNER_URL"], all["GAVEL_DATABASE_SYSTEM_URL"])
	var settings []string
	for name, value := range all {
		settings = append(settings, name+"="+value)
	}
	return stack, settings
}

// foundNorth makes the tables and the organisation north.
func foundNorth(t *testing.T, owner, system string) {
	t.Helper()
	if _, err := postgres.Migrate(t.Context(), owner, builtIn().migrations()...); err != nil {
		t.Fatal(err)
	}
	sys, err := postgres.OpenSystem(t.Context(), system)
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Close()
	if err := sys.AddOrganisation(t.Context(), postgres.Organisation{Org: postgrestest.North, Title: "North",
		Zone: "Asia/Kolkata"}); err != nil {
		t.Fatal(err)
	}
}

// TestPeopleDecideWhileTheEngineIsStopped promises that with the engine away people
// read, decide on the page and over the API, and are told that what they approved
// will be carried out when the engine is back; that then it is, once; and that what
// they rejected is not.
func TestPeopleDecideWhileTheEngineIsStopped(t *testing.T) {
	stack, settings := newParts(t)
	w := newWorks(t, settings...)
	file, ids := w.propose("stopped", "onpage", "overapi", "rejected")
	if err := stack.Stop(context.Background(), devstack.Temporal); err != nil {
		t.Fatal(err)
	}
	const promise = "when the engine is back"
	for _, path := range []string{"/inbox", "/cases", "/cases/" + file, "/runs", "/audit"} {
		w.page(path)
	}
	var before string
	wait.Until(t, "who is about to decide is told that it "+promise, func() bool { // as soon as the server knows
		before = w.page("/proposals/" + ids["onpage"])
		return strings.Contains(before, promise)
	})
	w.decideOnPage(ids["onpage"], before)
	if after := w.page("/proposals/" + ids["onpage"] + "?done=approve"); !strings.Contains(after, promise) {
		t.Errorf("who has decided is not told that it %s:\n%s", promise, after)
	}
	w.decideOverAPI(ids["overapi"], "approve")
	w.decideOverAPI(ids["rejected"], "reject")
	if after := w.page("/proposals/" + ids["overapi"]); !strings.Contains(after, promise) {
		t.Errorf("the page of what was decided over the API does not say that it %s:\n%s", promise, after)
	}
	time.Sleep(2 * time.Second)
	if got := w.sent(); len(got) != 0 {
		t.Fatalf("%v was carried out without the engine", got)
	}
	if err := stack.Start(context.Background(), devstack.Temporal); err != nil {
		t.Fatal(err)
	}
	w.awaitClosed(file)
	time.Sleep(2 * time.Second) // for what might come a second time
	got := w.sent()
	slices.Sort(got)
	if want := []string{"onpage", "overapi"}; !slices.Equal(got, want) {
		t.Errorf("%v was carried out when the engine was back, want %v", got, want)
	}
	if after := w.page("/proposals/" + ids["onpage"]); strings.Contains(after, promise) {
		t.Errorf("the page still says that it %s", promise)
	}
}

// TestTwoGatesOfOneCaseOpenInEitherOrder promises that of two things an agent asks
// for at once the one that is approved first is done first, whichever it is, while
// the other still waits; and that the case ends when both are decided.
func TestTwoGatesOfOneCaseOpenInEitherOrder(t *testing.T) {
	_, environ := withEngine(t, settingsFor(t, postgrestest.New(t, builtIn().migrations()...)))
	w := newWorks(t, environ...)
	var want []string
	for _, order := range [][]string{{"first", "second"}, {"second", "first"}} {
		key := strings.Join(order, "-")
		file, ids := w.propose(key, "first."+key, "second."+key)
		for _, gate := range order {
			word := gate + "." + key
			w.decideOverAPI(ids[word], "approve")
			want = append(want, word)
			wait.Until(t, word+" is carried out", func() bool { return len(w.sent()) >= len(want) })
			if got := w.sent(); !slices.Equal(got, want) {
				t.Fatalf("after %s was approved: %v was carried out, want %v", word, got, want)
			}
		}
		w.awaitClosed(file)
	}
	if got := w.sent(); !slices.Equal(got, want) {
		t.Errorf("in the end: %v, want %v", got, want)
	}
}

package api_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/postgres"
)

// newStage is a server over a case worth bundling.
func newStage(t *testing.T) (caller, string) {
	t.Helper()
	c, id, s := stillStage(t)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended, tick := make(chan struct{}), time.NewTicker(audit.Interval)
	go func() {
		defer close(ended)
		_ = s.Log.Run(ctx, tick.C)
	}()
	t.Cleanup(func() { stop(); <-ended; tick.Stop() })
	return c, id
}

// stillStage is the same with a log that takes nothing in, for which a bundle
// waits some seconds.
func stillStage(t *testing.T) (caller, string, *bundletest.Stage) {
	t.Helper()
	s := bundletest.NewOn(t, []postgres.MigrationSet{idempotency.Migrations(), operation.Migrations()})
	id := s.Case(t, 7)
	return caller{t, serveParts(t, s.DB, api.Config{}, &api.Bundles{Exporter: s.Exporter}, &api.Operations{}), &http.Client{}, s.DB},
		string(id), s
}

// TestWhoHangsUpAndSendsAgainHasOneOperation: the work goes on without its caller,
// so the key stays taken, and a repeat is told of the same work.
func TestWhoHangsUpAndSendsAgainHasOneOperation(t *testing.T) {
	c, id, _ := stillStage(t)
	path, key := c.url+"/v1/cases/"+id+"/bundle", rand.Text()
	impatient, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(impatient, http.MethodPost, path, strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]string{"As": "auditor", "Content-Type": "application/json", "Prefer": "respond-async, wait=30",
		"Idempotency-Key": key} {
		req.Header.Set(name, v)
	}
	left := make(chan error, 1)
	go func() {
		res, err := c.http.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		left <- err
	}()
	began := func() int { return c.count(`select count(*)::int from gavel.operation`) }
	wait.Until(t, "the bundle is begun", func() bool { return began() > 0 })
	hangUp()
	if err := <-left; err == nil {
		t.Fatal("the answer came before the caller left")
	}
	var again answer
	wait.Until(t, "the server has noticed that the first caller left", func() bool {
		again = c.call("auditor", "POST", "/v1/cases/"+id+"/bundle", `{}`, "Prefer", "respond-async, wait=30", "Idempotency-Key", key)
		return again.status != http.StatusConflict
	})
	if again.status != http.StatusAccepted || again.header.Get("Idempotency-Replayed") != "true" || began() != 1 {
		t.Errorf("sent again: %d %v, and there are %d operations", again.status, again.body, began())
	}
}

func TestABundleIsMadeWhileItsCallerDoesSomethingElse(t *testing.T) {
	c, id := newStage(t)
	path := "/v1/cases/" + id + "/bundle"
	key := rand.Text()
	started := c.call("auditor", "POST", path, `{"to":"Tribunal"}`, "Prefer", "respond-async", "Idempotency-Key", key)
	where := started.header.Get("Location")
	if started.status != 202 || !strings.HasPrefix(where, "/v1/operations/op_") || started.body["done"] != false ||
		started.body["name"] != "bundle" {
		t.Fatalf("%d %v %v", started.status, started.header, started.body)
	}
	if again := c.call("auditor", "POST", path, `{"to":"Tribunal"}`, "Prefer", "respond-async", "Idempotency-Key",
		key); again.header.Get("Location") != where {
		t.Errorf("sent again, it is %s", again.header.Get("Location"))
	}
	done := c.call("auditor", "GET", where, "", "Prefer", "wait=30")
	if done.status != 200 || done.body["done"] != true || done.body["state"] != "done" || field(done.body, "result", "case") != id {
		t.Fatalf("%d %v", done.status, done.body)
	}
	file := c.call("auditor", "GET", field(done.body, "file", "path").(string), "")
	sum := sha256.Sum256([]byte(file.text))
	if file.status != 200 || hex.EncodeToString(sum[:]) != field(done.body, "result", "sha256") ||
		file.header.Get("Content-Type") != "application/zip" {
		t.Errorf("%d %v", file.status, file.header)
	}
	if _, err := zip.NewReader(bytes.NewReader([]byte(file.text)), int64(len(file.text))); err != nil {
		t.Error(err)
	}
	for as, want := range map[string]int{"officer": 404, "south": 404, "": 401} {
		if got := c.call(as, "GET", where, ""); got.status != want {
			t.Errorf("%q sees it: %d", as, got.status)
		}
	}
	if got := c.call("auditor", "POST", where+"/cancel", ""); got.status != 409 {
		t.Errorf("what has ended is cancelled: %d", got.status)
	}
	if list := c.call("auditor", "GET", "/v1/operations", ""); len(items(list)) != 1 {
		t.Errorf("%v", list.body)
	}
	if n := c.count(`select count(*)::int from gavel.record where kind = 'export'`); n != 1 {
		t.Errorf("%d exports are on record, want 1", n)
	}
}

func TestABundleIsSentAsItIsMadeToWhoDoesNotSayOtherwise(t *testing.T) {
	c, id := newStage(t)
	for name, body := range map[string][]string{"nothing": {"", ""}, "JSON": {`{"to":"x"}`, "application/json"},
		"a page's form": {"to=x", "application/x-www-form-urlencoded"}} {
		got := c.call("auditor", "POST", "/v1/cases/"+id+"/bundle", body[0], "Content-Type", body[1])
		if got.status != 200 || got.header.Get("Content-Type") != "application/zip" || got.header.Get("Repr-Digest") == "" ||
			!strings.HasPrefix(got.header.Get("Gavel-Record"), "rec_") {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
	}
	if got := c.call("operator", "POST", "/v1/cases/"+id+"/bundle", ""); got.status != 403 {
		t.Errorf("an operator: %d", got.status)
	}
	if got := c.call("auditor", "POST", "/v1/cases/case_x/bundle", "", "Prefer", "respond-async, wait=10"); got.status != 200 ||
		got.body["state"] != "failed" || field(got.body, "error", "code") != "not_found" {
		t.Errorf("of a case there is not: %d %v", got.status, got.body)
	}
	if got := c.call("auditor", "POST", "/v1/cases/"+id+"/bundle?validate_only=true", ""); got.status != 422 {
		t.Errorf("trying it: %d", got.status)
	}
}

func TestAStepIsPutToTheModelAgainAsAnOperation(t *testing.T) {
	y := newYard(t)
	run := y.open("clerk", "look a | post b", agent.Done)
	got := y.call("auditor", "POST", "/v1/runs/"+run+"/reask", `{"step":1,"times":2}`, "Prefer", "respond-async, wait=30")
	answers, _ := field(got.body, "result", "answers").([]any)
	if got.status != 200 || got.body["state"] != "done" || len(answers) != 2 || got.header.Get("Location") == "" {
		t.Errorf("%d %v", got.status, got.body)
	}
}

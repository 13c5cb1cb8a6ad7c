package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/policy"
)

func TestAWriteWithAKeyIsDoneOnceAndAnsweredAlike(t *testing.T) {
	c := newCaller(t)
	opened := c.call("officer", "POST", "/v1/cases", van14, "Idempotency-Key", "open-van-14")
	again := c.call("officer", "POST", "/v1/cases", van14, "Idempotency-Key", "open-van-14")
	if opened.status != 201 || again.status != 201 || again.text != opened.text || again.header.Get("ETag") != `"1"` ||
		again.header.Get("Location") != opened.header.Get("Location") || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %d %v, then %d %v %s", opened.status, opened.header, again.status, again.header, again.text)
	}
	path := "/v1/cases/" + opened.body["id"].(string) + "/notes"
	for range 3 {
		if got := c.call("officer", "POST", path, `{"text":"Spoke to the driver."}`, "Idempotency-Key", "note-00001"); got.status != 204 {
			t.Fatalf("%d %v", got.status, got.body)
		}
	}
	if n := c.count(`select count(*)::int from gavel.case_entry where kind = 'note'`); n != 1 {
		t.Errorf("%d notes, want 1", n)
	}
	for name, tt := range map[string]struct {
		as, path, body, key string
		want                int
	}{
		"the key of another request": {"officer", path, `{"text":"Something else."}`, "note-00001", 422},
		"the same body elsewhere": {"officer", "/v1/cases/" + opened.body["id"].(string) + "/notes?validate_only=false",
			`{"text":"Spoke to the driver."}`, "note-00001", 422},
		"the key on another kind of one": {"officer", "/v1/cases", strings.Replace(van14, "14", "15", 1), "note-00001", 201},
		"the key of a colleague":         {"officer2", path, `{"text":"Something else."}`, "note-00001", 204},
		"a key that is none":             {"officer", path, `{"text":"x"}`, "short", 422},
	} {
		if got := c.call(tt.as, "POST", tt.path, tt.body, "Idempotency-Key", tt.key); got.status != tt.want {
			t.Errorf("%s: got %d %v, want %d", name, got.status, got.body, tt.want)
		}
	}
}

func TestAWriteThatFailedMayBeSentAgainWithItsKey(t *testing.T) {
	c := newCaller(t)
	if got := c.call("officer", "POST", "/v1/cases", `{"app":"nothing","key":"k","title":"t"}`, "Idempotency-Key",
		"open-00001"); got.status != 422 {
		t.Fatalf("%d %v", got.status, got.body)
	}
	if got := c.call("officer", "POST", "/v1/cases", van14, "Idempotency-Key", "open-00001"); got.status != 201 ||
		got.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%d %v", got.status, got.body)
	}
}

func TestManyAtOnceWithOneKeyAreOne(t *testing.T) {
	c := newCaller(t)
	id := c.call("officer", "POST", "/v1/cases", van14).body["id"].(string)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			got := c.call("officer", "POST", "/v1/cases/"+id+"/notes", `{"text":"x"}`, "Idempotency-Key", "note-00001")
			if got.status != 204 && (got.status != 409 || got.header.Get("Retry-After") == "") {
				t.Errorf("%d %v", got.status, got.body)
			}
		})
	}
	wg.Wait()
	if n := c.count(`select count(*)::int from gavel.case_entry where kind = 'note'`); n != 1 {
		t.Errorf("%d notes, want 1", n)
	}
}

func TestTryingAWriteChecksEverythingAndLeavesNothing(t *testing.T) {
	c := newCaller(t)
	id := c.call("officer", "POST", "/v1/cases", van14).body["id"].(string)
	rows := func() int {
		return c.count(`select ((select count(*) from gavel.case) + (select count(*) from gavel.case_entry) + (select count(*)
			from gavel.record)
			+ (select count(*) from gavel.outbox) + (select count(*) from gavel.idempotency))::int`)
	}
	before := rows()
	for _, tt := range []struct {
		name, as, path, body, match string
		status, would               int
	}{
		{"open", "officer", "/v1/cases?validate_only=true", `{"app":"general","key":"k","title":"t"}`, "", 200, 201},
		{"open what is open", "officer", "/v1/cases?validate_only=true", van14, "", 200, 200},
		{"open what cannot be", "officer", "/v1/cases?validate_only=true", `{"app":"nothing","key":"k","title":"t"}`, "", 422, 0},
		{"annotate", "officer", "/v1/cases/" + id + "/notes?validate_only=true", `{"text":"x"}`, "", 200, 204},
		{"annotate nothing", "officer", "/v1/cases/case_x/notes?validate_only=true", `{"text":"x"}`, "", 404, 0},
		{"annotate as an auditor", "auditor", "/v1/cases/" + id + "/notes?validate_only=true", `{"text":"x"}`, "", 403, 0},
		{"close", "officer", "/v1/cases/" + id + "/close?validate_only=true", `{"reason":"Settled."}`, `"1"`, 200, 202},
		{"close what has changed", "officer", "/v1/cases/" + id + "/close?validate_only=true", `{"reason":"Settled."}`, `"7"`, 412, 0},
		{"cancel an operation", "officer", "/v1/operations/op_1/cancel?validate_only=true", ``, "", 422, 0},
	} {
		headers := []string{"Idempotency-Key", "try-" + strings.ReplaceAll(tt.name, " ", "-") + "-1"}
		if tt.match != "" {
			headers = append(headers, "If-Match", tt.match)
		}
		got := c.call(tt.as, "POST", tt.path, tt.body, headers...)
		would, _ := got.body["status"].(float64)
		if got.status != tt.status || tt.would != 0 && (int(would) != tt.would || got.header.Get("Location") != "") {
			t.Errorf("%s: got %d %v, want %d and %d", tt.name, got.status, got.body, tt.status, tt.would)
		}
	}
	if after := rows(); after != before {
		t.Errorf("%d rows after trying, %d before", after, before)
	}
}

func TestWhoAsksTooOftenIsToldToWait(t *testing.T) {
	one := newCaller(t)
	url := serveParts(t, one.db, api.Config{Rate: 1, Burst: 5},
		&api.Cases{Cases: casefile.NewStore(casefile.Config{DB: one.db.App, Rules: policy.Standard()})})
	c := caller{t, url, &http.Client{}, one.db}
	for i := range 5 {
		got := c.call("officer", "GET", "/v1/cases", "")
		if got.status != 200 || got.header.Get("RateLimit") != fmt.Sprintf(`"caller";r=%d;t=%d`, 4-i, i+1) ||
			got.header.Get("RateLimit-Policy") != `"caller";q=5;w=5` {
			t.Errorf("request %d: %d %v", i, got.status, got.header)
		}
	}
	got := c.call("officer", "GET", "/v1/cases", "")
	if got.status != 429 || got.body["code"] != "too_many" || got.header.Get("Retry-After") != "1" || got.body["retryable"] != true {
		t.Errorf("one too many: %d %v %v", got.status, got.header, got.body)
	}
	if got := c.call("auditor", "GET", "/v1/cases", ""); got.status != 200 {
		t.Errorf("somebody else is held back, too: %d", got.status)
	}
}

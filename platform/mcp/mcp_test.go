package mcp_test

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/review"
)

var update = flag.Bool("update", false, "write golden files anew")

// versions are the protocol's, the newest first.
var versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// TestEveryVersionOfTheProtocolIsServed promises that clients of today and of
// last year list, read and propose, and are told the same.
func TestEveryVersionOfTheProtocolIsServed(t *testing.T) {
	r := newRig(t)
	c := r.open("Smoke over Jind")
	for _, v := range versions {
		s := r.connect("asha", nil, v)
		if got := s.InitializeResult(); got.ProtocolVersion != v || got.ServerInfo.Name != "gavel" {
			t.Errorf("%s: got %+v, want this version of gavel", v, got)
		}
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 14 {
			t.Fatalf("%s: %d tools (%v), want 6 of ours and 8 of the yard", v, len(list.Tools), err)
		}
		if got := call(t, s, "get_case", map[string]any{"case": c.Ref}); got.IsError || !strings.Contains(got.text, "Smoke over Jind") {
			t.Errorf("%s: get_case answers %s", v, got.text)
		}
		look := call(t, s, r.app+"_look", map[string]any{"word": "a", "on_case": c.Ref})
		if look.IsError || look.field("status") != "done" || !strings.Contains(look.text, "seen a") {
			t.Errorf("%s: a look-up answers %s", v, look.text)
		}
		asked := call(t, s, r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref})
		if asked.IsError || asked.field("status") != "pending_approval" ||
			asked.field("link") != "https://gavel.example/proposals/"+asked.field("proposal") {
			t.Errorf("%s: a letter answers %s", v, asked.text)
		}
	}
	if n := r.count(`select count(*) from gavel.proposal`); n != 1 {
		t.Errorf("%d proposals of one call by five clients, want 1", n)
	}
	r.quiet("proposing")
}

// TestWhatIsShownToClients keeps the tools as clients see them: names, words,
// hints and schemas.
func TestWhatIsShownToClients(t *testing.T) {
	r := newRig(t)
	list, err := r.connect("asha", nil, "").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if list.CacheScope != "private" {
		t.Errorf("the list may be cached for %q, want private: it depends on the token", list.CacheScope)
	}
	for _, one := range list.Tools {
		if one.OutputSchema == nil || one.Annotations == nil || one.Annotations.DestructiveHint == nil ||
			one.Annotations.OpenWorldHint == nil {
			t.Errorf("%s does not say what it does or gives back", one.Name)
		}
	}
	text, err := json.MarshalIndent(list.Tools, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(string(text), r.app, "yard") + "\n"
	const golden = "testdata/tools.golden.json"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("what clients are shown differs from %s (%v); read the diff after -update", golden, err)
	}
}

// TestAListHoldsWhatTheTokenMayUse promises that a list depends on the token and
// on nothing else.
func TestAListHoldsWhatTheTokenMayUse(t *testing.T) {
	r := newRig(t)
	for token, want := range map[string][]string{
		"olga":               {"get_case", "get_proposal", "get_run", "list_inbox", "search_cases", "verify_record"},
		"gopal":              {"get_proposal"},
		"machine read:cases": {"get_case", "get_proposal", "get_run", "search_cases"},
		"machine read:APP":   {"get_proposal", "APP_look", "APP_mail"},
		"machine propose:APP": {"get_proposal", "APP_enrol", "APP_fax", "APP_letter", "APP_look", "APP_mail", "APP_note", "APP_post",
			"APP_wire"},
		"machine propose:other": {"get_proposal"},
	} {
		list, err := r.connect(token, nil, "").ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range list.Tools {
			got = append(got, strings.ReplaceAll(one.Name, r.app, "APP"))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s is shown\n %v, want\n %v", token, got, want)
		}
	}
}

// TestAHiddenToolIsRefusedAndOnRecord is statement 8 of the console: whoever
// calls a tool directly that is not in their list is refused, and it is kept.
func TestAHiddenToolIsRefusedAndOnRecord(t *testing.T) {
	r := newRig(t)
	c := r.open("one")
	for _, tt := range []struct{ token, tool, says string }{
		{"olga", "APP_letter", "refused: you don't have access to use APP.letter"},
		{"gopal", "search_cases", "refused: you don't have access to read cases"},
		{"gopal", "verify_record", "refused: you don't have access to read the audit log"},
		{"machine propose:APP", "get_case", "refused: this token doesn't have access to read cases"},
		{"machine read:APP", "APP_letter", "refused: this token doesn't have access to use APP.letter"},
		{"machine read:cases", "list_inbox", "refused: only a person may read an inbox"},
	} {
		before := r.count(`select count(*) from gavel.record where kind = 'refusal' and actor_id = $1`, r.actor(tt.token).ID)
		got := call(t, r.connect(tt.token, nil, ""), strings.ReplaceAll(tt.tool, "APP", r.app),
			map[string]any{"word": "a", "on_case": string(c.ID)})
		if says := strings.ReplaceAll(got.text, r.app, "APP"); !got.IsError || !strings.HasPrefix(says, tt.says) {
			t.Errorf("%s calls %s: %s, want %s", tt.token, tt.tool, says, tt.says)
		}
		if n := r.count(`select count(*) from gavel.record where kind = 'refusal' and actor_id = $1`, r.actor(tt.token).ID); n != before+1 {
			t.Errorf("%s was refused %s and it is on record %d times", tt.token, tt.tool, n-before)
		}
	}
	if _, err := r.connect("asha", nil, "").CallTool(t.Context(), &sdk.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("a tool that there is not answers")
	}
	r.quiet("refusals")
}

// TestWithoutATokenThereIsNothing promises that neither nobody nor a browser's
// cookie gets in.
func TestWithoutATokenThereIsNothing(t *testing.T) {
	r := newRig(t)
	post := func(change func(*http.Request), body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		change(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	token := func(name string) func(*http.Request) {
		return func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+name) }
	}
	for _, tt := range []struct {
		what   string
		change func(*http.Request)
		body   string
		status int
	}{
		{"nobody", func(*http.Request) {}, list, http.StatusUnauthorized},
		{"a cookie", func(req *http.Request) { req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: "asha"}) }, list,
			http.StatusUnauthorized},
		{"a machine without scopes", token("machine of nothing"), list, http.StatusForbidden},
		{"a machine that only brings data in", token("machine ingest:APP"), list, http.StatusForbidden},
		{"many requests in one", token("asha"), "[" + list + "," + list + "]", http.StatusUnprocessableEntity},
		{"too much", token("asha"), `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 600<<10) + `"}`,
			http.StatusRequestEntityTooLarge},
		{"somebody", token("asha"), list, http.StatusOK},
	} {
		status, text := post(tt.change, tt.body)
		if status != tt.status || status != http.StatusOK && !strings.Contains(text, "urn:gavel:problem:") {
			t.Errorf("%s: %d %.200s, want %d", tt.what, status, text, tt.status)
		}
	}
	var busy atomic.Int32
	var all sync.WaitGroup
	for range 500 { // more than a slow machine serves while it lets more through
		all.Go(func() {
			if status, _ := post(token("mohan"), list); status == http.StatusTooManyRequests {
				busy.Add(1)
			}
		})
	}
	all.Wait()
	if busy.Load() == 0 {
		t.Error("five hundred requests at once were all served")
	}
}

// TestAnApprovalOnThePageIsCarriedOutOnceAndTold promises the whole way: asked
// for over MCP, approved on the store, carried out once, and told by
// get_proposal, also to a machine about its own.
func TestAnApprovalOnThePageIsCarriedOutOnceAndTold(t *testing.T) {
	r := newRig(t)
	r.work()
	c := r.open("one")
	for _, token := range []string{"asha", "machine propose:APP"} {
		s := r.connect(token, nil, "")
		word := strings.Fields(token)[0]
		asked := call(t, s, r.app+"_letter", map[string]any{"word": word, "on_case": string(c.ID)})
		id := asked.field("proposal")
		if got := call(t, s, "get_proposal", map[string]any{"proposal": id}); got.field("status") != "pending_approval" {
			t.Errorf("%s: %s, want it to wait", token, got.text)
		}
		r.decide("olga", id, review.Approve)
		var got said
		wait.Until(t, "what was approved is carried out", func() bool {
			got = call(t, s, "get_proposal", map[string]any{"proposal": id})
			return got.field("status") != "approved"
		})
		if got.field("status") != "done" || got.field("result_json") != `{"text":"sent `+word+`"}` {
			t.Errorf("%s: %s, want it done", token, got.text)
		}
	}
	time.Sleep(200 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	if log := r.other.Log(); len(log) != 2 {
		t.Errorf("the other side had %v, want one letter of each", log)
	}
	if got := call(t, r.connect("gopal", nil, ""), "get_proposal", map[string]any{"proposal": "P-1"}); !got.IsError ||
		!strings.HasPrefix(got.text, "not_found") {
		t.Errorf("a guard reads another's proposal: %s", got.text)
	}
}

// TestOrganisationsAreKeptApart promises that nothing of one organisation is met
// by a token of another, be the person's id the same.
func TestOrganisationsAreKeptApart(t *testing.T) {
	r := newRig(t)
	c := r.open("Smoke over Jind")
	asked := call(t, r.connect("asha", nil, ""), r.app+"_letter", map[string]any{"word": "a", "on_case": string(c.ID)})
	s := r.connect("sita", nil, "")
	for name, args := range map[string]map[string]any{
		"get_case":        {"case": string(c.ID)},
		"get_proposal":    {"proposal": asked.field("proposal")},
		r.app + "_look":   {"word": "a", "on_case": string(c.ID)},
		r.app + "_letter": {"word": "a", "on_case": c.Ref},
	} {
		if got := call(t, s, name, args); !got.IsError || !strings.HasPrefix(got.text, "not_found") {
			t.Errorf("%s answers another organisation: %s", name, got.text)
		}
	}
	if got := call(t, s, "search_cases", map[string]any{"words": "smoke"}); got.IsError || strings.Contains(got.text, "Jind") {
		t.Errorf("a search finds another organisation's case: %s", got.text)
	}
}

// TestToolsOfThePlatformAnswerWhatTheyPromise reads a little of everything.
func TestToolsOfThePlatformAnswerWhatTheyPromise(t *testing.T) {
	r := newRig(t)
	r.open("Smoke over Jind")
	jind := r.open("Second smoke over Jind")
	r.open("Dust over Rohtak")
	s := r.connect("asha", nil, "")
	found := call(t, s, "search_cases", map[string]any{"words": "JIND smoke"})
	if n := strings.Count(found.text, `"ref"`); n != 2 || strings.Contains(found.text, "Rohtak") {
		t.Errorf("a search for smoke in Jind finds %s", found.text)
	}
	if got := call(t, s, "search_cases", map[string]any{"words": "jind", "state": "closed"}); strings.Contains(got.text, `"ref"`) {
		t.Errorf("a search for closed cases finds %s", got.text)
	}
	call(t, s, r.app+"_letter", map[string]any{"word": "a", "on_case": jind.Ref})
	one := call(t, s, "get_case", map[string]any{"case": jind.Ref})
	if !strings.Contains(one.text, `"proposed"`) || !strings.Contains(one.text, `"proposal":"P-1"`) {
		t.Errorf("get_case answers %s", one.text)
	}
	if mine := call(t, r.connect("olga", nil, ""), "list_inbox", nil); !strings.Contains(mine.text, `"proposal":"P-1"`) {
		t.Errorf("an officer's inbox is %s", mine.text)
	}
	if mine := call(t, s, "list_inbox", nil); strings.Contains(mine.text, "P-1") {
		t.Errorf("the inbox of who asked is %s", mine.text)
	}
	for tool, args := range map[string]map[string]any{
		"get_run":       {"run": "run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE"},
		"verify_record": {"record": "rec_01K5ZJ3W8Q6X9V2T4N7M1B0CDE"},
		"get_proposal":  {"proposal": "P-99"},
	} {
		if got := call(t, s, tool, args); !got.IsError || !strings.HasPrefix(got.text, "not_found") {
			t.Errorf("%s of what is not there: %s", tool, got.text)
		}
	}
	for tool, args := range map[string]map[string]any{
		"get_case":        {},
		"search_cases":    {"colour": "red"},
		r.app + "_look":   {"word": 7},
		r.app + "_letter": {"word": "a", "case": "case_1"},
		r.app + "_mail":   {"word": "a", "on_case": 7},
	} {
		if got := call(t, s, tool, args); !got.IsError || !strings.HasPrefix(got.text, "invalid: args") {
			t.Errorf("%s with wrong arguments: %s", tool, got.text)
		}
	}
}

// TestWhatIsAnsweredFitsItsSchema promises that results are of the form that the
// list told clients of.
func TestWhatIsAnsweredFitsItsSchema(t *testing.T) {
	r := newRig(t)
	c := r.open("one")
	s := r.connect("asha", nil, "")
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]*jsonschema.Resolved{}
	for _, one := range list.Tools {
		raw, _ := json.Marshal(one.OutputSchema)
		var form jsonschema.Schema
		if err := json.Unmarshal(raw, &form); err != nil {
			t.Fatal(err)
		}
		if forms[one.Name], err = form.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	letter := call(t, s, r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref})
	for name, got := range map[string]said{
		r.app + "_letter": letter,
		r.app + "_look":   call(t, s, r.app+"_look", map[string]any{"word": "a", "on_case": c.Ref}),
		r.app + "_mail":   call(t, s, r.app+"_mail", map[string]any{"word": "a", "on_case": c.Ref}),
		"search_cases":    call(t, s, "search_cases", nil),
		"get_case":        call(t, s, "get_case", map[string]any{"case": c.Ref}),
		"list_inbox":      call(t, s, "list_inbox", nil),
		"get_proposal":    call(t, s, "get_proposal", map[string]any{"proposal": letter.field("proposal")}),
	} {
		var text any
		if err := json.Unmarshal([]byte(got.text), &text); err != nil || got.IsError {
			t.Errorf("%s: its text is no JSON: %s", name, got.text)
		}
		if err := forms[name].Validate(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, got.text)
		}
	}
}

// TestACallerThatLeavesIsNotWaitedFor promises that a request ends with its
// connection.
func TestACallerThatLeavesIsNotWaitedFor(t *testing.T) {
	r := newRig(t)
	s := r.connect("asha", nil, "")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "search_cases"}); err == nil {
		t.Error("a request that was given up is answered")
	}
	if got := call(t, s, "search_cases", nil); got.IsError {
		t.Errorf("the next one fails: %s", got.text)
	}
}

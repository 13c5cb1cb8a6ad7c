package api_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/gavelhq/gavel/platform/api"
)

// fill opens cases with these titles, none in the same millisecond as another: two of one
// have no order.
func (c caller) fill(titles ...string) {
	c.t.Helper()
	for i, title := range titles {
		if got := c.call("officer", "POST", "/v1/cases", fmt.Sprintf(`{"app":"general","key":"k-%d","title":%q}`, i,
			title)); got.status != 201 {
			c.t.Fatalf("%d %v", got.status, got.body)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func TestEveryRowOfAListIsOnOnePage(t *testing.T) {
	c := newCaller(t)
	c.fill("a", "b", "c", "d", "e", "f", "g")
	var got []string
	token := ""
	for range 10 {
		page := c.call("officer", "GET", "/v1/cases?page_size=3&page_token="+url.QueryEscape(token), "")
		for _, item := range items(page) {
			got = append(got, field(item, "title").(string))
		}
		if token, _ = page.body["next_page_token"].(string); token == "" {
			break
		}
	}
	if want := []string{"g", "f", "e", "d", "c", "b", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAPageTokenIsOfOneListAndItsFilters(t *testing.T) {
	c := newCaller(t)
	c.fill("a", "b", "c")
	token, _ := c.call("officer", "GET", "/v1/cases?page_size=1&state=open", "").body["next_page_token"].(string)
	for path, want := range map[string]int{
		"/v1/cases?page_size=2&state=open&page_token=" + token:           200, // of another size
		"/v1/cases?page_size=2&fields=id&state=open&page_token=" + token: 200,
		"/v1/cases?page_size=2&page_token=" + token:                      422,
		"/v1/cases?state=closed&page_token=" + token:                     422,
		"/v1/operations?page_token=" + token:                             422,
		"/v1/cases?state=open&page_token=" + token + "x":                 422,
		"/v1/cases?state=open&page_token=!":                              422,
	} {
		got := c.call("officer", "GET", path, "")
		if got.status != want || want == 422 && field(got.body["errors"].([]any)[0], "code") != api.CodeElsewhere {
			t.Errorf("%s: got %d %v, want %d", path, got.status, got.body, want)
		}
	}
}

func TestCSVIsExactlyTheFilteredRows(t *testing.T) {
	c := newCaller(t)
	titles := []string{"plain", "=1+1", "+91 22", "-5", "@home", "\ttab", `quote " and, comma`, "हिन्दी", "line\nbreak"}
	c.fill(titles...)
	closed := field(items(c.call("officer", "GET", "/v1/cases?page_size=1", ""))[0], "id").(string)
	if got := c.call("officer", "POST", "/v1/cases/"+closed+"/notes", `{"text":"x"}`); got.status != 204 {
		t.Fatal(got.body)
	}
	for name, path := range map[string]string{"all": "/v1/cases?", "open": "/v1/cases?state=open&", "none": "/v1/cases?state=closed&",
		"entries": "/v1/cases/" + closed + "/entries?"} {
		var want []string
		for _, item := range items(c.call("officer", "GET", path+"page_size=200", "")) {
			id, ok := field(item, "id").(string)
			if !ok {
				id = fmt.Sprint(field(item, "seq"))
			}
			want = append(want, id)
		}
		for _, how := range [][]string{{path + "format=csv", "*/*"}, {path + "page_size=2", "text/csv"}} {
			got := c.call("officer", "GET", how[0], "", "Accept", how[1])
			rows, err := csv.NewReader(strings.NewReader(got.text)).ReadAll()
			if err != nil || got.status != 200 || got.header.Get("Content-Type") != "text/csv; charset=utf-8" {
				t.Fatalf("%s: %d %v %s", name, got.status, err, got.text)
			}
			var ids []string
			for _, row := range rows[1:] {
				ids = append(ids, row[0])
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s %v: got %v, want %v", name, how, ids, want)
			}
		}
	}
	file := c.call("officer", "GET", "/v1/cases?format=csv&fields=title", "")
	rows, err := csv.NewReader(strings.NewReader(file.text)).ReadAll()
	if err != nil || len(rows) != len(titles)+1 || rows[0][0] != "title" {
		t.Fatalf("%v %v", rows, err)
	}
	for _, row := range rows[1:] {
		_, number := strconv.Atoi(row[0])
		if row[0] != "" && number != nil && strings.ContainsRune("=+-@\t\r\n", rune(row[0][0])) {
			t.Errorf("the cell %q would be a formula", row[0])
		}
	}
}

// TestAListLeavesAsAFileOnlyWithWhoMayCarryItAway: not with who looks as another
// role does, nor with who may only read; and asking for it by a link changes
// nothing, with GET or with HEAD.
func TestAListLeavesAsAFileOnlyWithWhoMayCarryItAway(t *testing.T) {
	c := newCaller(t)
	c.fill("a", "b")
	rows := c.count(`select count(*)::int from gavel.record`)
	for as, want := range map[string]int{"officer": 200, "machine": 200, "looking": 403, "tools": 403} {
		for _, how := range [][]string{{"/v1/cases?format=csv", "*/*"}, {"/v1/cases", "text/csv"}} {
			for _, method := range []string{"GET", "HEAD"} {
				if got := c.call(as, method, how[0], "", "Accept", how[1]); got.status != want || want == 403 &&
					strings.Contains(got.text, "case_") {
					t.Errorf("%s: %s %v got %d %s, want %d", as, method, how, got.status, got.text, want)
				}
			}
		}
	}
	if got := c.call("looking", "GET", "/v1/cases", ""); got.status != 200 {
		t.Errorf("reading the page as another role got %d", got.status)
	}
	if n := c.count(`select count(*)::int from gavel.record`); n != rows {
		t.Errorf("asking for files left %d records", n-rows)
	}
}

func TestFieldsCutsAResourceDown(t *testing.T) {
	c := newCaller(t)
	c.fill("a")
	list := c.call("officer", "GET", "/v1/cases?fields=title,id", "")
	if !strings.HasPrefix(list.text, `{"items":[{"title":"a","id":"case_`) {
		t.Errorf("got %s", list.text)
	}
	id := field(items(list)[0], "id").(string)
	if one := c.call("officer", "GET", "/v1/cases/"+id+"?fields=version", ""); one.text != "{\"version\":1}\n" ||
		one.header.Get("ETag") != `"1"` {
		t.Errorf("got %s", one.text)
	}
	if bad := c.call("officer", "GET", "/v1/cases?fields=title,salt", ""); bad.status != 422 || field(bad.body["errors"].([]any)[0],
		"pointer") != "query/fields" {
		t.Errorf("got %d %v", bad.status, bad.body)
	}
}

func TestWhatHasNotChangedIsNotSentAgain(t *testing.T) {
	c := newCaller(t)
	c.fill("a")
	for _, path := range []string{"/v1/cases", "/v1/cases?fields=id", "/openapi.json", "/v1/operations"} {
		first := c.call("officer", "GET", path, "")
		tag := first.header.Get("ETag")
		if again := c.call("officer", "GET", path, "", "If-None-Match", tag); tag == "" || again.status != 304 || again.text != "" {
			t.Errorf("%s: tag %q, then %d %s", path, tag, again.status, again.text)
		}
	}
	tag := c.call("officer", "GET", "/v1/cases", "").header.Get("ETag")
	c.call("officer", "POST", "/v1/cases", van14)
	if got := c.call("officer", "GET", "/v1/cases", "", "If-None-Match", tag); got.status != 200 {
		t.Errorf("a list that changed: %d", got.status)
	}
}

func TestAProblemPointsAtEachThingThatIsWrong(t *testing.T) {
	c := newCaller(t)
	for _, tt := range []struct {
		name, method, path, body string
		want                     []string // pointer and code
	}{
		{"a field that is missing", "POST", "/v1/cases", `{"app":"general","key":"k"}`, []string{"/title required"}},
		{"one of another type", "POST", "/v1/cases", `{"app":7,"key":"k","title":"t"}`, []string{"/app type"}},
		{"one there is not", "POST", "/v1/cases", `{"app":"general","key":"k","title":"t","a/b~c":1}`, []string{"/a~1b~0c unknown"}},
		{"a date that is none", "POST", "/v1/cases", `{"app":"general","key":"k","title":"t","due_at":"soon"}`, []string{"/due_at form"}},
		{"a number too small", "POST", "/v1/cases", `{"app":"general","key":"k","title":"t","due_in_s":-1}`, []string{"/due_in_s range"}},
		{"no JSON", "POST", "/v1/cases", `{"app"`, []string{" unreadable"}},
		{"nothing", "POST", "/v1/cases", "", []string{" required"}},
		{"a parameter there is not", "GET", "/v1/cases?stat=open", "", []string{"query/stat unknown"}},
		{"a parameter of another type", "GET", "/v1/cases?page_size=many", "", []string{"query/page_size type"}},
		{"one out of range", "GET", "/v1/cases?page_size=201", "", []string{"query/page_size range"}},
		{"an order there is not", "GET", "/v1/cases?order_by=salt", "", []string{"query/order_by choice"}},
		{"validate_only that is neither", "POST", "/v1/cases?validate_only=perhaps", van14, []string{"query/validate_only type"}},
		{"two things at once", "POST", "/v1/cases", `{"app":7,"key":"k"}`, []string{"/app type", "/title required"}},
	} {
		got := c.call("officer", tt.method, tt.path, tt.body)
		var found []string
		all, _ := got.body["errors"].([]any)
		for _, e := range all {
			found = append(found, fmt.Sprint(field(e, "pointer"), " ", field(e, "code")))
		}
		slices.Sort(found)
		if got.status != 422 || got.body["code"] != "invalid" || !slices.Equal(found, tt.want) {
			t.Errorf("%s: got %d %v, want %v", tt.name, got.status, got.body, tt.want)
		}
	}
}

func TestNoProblemRepeatsWhatWasSent(t *testing.T) {
	got := newCaller(t).call("officer", "POST", "/v1/cases",
		`{"app":"general","key":["Asha Rao"],"title":{"Asha":"Rao"},"due_at":"Asha Rao"}`)
	if got.status != 422 || strings.Contains(got.text, "Rao") {
		t.Errorf("%d %s", got.status, got.text)
	}
}

// TestEveryMessageHasItsCode holds the codes to what the library can say.
func TestEveryMessageHasItsCode(t *testing.T) {
	for message, want := range map[string]string{
		validation.MsgUnexpectedProperty: api.CodeUnknown, validation.MsgExpectedRFC3339DateTime: api.CodeForm,
		validation.MsgExpectedBoolean: api.CodeType, validation.MsgExpectedNumber: api.CodeType,
		validation.MsgExpectedInteger: api.CodeType, validation.MsgExpectedString: api.CodeType, validation.MsgExpectedArray: api.CodeType,
		validation.MsgExpectedObject: api.CodeType, validation.MsgExpectedOneOf: api.CodeChoice,
		validation.MsgExpectedMinimumNumber: api.CodeRange, validation.MsgExpectedMaximumNumber: api.CodeRange,
		validation.MsgExpectedMinLength: api.CodeLength, validation.MsgExpectedMaxLength: api.CodeLength,
		validation.MsgExpectedMinItems: api.CodeLength, validation.MsgExpectedMaxItems: api.CodeLength,
		validation.MsgExpectedMatchPattern: api.CodeForm, validation.MsgExpectedRequiredProperty: api.CodeRequired,
	} {
		if got := api.CodeOf(message); got != want {
			t.Errorf("%q: got %s, want %s", message, got, want)
		}
	}
	seen := map[string]bool{}
	for _, c := range api.DetailCodes() {
		if seen[c[0]] || c[1] == "" {
			t.Errorf("the code %q stands there twice or without words", c[0])
		}
		seen[c[0]] = true
	}
}

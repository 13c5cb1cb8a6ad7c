package program

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An anyServer remembers what it was sent and answers by path.
type anyServer struct {
	*httptest.Server
	sent []*http.Request
	body []string
}

func newAnyServer(t *testing.T) *anyServer {
	t.Helper()
	w := &anyServer{}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/things", func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("page_token") {
		case "2":
			write(rw, 200, `{"items":[{"id":"t-3","title":"three","n":12345678901234567890}]}`)
		default:
			rw.Header().Set("ETag", `"7"`)
			write(rw, 200, `{"items":[{"id":"t-1","title":"one\u001b[2J"},{"id":"t-2","title":"two"}],"next_page_token":"2"}`)
		}
	})
	mux.HandleFunc("/v1/none", func(rw http.ResponseWriter, _ *http.Request) { write(rw, 200, `{"items":[]}`) })
	mux.HandleFunc("/v1/endless", func(rw http.ResponseWriter, _ *http.Request) { write(rw, 200, `{"items":[],"next_page_token":"x"}`) })
	mux.HandleFunc("/v1/one", func(rw http.ResponseWriter, _ *http.Request) { write(rw, 200, `{"id":"o-1"}`) })
	mux.HandleFunc("/v1/gone", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(204) })
	mux.HandleFunc("/v1/broken", func(rw http.ResponseWriter, _ *http.Request) { write(rw, 200, `{"id":`) })
	mux.HandleFunc("/v1/file", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/csv")
		fmt.Fprint(rw, "a,b\n1,2\n")
	})
	mux.HandleFunc("/v1/events", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(rw, "id: 1\nevent: moved\ndata: {\"object\":\"case_1\"}\n\n: beat\n\nid: 2\ndata: {\"object\":\"case_2\"}\n\n")
	})
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.sent, w.body = append(w.sent, r), append(w.body, string(body))
		mux.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *anyServer) client() setup {
	return setup{environ: []string{"GAVEL_SERVER=" + w.URL, "GAVEL_TOKEN=good"}}
}

func TestAPIPrintsWhatTheServerAnswers(t *testing.T) {
	w := newAnyServer(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"/v1/one"}, "{\n  \"id\": \"o-1\"\n}\n"},
		{[]string{"get", "/v1/one", "-o", "yaml"}, "id: o-1\n"},
		{[]string{"/v1/none"}, "{\n  \"items\": []\n}\n"},
		{[]string{"/v1/none", "--paginate"}, "[]\n"},
		{[]string{"/v1/none", "--paginate", "--json"}, "[]\n"},
		{[]string{"/v1/none", "--paginate", "-o", "ndjson"}, ""},
		{[]string{"/v1/things", "--paginate", "-o", "name"}, "t-1\nt-2\nt-3\n"},
		{[]string{"/v1/things", "--paginate", "-o", "csv", "--fields", "id,title"}, "id,title\nt-1,one\x1b[2J\nt-2,two\nt-3,three\n"},
		{[]string{"/v1/things", "--paginate", "-o", "ndjson", "--fields", "n,id"}, ""}, // the first page has no n
		{[]string{"/v1/things", "--paginate", "--jq", ".[2].n"}, "12345678901234567890\n"},
		{[]string{"/v1/things", "--jq", ".items[].id"}, "t-1\nt-2\n"},
		{[]string{"/v1/things", "--template", "{{len .items}}"}, "2\n"},
		{[]string{"/v1/things", "--fields", "id,title", "-o", "table"}, "ID   TITLE\nt-1  one [2J\nt-2  two\n"},
		{[]string{"/v1/file"}, "a,b\n1,2\n"},
		{[]string{"DELETE", "/v1/gone"}, ""},
		{[]string{"/v1/events", "-H", "Accept: text/event-stream"}, "{\"object\":\"case_1\"}\n{\"object\":\"case_2\"}\n"},
	} {
		got := w.client().run(t, append([]string{"api"}, tt.args...)...)
		wantCode := 0
		if strings.Contains(strings.Join(tt.args, " "), "n,id") {
			wantCode = 2
		}
		if got.code != wantCode || got.out != tt.want {
			t.Errorf("%v: got %+v, want %q", tt.args, got, tt.want)
		}
	}
	if got := w.client().run(t, "api", "/v1/things", "-i", "--jq", ".items[0].id"); got.out != "t-1\n" ||
		!strings.Contains(got.talk, "200 OK\n") || !strings.Contains(got.talk, `Etag: "7"`) {
		t.Errorf("-i: got %+v, want the headers beside the data", got)
	}
}

func TestAPISendsWhatItIsGiven(t *testing.T) {
	w := newAnyServer(t)
	file := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(file, []byte(`{"verdict":"approve"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args       []string
		line, body string
	}{
		{[]string{"GET", "/v1/one?a=1", "-f", "b=2 3", "-f", "b=4"}, "GET /v1/one?a=1&b=2+3&b=4", ""},
		{[]string{"POST", "/v1/one", "-f", "title=Smoke = fire", "-F", "n=30", "-F", `list=["a"]`}, "POST /v1/one",
			`{"list":["a"],"n":30,"title":"Smoke = fire"}`},
		{[]string{"POST", "/v1/one", "--input", file, "-H", `If-Match: "4f-1"`, "-H", "Idempotency-Key: mine-1234"}, "POST /v1/one",
			`{"verdict":"approve"}`},
		{[]string{"POST", "/v1/one"}, "POST /v1/one", ""},
	} {
		got := w.client().run(t, append([]string{"api"}, tt.args...)...)
		last := w.sent[len(w.sent)-1]
		if got.code != 0 || last.Method+" "+last.URL.RequestURI() != tt.line || w.body[len(w.body)-1] != tt.body ||
			last.Header.Get("Authorization") != "Bearer good" {
			t.Errorf("%v: got %+v, sent %s %s %q", tt.args, got, last.Method, last.URL.RequestURI(), w.body[len(w.body)-1])
		}
		if key := last.Header.Get("Idempotency-Key"); (key != "") != (last.Method == "POST") {
			t.Errorf("%v: sent the key %q", tt.args, key)
		}
	}
	third := w.sent[2].Header
	if third.Get("If-Match") != `"4f-1"` || third.Get("Idempotency-Key") != "mine-1234" {
		t.Errorf("sent %v", third)
	}
	piped := w.client()
	piped.in = `{"a":1}`
	if got := piped.run(t, "api", "POST", "/v1/one", "--input", "-"); got.code != 0 || w.body[len(w.body)-1] != `{"a":1}` {
		t.Errorf("through a pipe: got %+v, sent %q", got, w.body[len(w.body)-1])
	}
}

// A token goes to its own server and nowhere else, and never into an argument.
func TestAPIRefusesWhatItMustNotSend(t *testing.T) {
	w := newAnyServer(t)
	before := len(w.sent)
	for _, args := range [][]string{
		{"https://evil.example/v1/cases"}, {"//evil.example/v1/cases"}, {"v1/cases"}, {"BREW", "/v1/one"},
		{"/v1/one", "-H", "Authorization: Bearer mine"}, {"/v1/one", "-H", "cookie: a=b"}, {"/v1/one", "-H", "nonsense"},
		{"POST", "/v1/one", "-f", "nonsense"}, {"POST", "/v1/one", "-F", "a=nonsense"}, {"/v1/one", "-F", "a=1"},
		{"/v1/one", "--input", "x"},
		{"POST", "/v1/one", "--paginate"}, {"POST", "/v1/one", "-f", "a=b", "--input", "-"}, {"POST", "/v1/one", "--input", os.DevNull},
		{"/v1/one", "--jq", ".["}, {"/v1/one", "--jq", ".", "--template", "x"}, {"/v1/one", "--jq", ".", "-o", "csv"}, {},
	} {
		got := w.client().run(t, append([]string{"api"}, args...)...)
		if got.code != 2 || got.out != "" {
			t.Errorf("%v: got %+v, want code 2", args, got)
		}
	}
	if len(w.sent) != before {
		t.Errorf("%d requests were sent", len(w.sent)-before)
	}
	for _, tt := range []struct {
		args []string
		code int
	}{{[]string{"/v1/endless", "--paginate"}, 1}, {[]string{"/v1/one", "--paginate"}, 2}, {[]string{"/v1/broken"}, 1},
		{[]string{"POST", "/v1/one", "--input", "/does/not/exist"}, 3}} {
		if got := w.client().run(t, append([]string{"api"}, tt.args...)...); got.code != tt.code || !strings.HasPrefix(lastLine(got.talk),
			"next: ") && got.talk[0] != '{' {
			t.Errorf("%v: got %+v, want code %d", tt.args, got, tt.code)
		}
	}
}

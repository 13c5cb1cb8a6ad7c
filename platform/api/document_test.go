package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

var update = flag.Bool("update", false, "write golden files")

// everything is an API of all parts, over nothing: its form needs no database.
func everything(t *testing.T) (*api.API, *web.Mux) {
	t.Helper()
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: policy.Standard().May,
		Messages: []fs.FS{api.Messages()}})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	a := api.New(mux, api.Config{PublicURL: public})
	door, err := signin.New(signin.Config{Store: signin.NewStore(signin.StoreConfig{})})
	if err != nil {
		t.Fatal(err)
	}
	door.Routes(mux)
	a.Routes(&api.Cases{}, &api.Concerns{}, &api.Bundles{}, &api.Runs{}, &api.Proposals{}, &api.Events{}, &api.Subjects{},
		&api.Operations{}, &api.Policy{}, &api.SignIn{},
		&api.Pauses{}, &api.Sources{}, &api.Models{}, &api.Retention{}, &api.Webhooks{}, &api.Mail{})
	return a, mux
}

// document is the document as the test's eyes see it.
type document struct {
	OpenAPI    string `json:"openapi"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
	Paths map[string]map[string]struct {
		OperationID string   `json:"operationId"`
		Summary     string   `json:"summary"`
		Tags        []string `json:"tags"`
		Description string   `json:"description"`
		Parameters  []struct {
			Name, In string
			Required bool
		} `json:"parameters"`
		RequestBody *struct {
			Content map[string]struct {
				Example any `json:"example"`
			} `json:"content"`
		} `json:"requestBody"`
		Responses map[string]struct {
			Content map[string]any `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
}

func read(t *testing.T, text []byte) (d document) {
	t.Helper()
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheServedDocumentIsTheOneThatWasAgreed(t *testing.T) {
	_, mux := everything(t)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	got := w.Body.Bytes()
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || w.Code != 200 {
		t.Fatal(w.Code, err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the document differs from %s; if that is meant: go test ./platform/api -run Document -update, and read the diff", golden)
	}
	if d := read(t, got); d.OpenAPI != "3.1.0" || len(d.Paths) < 25 {
		t.Errorf("OpenAPI %s with %d paths", d.OpenAPI, len(d.Paths))
	}
}

func TestEveryRouteUnderV1IsInTheDocumentWithWhatItNeeds(t *testing.T) {
	a, mux := everything(t)
	text := a.Document()
	d := read(t, text)
	for _, route := range mux.Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		if !strings.HasPrefix(path, "/v1/") {
			continue
		}
		op, there := d.Paths[path][strings.ToLower(method)]
		if !there {
			t.Errorf("%s is not in the document", route.Pattern)
		}
		said := "Needs to be allowed: " + strings.ReplaceAll(route.Need.Acts, ",", " or ") + "."
		switch {
		case route.Need.Public != "":
			said = "For everybody: " + route.Need.Public + "."
			if strings.Contains(op.Description, "With the device's token.") {
				said = ""
			}
		case route.Need.Signed:
			said = "For whoever is signed in."
			if !slices.Contains([]string{"operations", "me", "sign-out"}, strings.Split(path, "/")[2]) {
				t.Errorf("%s needs no act", route.Pattern)
			}
		}
		if !strings.Contains(op.Description, said) {
			t.Errorf("%s: the document does not say %q, but %q", route.Pattern, said, op.Description)
		}
		for act := range strings.SplitSeq(route.Need.Acts, ",") {
			if act != "" && len(policy.Standard().Holders(act)) == 0 {
				t.Errorf("%s needs %q, which nobody may", route.Pattern, act)
			}
		}
	}
}

func TestEveryOperationSaysWhatACallerMustKnow(t *testing.T) {
	a, mux := everything(t)
	text := a.Document()
	d := read(t, text)
	ours := map[string]bool{}
	for _, route := range mux.Routes() {
		ours[route.Pattern] = true
	}
	for path, methods := range d.Paths {
		for method, op := range methods {
			name := strings.ToUpper(method) + " " + path
			has := func(in, param string) bool {
				return slices.ContainsFunc(op.Parameters, func(p struct {
					Name, In string
					Required bool
				}) bool {
					return p.In == in && p.Name == param
				})
			}
			if op.Summary == "" || op.Description == "" || op.OperationID == "" ||
				op.Responses["default"].Content["application/problem+json"] == nil {
				t.Errorf("%s is half documented: %+v", name, op)
			}
			if !ours[name] {
				t.Errorf("nobody answers %s", name)
			}
			if op.Tags[0] == "Signing in" || op.Tags[0] == "People, tokens and devices" {
				continue // answered by package signin, and not as we do
			}
			if method == "get" {
				if has("query", "page_token") && op.Responses["200"].Content["text/csv"] == nil {
					t.Errorf("%s is a list without CSV", name)
				}
				continue
			}
			if !has("header", "Idempotency-Key") && !strings.Contains(op.Description, "Idempotency-Key cannot be had") {
				t.Errorf("%s neither takes a key nor says why not", name)
			}
			if !has("query", "validate_only") && !strings.Contains(op.Description, "validate_only cannot be had") {
				t.Errorf("%s can neither be tried nor says why not", name)
			}
			if op.RequestBody != nil && op.RequestBody.Content["application/json"].Example == nil {
				t.Errorf("%s has no example", name)
			}
		}
	}
	for name := range d.Components.Schemas {
		if strings.Contains(name, "Error") && !strings.HasPrefix(name, "Operation") || strings.Contains(name, "Body") {
			t.Errorf("the document shows %s", name)
		}
		if !bytes.Contains(text, []byte(`"#/components/schemas/`+name+`"`)) {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

// TestReferencesShowEverythingOnOnePage promises that who searches the page finds
// each operation with an example, and each code.
func TestReferencesShowEverythingOnOnePage(t *testing.T) {
	a, mux := everything(t)
	text := a.Document()
	for _, lang := range []string{"en", "hi"} {
		req := httptest.NewRequest(http.MethodGet, "/reference?lang="+lang, nil)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, req.WithContext(signin.As(req.Context(), people["officer"])))
		page := w.Body.String()
		if w.Code != 200 {
			t.Fatalf("%d %s", w.Code, page)
		}
		for path, methods := range read(t, text).Paths {
			for method, op := range methods {
				for _, want := range []string{`<h3 id="` + op.OperationID + `"`, strings.ToUpper(method) + " " + path, "curl", public +
					path} {
					if !strings.Contains(page, want) {
						t.Errorf("%s: %s %s: the page has no %s", lang, method, path, want)
					}
				}
			}
		}
		for _, k := range fault.Kinds() {
			if !strings.Contains(page, "<code>"+k.Code()+"</code>") {
				t.Errorf("%s: the code %s is not listed", lang, k.Code())
			}
		}
		wantSoundPage(t, page)
	}
}

// wantSoundPage checks what a page must have to be read by everybody: ids that
// are one, links within it that lead somewhere, tables with heads, headings
// without a gap, and nothing from elsewhere.
func wantSoundPage(t *testing.T, page string) {
	t.Helper()
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the id %s is there twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("a link leads to #%s, which is not there", m[1])
		}
	}
	if tables, heads := strings.Count(page, "<table"), strings.Count(page, "<thead"); tables != heads || tables == 0 {
		t.Errorf("%d tables and %d heads", tables, heads)
	}
	level := 1
	for _, m := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(page, -1) {
		n := int(m[1][0] - '0')
		if n > level+1 {
			t.Errorf("a heading of level %d follows one of level %d", n, level)
		}
		level = n
	}
	if outside := regexp.MustCompile(`(?:src|href)="https?://[^"]*"`).FindString(page); outside != "" {
		t.Errorf("the page leads elsewhere: %s", outside)
	}
}

func TestTheReferenceIsForWhoIsSignedInAndTheDocumentForEverybody(t *testing.T) {
	_, mux := everything(t)
	for path, want := range map[string]int{"/openapi.json": 200, "/reference": 401} {
		req := httptest.NewRequest(http.MethodGet, path, nil)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, req.WithContext(signin.As(req.Context(), identity.Actor{})))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

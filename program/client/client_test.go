package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	_ "time/tzdata"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/client"
)

const id = "case_01K5ZJ3W8Q6X9V2T4N7M1B0CD1"

func serving(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL+"/gavel", "secret-token", "gavel/test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheTokenGoesToTheServerAndNowhereElse(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request went elsewhere with %v", r.Header)
	}))
	defer elsewhere.Close()
	var got *http.Request
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if _, err := c.Case(t.Context(), id); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a redirect: got %v, want unavailable", err)
	}
	if got.Header.Get("Authorization") != "Bearer secret-token" || got.Header.Get("User-Agent") != "gavel/test" ||
		got.URL.Path != "/gavel/v1/cases/"+id {
		t.Errorf("sent %s with %v", got.URL.Path, got.Header)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id":"`)
		for range 17 << 10 {
			fmt.Fprint(w, strings.Repeat("x", 1<<10))
		}
	})
	if _, err := c.Case(t.Context(), id); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v, want too large", err)
	}
}

func TestIdsThatLeadElsewhereAreNotSent(t *testing.T) {
	c := serving(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) })
	for _, bad := range []string{"", ".", "..", "../users", "a/b", "a b", "a%2fb", "a?b", strings.Repeat("x", 65)} {
		_, show := c.Case(t.Context(), bad)
		_, entries := c.Entries(t.Context(), bad, "")
		for _, err := range []error{show, entries, c.AddNote(t.Context(), bad, "k", "x"), c.CloseCase(t.Context(), bad, 1, "x")} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: got %v, want invalid", bad, err)
			}
		}
	}
}

func TestRefsNameCasesAsWellAsIdsDo(t *testing.T) {
	var asked []string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		fmt.Fprint(w, "{}")
	})
	const ref = "GEN-3CA53S4Q"
	_, show := c.Case(t.Context(), ref)
	for _, err := range []error{show, c.AddNote(t.Context(), ref, "k", "x"), c.CloseCase(t.Context(), ref, 1, "x")} {
		if err != nil {
			t.Error(err)
		}
	}
	if want := []string{"/gavel/v1/cases/" + ref, "/gavel/v1/cases/" + ref + "/notes", "/gavel/v1/cases/" + ref +
		"/close"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
}

func TestANoteCarriesItsKey(t *testing.T) {
	var got string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Idempotency-Key")
		w.WriteHeader(http.StatusNoContent)
	})
	if err := c.AddNote(t.Context(), id, "once", "x"); err != nil || got != "once" {
		t.Errorf("got key %q, %v", got, err)
	}
}

func TestTheZoneIsTheOneTheServerNames(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"Asia/Kolkata", "Asia/Kolkata"},
		{"", "UTC"},
		{"Local", "UTC"},
		{"Mars/Olympus", "UTC"},
		{"../../etc/passwd", "UTC"},
		{strings.Repeat("x", 5000), "UTC"},
	} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Gavel-Zone", tt.name)
			fmt.Fprint(w, "{}")
		})
		if got := c.Zone().String(); got != "UTC" {
			t.Errorf("before any answer: got %s", got)
		}
		if _, err := c.Case(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got := c.Zone().String(); got != tt.want {
			t.Errorf("%.40q: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Every kind survives the way over HTTP: what the server refused for is what
// the client's caller sees.
func TestEveryKindOfFaultSurvivesTheWire(t *testing.T) {
	for _, k := range fault.Kinds() {
		for _, code := range []string{k.Code(), "a_code_of_a_newer_server"} {
			c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(web.Status(k))
				fmt.Fprintf(w, `{"code":%q,"detail":"why","next":"what"}`, code)
			})
			_, err := c.Case(t.Context(), id)
			if got := fault.KindOf(err); got != k {
				t.Errorf("%s with code %s: got %s", k, code, got)
			}
			if text, next := fault.Words(err); k != fault.Internal && (text != "why" || next != "what") {
				t.Errorf("%s: got words %q and %q", k, text, next)
			}
		}
	}
}

func TestWhatTheServerSentIsKeptWhole(t *testing.T) {
	sent := `{"id":"` + id + `","version":9007199254740993,"of_a_newer_server":{"a":1}}`
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, sent) })
	got, err := c.Case(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil || string(again) != sent || got.Version != 9007199254740993 {
		t.Errorf("got %s %v, want %s", again, err, sent)
	}
}

package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/cmd/gavel/client"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
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
	if got.Header.Get("Authorization") != "Bearer secret-token" || got.Header.Get("User-Agent") != "gavel/test" || got.URL.Path != "/gavel/v1/cases/"+id {
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
		for _, err := range []error{show, entries, c.AddNote(t.Context(), bad, "x"), c.CloseCase(t.Context(), bad, 1, "x")} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: got %v, want invalid", bad, err)
			}
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

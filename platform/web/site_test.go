package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/web"
)

// A stand is a site under test, with its log.
type stand struct {
	site *web.Site
	mux  *web.Mux
	http http.Handler
	log  *bytes.Buffer
}

type actorKey struct{}

// officer stands for whoever is signed in; the header X-Test-Org signs in.
func officer(org string) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p1", Name: "S. Rao", Org: identity.Org(org), Roles: []identity.Role{identity.Officer}}
}

func asHeaderSays(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if org := r.Header.Get("X-Test-Org"); org != "" {
			r = r.WithContext(context.WithValue(r.Context(), actorKey{}, officer(org)))
		}
		next.ServeHTTP(w, r)
	})
}

func newStand(t testing.TB, change func(*web.Config)) *stand {
	t.Helper()
	s := &stand{log: &bytes.Buffer{}}
	cfg := web.Config{
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
		Actor: func(ctx context.Context) identity.Actor {
			a, _ := ctx.Value(actorKey{}).(identity.Actor)
			return a
		},
		Now: func() time.Time { return time.Date(2026, 11, 14, 8, 32, 0, 0, time.UTC) },
		Nav: []web.NavItem{web.HealthNav()}, Demo: true, May: policy.Standard().May,
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if s.site, err = web.New(cfg); err != nil {
		t.Fatal(err)
	}
	s.mux = web.NewMux(s.site)
	s.http = s.site.Handler(s.mux, asHeaderSays)
	return s
}

// handle registers a handler that anybody may use.
func (s *stand) handle(pattern string, h web.Handler, rules ...web.Rule) {
	s.mux.Handle(pattern, h, append(rules, web.Public("a test"))...)
}

// page registers a page that shows a text.
func (s *stand) page(pattern, text string) {
	s.handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		p := s.site.Page(r)
		p.Title = text
		return s.site.Render(w, r, http.StatusOK, p, body(text))
	})
}

func body(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "<h1>"+templ.EscapeString(text)+"</h1>")
		return err
	})
}

// ask sends a request with header pairs.
func (s *stand) ask(method, path, sent string, headers ...string) *httptest.ResponseRecorder {
	var in io.Reader
	if sent != "" {
		in = strings.NewReader(sent)
	}
	r := httptest.NewRequest(method, path, in)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.http.ServeHTTP(w, r)
	return w
}

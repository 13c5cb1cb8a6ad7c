package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

func nothing(http.ResponseWriter, *http.Request) error { return nil }

// refusal is what a registration panics with, empty when it is taken.
func refusal(register func()) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprint(p)
		}
	}()
	register()
	return ""
}

func TestAnApplicationStaysUnderItsName(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		ok      bool
	}{
		{"GET /airshed", true},
		{"GET /airshed/{$}", true},
		{"POST /airshed/stations/{id}", true},
		{"GET\t /airshed/tabbed", true},
		{"/airshed/", true},
		{"GET /cases", false},
		{"GET /airshedder", false},
		{"GET /airshed%2Fx", false},
		{"GET /{any}/stations", false},
		{"GET /{any...}", false},
		{"/", false},
		{"", false},
		{"GET other.example/airshed/", false},
		{"GET /airshed/../cases", false},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			m := newStand(t, nil).mux.Under("airshed")
			for how, said := range map[string]string{
				"handle": refusal(func() { m.Handle(tt.pattern, nothing, web.SignedIn()) }),
				"mount": refusal(func() {
					newStand(t, nil).mux.Under("airshed").Mount(tt.pattern, http.NotFoundHandler(), web.SignedIn())
				}),
			} {
				if (said == "") != tt.ok {
					t.Errorf("%s says %q", how, said)
				}
				if said != "" && !strings.Contains(said, "/airshed/") {
					t.Errorf("%s says %q, which does not name where it belongs", how, said)
				}
			}
		})
	}
}

func TestAnApplicationTakesNobodysName(t *testing.T) {
	for _, name := range []string{"", "static", "preferences", "cases", "Airshed", "air/shed", "{id}", "air shed", "v1"} {
		s := newStand(t, nil)
		s.page("GET /cases/{id}", "a case")
		s.page("GET gavel.example/v1/things", "things")
		if said := refusal(func() { s.mux.Under(name) }); said == "" {
			t.Errorf("an application may be called %q", name)
		}
	}
	s := newStand(t, nil)
	s.mux.Under("airshed")
	if said := refusal(func() { s.mux.Under("airshed") }); said == "" {
		t.Error("two applications have one name")
	}
	if said := refusal(func() { s.mux.Handle("GET /airshed/x", nothing, web.SignedIn()) }); said == "" {
		t.Error("somebody else registered an address of the application")
	}
}

func TestAnApplicationsPagesAreServedWithTheOthers(t *testing.T) {
	s := newStand(t, nil)
	app := s.mux.Under("airshed")
	if app.Site() != s.site {
		t.Error("the application has another site")
	}
	app.Handle("POST /airshed/act", func(_ http.ResponseWriter, r *http.Request) error { return web.ParseForm(r) }, web.Public("a test"),
		web.MaxBody(4))
	w := s.ask("POST", "/airshed/act", "text=12345", "Content-Type", "application/x-www-form-urlencoded")
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a route's rules got lost: %d", w.Code)
	}
}

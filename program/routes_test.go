package program

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/program/config"
)

// withRoutes is a configuration with these routes.
func withRoutes(t *testing.T, text string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "models.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := loadConfig(t, "GAVEL_MODE=demo", "GAVEL_MODELS="+path, "VENDOR_KEY=sk-secret")
	if p := cfg.Problems(); len(p) > 0 {
		t.Fatal(p)
	}
	return cfg
}

// TestARouteOfTheSettingsReachesItsModel promises that what the file names is
// what is asked, over real HTTP.
func TestARouteOfTheSettingsReachesItsModel(t *testing.T) {
	mind, err := scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		return scripted.Answer{Text: "heard " +
			s.Agent}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mind)
	t.Cleanup(server.Close)
	routes, err := newRoutes(withRoutes(t,
		"careful: {provider: scripted, base_url: '"+server.URL+"/v1', window: 5000, slots: 1, price: {currency: INR, input: 1, output: 2}}"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := routes.Find("careful")
	if err != nil || r.Window != 5000 || r.Price.Output != 2_000_000 {
		t.Fatalf("got %+v, %v", r, err)
	}
	res, err := r.Ask.Generate(t.Context(), model.Request{Model: r.Model, Agent: "yard/clerk",
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "hello"}}}}})
	if err != nil || res.Message.Parts[0].Text != "heard yard/clerk" || res.Identity.Provider != config.Scripted {
		t.Errorf("got %+v, %v", res, err)
	}
	leave, err := r.Slots.Take(t.Context(), "north")
	if err != nil || r.Slots.Load().Busy != 1 {
		t.Errorf("slots: %+v, %v", r.Slots.Load(), err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Slots.Take(waiting, "north"); err == nil {
		t.Error("of one slot two were given")
	}
	leave()
	if none, err := newRoutes(loadConfig(t)); err != nil || len(none) != 0 {
		t.Errorf("without a file: got %v, %v", none, err)
	}
}

// TestDoctorAsksEveryRouteWithoutSpendingATokenAndNamesTheFix promises just that,
// and that no key is shown.
func TestDoctorAsksEveryRouteWithoutSpendingATokenAndNamesTheFix(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		switch {
		case r.URL.Path == "/silent/models":
			http.NotFound(w, r)
		case r.URL.Path == "/busy/models":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Header.Get("Authorization") != "Bearer sk-secret" && r.Header.Get("X-Api-Key") != "sk-secret":
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name, route string
		status      doctor.Status
		says        string
	}{
		{"well", "provider: openai, model: m, key_env: VENDOR_KEY, base_url: '" + server.URL + "/v1'", doctor.OK, "openai, m"},
		{"the other vendor", "provider: anthropic, model: c, key_env: VENDOR_KEY, base_url: '" + server.URL + "'", doctor.OK,
			"anthropic, c"},
		{"no list", "provider: openai, model: m, base_url: '" + server.URL + "/silent'", doctor.OK, "lists no models"},
		{"a wrong key", "provider: openai, model: m, base_url: '" + server.URL + "/v1'", doctor.Fail, "key_env or key_file of route a"},
		{"busy", "provider: openai, model: m, base_url: '" + server.URL + "/busy'", doctor.Warn, "503"},
		{"away", "provider: scripted, base_url: 'http://127.0.0.1:1/v1'", doctor.Fail, "start the server of route a"},
	} {
		checks := modelChecks(withRoutes(t, "a: {"+tt.route+"}"))
		got := examine(t, checks[0])
		if len(checks) != 1 || got.Status != tt.status || !strings.Contains(got.Detail+" / "+got.Fix, tt.says) {
			t.Errorf("%s: got %+v, want %s and %q", tt.name, got, tt.status, tt.says)
		}
		if strings.Contains(got.Detail+got.Fix, "sk-secret") {
			t.Errorf("%s: a key is shown", tt.name)
		}
	}
	for _, one := range asked {
		if !strings.HasPrefix(one, "GET ") || !strings.HasSuffix(one, "/models") {
			t.Errorf("%s may have cost something", one)
		}
	}
	if got := examine(t, modelChecks(loadConfig(t))[0]); got.Status != doctor.OK || !strings.Contains(got.Detail, "none") {
		t.Errorf("without routes: got %+v", got)
	}
}

package config

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform"
)

// TestSettingsOfApplicationsAreLikeOurOwn promises that what an application wants to
// be told is read, listed, masked, refused by name and kept private like any other,
// and that without the application its name means nothing.
func TestSettingsOfApplicationsAreLikeOurOwn(t *testing.T) {
	weather := []platform.Setting{
		{Name: "GAVEL_WEATHER", Help: "who knows the wind", Expect: "an http address", Default: "https://wind.example.org",
			Fits: validWebURL, Address: func(v string) string { return v }, Carries: "where people look"},
		{Name: "GAVEL_WEATHER_KEY", Help: "our key there", Expect: "a key", Secret: true,
			Fits: func(v string) bool { return !hasSpace(v) }},
	}
	for _, tt := range []struct {
		name    string
		environ []string
		says    string // empty: all is well
		is      string // what the application is told
	}{
		{"nothing said", nil, "", "https://wind.example.org"},
		{"said", []string{"GAVEL_WEATHER=https://w.example.net"}, "", "https://w.example.net"},
		{"not as expected", []string{"GAVEL_WEATHER=west"}, "expected an http address", ""},
		{"on this machine in plain", []string{"GAVEL_WEATHER=http://127.0.0.1:9"}, "", "http://127.0.0.1:9"},
		{"elsewhere in plain", []string{"GAVEL_WEATHER=http://w.example.net"}, "where people look would travel over plain http", ""},
		{"elsewhere in plain in demo", []string{"GAVEL_MODE=demo", "GAVEL_WEATHER=http://w.example.net"}, "", "http://w.example.net"},
		{"misspelt", []string{"GAVEL_WETHER=https://w.example.net"}, "did you mean GAVEL_WEATHER?", "https://wind.example.org"},
		{"a secret that does not fit", []string{"GAVEL_WEATHER_KEY=hunter 2"}, "expected a key", "https://wind.example.org"},
	} {
		c, err := Load(Sources{Environ: tt.environ, Apps: weather})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Problems(); tt.says == "" && len(got) > 0 || tt.says != "" &&
			(len(got) != 1 || !strings.Contains(got[0].Detail, tt.says)) {
			t.Errorf("%s: got %v, want %q", tt.name, got, tt.says)
		}
		if got := c.OfApps()["GAVEL_WEATHER"]; got != tt.is {
			t.Errorf("%s: the application is told %q, want %q", tt.name, got, tt.is)
		}
	}
	c, err := Load(Sources{Environ: []string{"GAVEL_WEATHER_KEY=hunter2"}, Apps: weather})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, r := range c.List() {
		if strings.HasPrefix(string(r.Name), "GAVEL_WEATHER") {
			rows++
			if r.Help == "" || strings.Contains(r.Value, "hunter2") {
				t.Errorf("listed as %+v", r)
			}
		}
	}
	if rows != 2 || c.OfApps()["GAVEL_WEATHER_KEY"] != "hunter2" {
		t.Errorf("got %d rows and %q", rows, c.OfApps()["GAVEL_WEATHER_KEY"])
	}
	if got := load(t, "GAVEL_WEATHER=https://w.example.net").Problems(); len(got) != 1 {
		t.Errorf("without the application: got %v", got)
	}
}

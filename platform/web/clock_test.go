package web

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestTimeLeftIsOnTheReadersOwnWatch promises that what is left until a moment of a fast clock
// is told in real time, never less than nothing, and that the page hands the browser what it
// needs to let time pass at the same pace: the moment with its day, the speed and the zone.
func TestTimeLeftIsOnTheReadersOwnWatch(t *testing.T) {
	now := time.Date(2026, 11, 14, 8, 32, 0, 0, time.UTC)
	for _, tt := range []struct {
		speed float64
		until time.Duration
		left  time.Duration
	}{
		{0, time.Hour, time.Hour}, {1, time.Minute, time.Minute}, {600, 100 * time.Minute, 10 * time.Second},
		{600, -time.Hour, 0}, {0.5, time.Minute, 2 * time.Minute},
	} {
		s, err := New(Config{Now: func() time.Time { return now }, Speed: tt.speed})
		if err != nil {
			t.Fatal(err)
		}
		p := s.Page(httptest.NewRequest("GET", "/", nil))
		if got := p.Left(now.Add(tt.until)); got != tt.left {
			t.Errorf("at %g× %s leaves %s, want %s", tt.speed, tt.until, got, tt.left)
		}
		if p.Fast() != (tt.speed != 0 && tt.speed != 1) {
			t.Errorf("at %g× the clock is fast: %t", tt.speed, p.Fast())
		}
	}
	s, err := New(Config{Now: func() time.Time { return now }, Speed: 600})
	if err != nil {
		t.Fatal(err)
	}
	for lang, day := range map[string]string{"en": "14 Nov 14:02 IST", "hi": "14 नवंबर 14:02 IST"} {
		p := s.Page(httptest.NewRequest("GET", "/?lang="+lang, nil))
		var b strings.Builder
		if err := pageClock(p).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		wants := []string{`datetime="2026-11-14T14:02:00.000+05:30"`, `data-speed="600"`, `data-zone="Asia/Kolkata"`, ">" + day + "<"}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("in %s the clock lacks %s: %s", lang, want, b.String())
			}
		}
	}
}

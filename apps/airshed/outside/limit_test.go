package outside

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestNoServiceIsAskedMoreThanItAllows promises that what can be asked at once and
// what comes free over a time are together no more than the published limit.
func TestNoServiceIsAskedMoreThanItAllows(t *testing.T) {
	var n Network
	for _, tt := range []struct {
		name   string
		fetch  *fetcher
		over   time.Duration
		allows float64
	}{
		{"fires in ten minutes", NewFirms(n, FirmsConfig{}).fetch, 10 * time.Minute, 5000},
		{"measurements in a minute", NewOpenAQ(n, OpenAQConfig{}).fetch, time.Minute, 60},
		{"measurements in an hour", NewOpenAQ(n, OpenAQConfig{}).fetch, time.Hour, 2000},
		{"weather in a minute", NewOpenMeteo(n, MeteoConfig{}).fetch, time.Minute, 600},
	} {
		if most := float64(tt.fetch.limit.Burst()) + float64(tt.fetch.limit.Limit())*tt.over.Seconds(); most > tt.allows+1e-6 {
			t.Errorf("%s: up to %v, and %v are allowed", tt.name, most, tt.allows)
		}
	}
	f := NewOpenMeteo(n, MeteoConfig{}).fetch
	for _, m := range []feed.Model{feed.Forecast, feed.Archive, feed.Past} {
		if cost := feed.Cost(m, feed.PlacesEach); cost > f.limit.Burst() || cost < feed.PlacesEach {
			t.Errorf("a request of model %s costs %d, and %d can be asked at once: it would never be sent", m, cost, f.limit.Burst())
		}
	}
}

// TestAFullRateIsAFault promises that who cannot wait for the rate is told so, and
// that nothing is sent. The rate of this test never comes free.
func TestAFullRateIsAFault(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	f := newFetcher(Network{Wait: func(context.Context, time.Duration) error { return nil }}, origin.DataGov, rate.NewLimiter(0, 2))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	r, err := feed.AirPage(s.URL, "key", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		_, err = f.get(ctx, r, 1, func([]byte) error { return nil })
		if (err != nil) != (i == 2) {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	if !fault.Is(err, fault.TooMany) || asked != 2 {
		t.Errorf("got %v after %d requests, want a fault after 2", err, asked)
	}
}

// TestAPauseEndsWithItsContext promises that nobody waits for a service after the
// work was called off.
func TestAPauseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pause(ctx, time.Hour); err == nil {
		t.Error("a pause of an hour ended without an error")
	}
	if err := pause(t.Context(), time.Millisecond); err != nil {
		t.Errorf("a short pause: %v", err)
	}
}

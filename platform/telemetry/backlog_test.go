package telemetry_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/telemetry"
)

func TestTheOutboxIsAmongTheMetrics(t *testing.T) {
	tel := setup(t, telemetry.Config{})
	var looks atomic.Int64
	err := tel.WatchBacklog(func(ctx context.Context) ([]telemetry.Backlog, error) {
		looks.Add(1)
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("the look at the outbox has no end")
		}
		return []telemetry.Backlog{{Lane: "decision"}, {Lane: "start", Waiting: 41, Dead: 2, Oldest: 90 * time.Second}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text := scrape(t, tel)
	for _, line := range []string{
		`gavel_outbox_waiting{lane="decision"} 0`, `gavel_outbox_waiting{lane="start"} 41`, `gavel_outbox_dead{lane="start"} 2`,
		`gavel_outbox_oldest_seconds{lane="start"} 90`, `gavel_outbox_readable 1`,
	} {
		expectLine(t, text, line)
	}
	for range 20 {
		scrape(t, tel)
	}
	if n := looks.Load(); n != 1 {
		t.Errorf("21 scrapes at once looked %d times, want 1", n)
	}
}

func TestAnOutboxThatCannotBeReadShowsNoOldNumbers(t *testing.T) {
	tel := setup(t, telemetry.Config{})
	err := tel.WatchBacklog(func(context.Context) ([]telemetry.Backlog, error) {
		return []telemetry.Backlog{{Lane: "start", Waiting: 41}}, errors.New("the database does not answer")
	})
	if err != nil {
		t.Fatal(err)
	}
	text := scrape(t, tel)
	expectLine(t, text, `gavel_outbox_readable 0`)
	if strings.Contains(text, "gavel_outbox_waiting") {
		t.Errorf("got\n%s", grep(text, "gavel_outbox"))
	}
}

func TestWhatWaitsForAModelIsAmongTheMetrics(t *testing.T) {
	tel := setup(t, telemetry.Config{})
	if err := tel.WatchRoutes(func() map[string]telemetry.RouteLoad {
		return map[string]telemetry.RouteLoad{"small": {Busy: 8, Waiting: 3, Waited: 1500 * time.Millisecond}}
	}); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, tel)
	for _, line := range []string{`gavel_model_busy{route="small"} 8`, `gavel_model_waiting{route="small"} 3`,
		`gavel_model_waited_seconds_total{route="small"} 1.5`} {
		expectLine(t, text, line)
	}
}

// The engine's SDK hands its times over in seconds; buckets that begin at five
// would tell nothing.
func TestTheEnginesTimesHaveBucketsOfMilliseconds(t *testing.T) {
	tel := setup(t, telemetry.Config{})
	h, err := tel.Meters.Meter("engine").Float64Histogram("temporal_request_latency")
	if err != nil {
		t.Fatal(err)
	}
	h.Record(t.Context(), 0.003)
	expectLine(t, scrape(t, tel), `temporal_request_latency_bucket{le="0.005"} 1`)
}

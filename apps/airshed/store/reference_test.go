package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// aDay is so many detections of one day all over the world.
func aDay(n int) []fire.Detection {
	out := make([]fire.Detection, n)
	for i := range out {
		out[i] = fire.Detection{At: fire.Point{Lat: float64(i%17_000)/100 - 85, Lon: float64(i%35_999)/100 - 180},
			Time:      time.Date(2026, 11, 12, i%24, i%60, 0, 0, time.UTC),
			Satellite: "NOAA-21", Instrument: fire.VIIRS, Confidence: fire.Nominal, FRP: float64(i%100) / 3, Light: fire.Day,
			Version: "2.0NRT"}
	}
	return out
}

// TestADetectionIsKeptOnceHoweverOftenItComes promises that, that a world day loads in
// seconds, and that a row of the final processing stands beside the preliminary one.
func TestADetectionIsKeptOnceHoweverOftenItComes(t *testing.T) {
	r := airshedtest.New(t)
	day, source := aDay(200_000), blob.Sum([]byte("a file"))
	began := time.Now()
	fresh, err := r.Store.KeepFires(t.Context(), day, source)
	if err != nil || fresh != 200_000 {
		t.Fatalf("%d new rows, %v", fresh, err)
	}
	wait.Within(t, "keeping 200,000 detections", time.Since(began), time.Minute)
	began = time.Now()
	if fresh, err = r.Store.KeepFires(t.Context(), day, blob.Sum([]byte("another"))); err != nil || fresh != 0 {
		t.Errorf("again: %d new rows, %v", fresh, err)
	}
	wait.Within(t, "keeping them again", time.Since(began), time.Minute)
	final := aDay(10)
	for i := range final {
		final[i].Version = "2.0"
	}
	if fresh, err = r.Store.KeepFires(t.Context(), final, source); err != nil || fresh != 10 {
		t.Errorf("the final processing: %d new rows, %v", fresh, err)
	}
}

// TestReferenceDataIsAddedToAndNeverChanged promises that servers and workers can read
// and add, and can neither change nor delete; and that it is not behind any wall.
func TestReferenceDataIsAddedToAndNeverChanged(t *testing.T) {
	r := airshedtest.New(t)
	if err := r.Store.KeepReference(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.KeepFires(t.Context(), aDay(3), blob.Sum(nil)); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"ref.fire", "ref.station", "ref.citation"} {
		for _, org := range []identity.Org{postgrestest.North, postgrestest.South} {
			var n int
			err := r.DB.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
				return tx.QueryRow(t.Context(), `select count(*) from `+table).
					Scan(&n)
			})
			if err != nil || n == 0 {
				t.Errorf("%s: %s sees %d rows, %v", table, org, n, err)
			}
		}
		for _, sql := range []string{`update ` + table + ` set source = source`, `delete from ` + table, `truncate ` + table} {
			err := r.DB.App.InNone(t.Context(), func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), sql); return err })
			if err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: %v, want it refused", sql, err)
			}
		}
	}
}

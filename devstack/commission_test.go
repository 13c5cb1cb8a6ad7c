package devstack_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/commission"
)

func TestTheSimulatorListensOnOnePortAndKnowsARepeatAfterAKill(t *testing.T) {
	s := up(t, t.TempDir(), devstack.Commission)
	if got, want := listeners(t, statusOf(t, s, devstack.Commission).PID), s.Addresses(devstack.Commission)["http"]; len(got) != 1 ||
		got[0] != want {
		t.Errorf("it listens on %v, want only %s", got, want)
	}
	const body = `{"report_id":"CAQM-2026-11-14-001"}`
	sum := sha256.Sum256([]byte(body))
	for _, want := range []int{http.StatusCreated, http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Settings()["GAVEL_AIRSHED_COMMISSION"]+"/reports",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "filing-0001")
		r.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var receipt commission.Receipt
		err = json.NewDecoder(res.Body).Decode(&receipt)
		res.Body.Close()
		if err != nil || res.StatusCode != want || receipt.Receipt != "SIM-000001" {
			t.Fatalf("got %d %+v, %v; want %d", res.StatusCode, receipt, err, want)
		}
		if err := s.Kill(devstack.Commission); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context(), devstack.Commission); err != nil {
			t.Fatal(err)
		}
	}
}

// Package commissiontest starts the simulator of a commission inside a test.
package commissiontest

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/commission"
)

// Start runs a simulator on loopback until the test ends, and returns it and its
// address: what GAVEL_AIRSHED_COMMISSION is set to.
func Start(t *testing.T) (desk *commission.Desk, address string) {
	t.Helper()
	desk, err := commission.Open(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(desk)
	t.Cleanup(server.Close)
	return desk, server.URL
}

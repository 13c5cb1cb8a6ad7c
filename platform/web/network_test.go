package web_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

func TestAHouseholdIsOneNetwork(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:1000":             "192.0.2.7",
		"192.0.2.8:1000":             "192.0.2.8",
		"[::ffff:192.0.2.7]:1000":    "192.0.2.7",
		"[2001:db8:1:2:3::4]:80":     "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::9]:443": "2001:db8:1:2::/64",
		"[2001:db8:1:3::9]:443":      "2001:db8:1:3::/64",
		"[fe80::1%eth0]:443":         "fe80::/64",
		"a pipe":                     "",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		if got := web.Network(r); got != want {
			t.Errorf("%s: got %q, want %q", from, got, want)
		}
	}
}

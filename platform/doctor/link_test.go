package doctor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/doctor"
)

func TestPlainHostsAreThoseTheDriverWouldSpeakTo(t *testing.T) {
	for _, tt := range []struct {
		address string
		want    []string
	}{
		{"postgres://a:b@127.0.0.1/gavel?sslmode=disable", []string{"127.0.0.1"}},
		{"postgres://a:b@db/gavel", []string{"db"}}, // prefer: TLS first, then plain
		{"postgres://a:b@db/gavel?sslmode=allow", []string{"db"}},
		{"postgres://a:b@db/gavel?sslmode=require", nil},
		{"postgres://a:b@db/gavel?sslmode=verify-full", nil},
		{"postgres://a:b@localhost/gavel?host=db.example.org&sslmode=disable", []string{"db.example.org"}},
		{"postgres://a:b@one,two/gavel?sslmode=disable", []string{"one", "two"}},
		{"postgres://a@/gavel?host=/run/postgresql", nil},
		{"postgres://a@/gavel?host=/run/postgresql,db&sslmode=disable", []string{"db"}},
	} {
		got, err := doctor.PlainHosts(tt.address)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v", tt.address, got, err, tt.want)
		}
	}
	for _, bad := range []string{"postgres://a:hunter2@db/gavel?sslmode=perhaps", "postgres://a:hunter2@db/gavel?sslrootcert=/not/there"} {
		if got, err := doctor.PlainHosts(bad); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, %v, want it refused without the password", bad, got, err)
		}
	}
}

func TestUnprovenHostsAreThoseThatNeedNotProveTheirName(t *testing.T) {
	for _, tt := range []struct {
		address string
		want    []string
	}{
		{"postgres://a:b@db/gavel?sslmode=disable", nil},
		{"postgres://a:b@db/gavel?sslmode=require", []string{"db"}},
		{"postgres://a:b@db/gavel?sslmode=verify-ca", []string{"db"}},
		{"postgres://a:b@db/gavel?sslmode=verify-full", nil},
		{"postgres://a:b@one,two/gavel?sslmode=require", []string{"one", "two"}},
		{"postgres://a@/gavel?host=/run/postgresql,db&sslmode=require", []string{"db"}},
	} {
		got, err := doctor.UnprovenHosts(tt.address)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v", tt.address, got, err, tt.want)
		}
	}
}

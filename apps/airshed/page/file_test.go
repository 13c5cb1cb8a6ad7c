package page

import (
	"net/http"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// TestAFileLeavesOnlyForWhoOpensIt promises that an address of a report that is looked
// at ahead of time, asked about, or followed from another site puts nothing on record
// and hands nothing out. Whoever comes from elsewhere finds the case, where it is one
// press away.
func TestAFileLeavesOnlyForWhoOpensIt(t *testing.T) {
	s := newStage(t)
	r := s.registry(t)
	exports := func() string { return r.Texts(t, `select count(*)::text from gavel.record where kind = 'export'`)[0] }
	ask := func(method string, headers ...string) platformtest.Answer {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+reportAddress(r.file.Ref, "json", 0), nil)
		if err != nil {
			t.Fatal(err)
		}
		for h := range slices.Chunk(headers, 2) {
			req.Header.Set(h[0], h[1])
		}
		return s.Do(t, identity.Officer, req)
	}
	for _, tt := range []struct {
		name, method string
		headers      []string
		status       int
		to           string
	}{
		{"asked about", http.MethodHead, nil, http.StatusOK, ""},
		{"fetched ahead", http.MethodGet, []string{"Sec-Purpose", "prefetch;prerender", "Sec-Fetch-Site", "same-origin"},
			http.StatusServiceUnavailable, ""},
		{"fetched ahead by an older browser", http.MethodGet, []string{"Purpose", "prefetch"}, http.StatusServiceUnavailable, ""},
		{"followed from another site", http.MethodGet, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusSeeOther,
			"/cases/" + string(r.in.Case)},
	} {
		got := ask(tt.method, tt.headers...)
		if n := exports(); got.Status != tt.status || got.Header.Get("Location") != tt.to || n != "0" {
			t.Errorf("%s: got %d to %q and %s exports on record, want %d to %q and none", tt.name, got.Status, got.Header.Get("Location"),
				n, tt.status, tt.to)
		}
	}
	for range 2 {
		if got := ask(http.MethodGet, "Sec-Fetch-Site", "same-origin"); got.Status != http.StatusOK || got.Body == "" || exports() != "1" {
			t.Errorf("opened: got %d, %d bytes and %s exports on record", got.Status, len(got.Body), exports())
		}
	}
}

package gatepass_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// keepsForm is the list of what the worker keeps for when there is no network.
var keepsForm = regexp.MustCompile(`"(/gatepass/gate[^"]*|/assets/[^"]*)"`)

// TestTheAppIsWholeWithoutANetwork promises that everything which the app keeps for when it is alone can be had from this server and is not
// sent twice, and that the page may use the camera and load nothing from anywhere else.
func TestTheAppIsWholeWithoutANetwork(t *testing.T) {
	r := newRig(t, durable.Clock{})
	page := r.Get(t, identity.Gate, "/gatepass/gate")
	page.Holds(t, http.StatusOK, "/gatepass/gate/app.webmanifest", "<script")
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(page.Header.Get("Permissions-Policy"), "camera=(self)") || !strings.Contains(policy, "default-src 'none'") ||
		regexp.MustCompile(`https?:`).MatchString(policy) {
		t.Errorf("the page may %s, and load %s", page.Header.Get("Permissions-Policy"), policy)
	}
	manifest := r.Get(t, identity.Gate, "/gatepass/gate/app.webmanifest")
	manifest.Holds(t, http.StatusOK, `"start_url":"/gatepass/gate`, `"icons"`)
	worker := r.Get(t, identity.Gate, "/gatepass/gate/worker.js")
	worker.Holds(t, http.StatusOK, `const VERSION = "gate-`)
	var kept []string
	for _, m := range keepsForm.FindAllStringSubmatch(worker.Body, -1) {
		kept = append(kept, m[1])
	}
	slices.Sort(kept)
	if kept = slices.Compact(kept); len(kept) < 10 {
		t.Fatalf("it keeps %v", kept)
	}
	for _, at := range kept {
		a := r.Get(t, identity.Gate, at)
		if a.Status != http.StatusOK || a.Body == "" {
			t.Errorf("%s, which the app keeps, is answered %d", at, a.Status)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tag := a.Header.Get("ETag"); strings.HasPrefix(at, "/gatepass/gate/file/") {
			req.Header.Set("If-None-Match", tag)
			if again := r.Do(t, identity.Gate, req); tag == "" || again.Status != http.StatusNotModified || again.Body != "" {
				t.Errorf("%s is sent again as %d, with the tag %q", at, again.Status, tag)
			}
		}
	}
	for _, none := range []string{"/gatepass/gate/file/worker.js", "/gatepass/gate/file/nothing.js", "/gatepass/gate/file/..%2fgate.go"} {
		r.Get(t, identity.Gate, none).Holds(t, http.StatusNotFound)
	}
	r.Get(t, identity.Analyst, "/gatepass/gate").Holds(t, http.StatusForbidden)
	hindi := r.Get(t, identity.Gate, "/gatepass/gate?lang=hi")
	hindi.Holds(t, http.StatusOK, `lang="hi"`)
}

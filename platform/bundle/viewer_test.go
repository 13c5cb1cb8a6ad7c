package bundle_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// TestTheViewerLooksLikeTheConsole promises that the viewer's colours and sizes
// are the console's own.
func TestTheViewerLooksLikeTheConsole(t *testing.T) {
	const console = "../web/static/css/1-tokens.css"
	got, err := os.ReadFile("viewer/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(console)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("viewer/tokens.css is not %s: copy it", console)
	}
}

var (
	addressForm = regexp.MustCompile(`(?i)(src|href|url|import|action)\s*[=(]\s*["']?\s*(https?:|//|ftp:)`)
	styleForm   = regexp.MustCompile(`\sstyle=`)
	handlerForm = regexp.MustCompile(`<[^>]+\son[a-z]+=`)
)

// TestTheViewerAsksNobody promises a page that fetches nothing, sends nothing and
// lets nothing from the bundle become markup or script.
func TestTheViewerAsksNobody(t *testing.T) {
	s := bundletest.New(t)
	f := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7))) // whose title has markup in it
	page := string(f.Files["index.html"])
	before, rest, _ := strings.Cut(page, `id="bundle-data">`)
	data, after, _ := strings.Cut(rest, "</script>")
	for name, form := range map[string]*regexp.Regexp{"an address": addressForm, "an inline style": styleForm,
		"an inline handler": handlerForm} {
		if found := form.FindString(before + after); found != "" {
			t.Errorf("the page has %s: %q", name, found)
		}
	}
	if strings.ContainsAny(data, "<>") {
		t.Error("the data holds what could be taken for markup")
	}
	if strings.Contains(after, "innerHTML") || strings.Contains(after, "fetch(") || strings.Contains(after, "XMLHttpRequest") {
		t.Error("the script makes markup of text, or asks the network")
	}
	policy, _, _ := strings.Cut(strings.SplitN(page, `Content-Security-Policy" content="`, 2)[1], `"`)
	for _, want := range []string{"default-src 'none'", "style-src 'sha256-", "script-src 'sha256-", "base-uri 'none'",
		"form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("the policy %q lets something in", policy)
	}
	for _, want := range []string{"Surge at Alipur", "अलीपुर"} {
		if !strings.Contains(data, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
}

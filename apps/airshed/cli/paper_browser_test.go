//go:build browser

package cli

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/pdf/pdftest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// These tests need Chromium and poppler-utils, and run with -tags browser.

var updatePaper = flag.Bool("update-paper", false, "keep what the printed report looks like now; look at the sheets first")

// drafted is the draft on a made-up surge, and its page in a language.
func drafted(t *testing.T, lang report.Lang) (report.Report, []byte) {
	t.Helper()
	o := offline{Data: filepath.Join(t.TempDir(), "november.json")}
	if err := os.WriteFile(o.Data, laketest.File(t, laketest.Surge(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := o.report("site_5024@2025-11-12T02:30Z", "Clean Air Cell")
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.HTML(r, lang)
	if err != nil {
		t.Fatal(err)
	}
	return r, page
}

// onPaper is the PDF of a page.
func onPaper(t *testing.T, page []byte, made time.Time) []byte {
	t.Helper()
	start := time.Now()
	raw, err := pdftest.Printer(t).Print(t.Context(), pdf.Page{HTML: page, Made: made})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of HTML printed in %s, %d bytes of PDF", len(page), time.Since(start).Round(time.Millisecond), len(raw))
	return raw
}

var paperSize = regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`)

// TestTheReportOnPaperSaysWhatItIs promises of the report on paper: A4; the
// report's number and which sheet of how many it is on every sheet; both parts of the
// certificate begin sheets of their own and are unsigned; the annex lists every fact;
// and nothing of a browser or a console is printed.
func TestTheReportOnPaperSaysWhatItIs(t *testing.T) {
	r, page := drafted(t, report.English)
	raw := onPaper(t, page, r.Time)
	for _, size := range paperSize.FindAllSubmatch(raw, -1) {
		if got := string(size[1]) + " " + string(size[2]); !strings.HasPrefix(got, "594.9") && !strings.HasPrefix(got, "595") ||
			!strings.Contains(got, " 841.") {
			t.Errorf("a sheet of %s points is not A4", got)
		}
	}
	sheets := pdftest.Text(t, raw)
	for i, text := range sheets {
		if n := fmt.Sprintf("Page %d of %d", i+1, len(sheets)); !strings.Contains(text, n) || !strings.Contains(text, r.ID) ||
			!strings.Contains(text, "DRAFT") {
			t.Errorf("sheet %d does not say %q, %s and that it is a draft", i+1, n, r.ID)
		}
		for _, never := range []string{"about:blank", "Sign out", "Inbox", "file://"} {
			if strings.Contains(text, never) {
				t.Errorf("sheet %d says %q", i+1, never)
			}
		}
	}
	whole := strings.Join(sheets, "\f")
	for _, part := range []string{"Certificate under section 63(4)", "Part B, by the expert", "Annex: digests, rules and facts"} {
		if first := firstLines(sheets, part); !first {
			t.Errorf("%q does not begin a sheet", part)
		}
	}
	if strings.Count(whole, "NOT SIGNED") != 1 {
		t.Error("the certificate does not say that it is not signed")
	}
	_, annex, _ := strings.Cut(whole, "Annex: digests")
	for _, f := range r.Facts {
		if row := regexp.MustCompile(`(?m)^\s*` + string(f.ID) + `\s+\S.*` +
			regexp.QuoteMeta(f.Source.Selector.JSON.Pointer)); !row.MatchString(annex) {
			t.Errorf("the annex on paper does not list %s at %s", f.ID, f.Source.Selector.JSON.Pointer)
		}
	}
}

// TestTheReportIsReadOnAPhone promises that the page of a report is no wider than a
// phone, in both languages, with the code and the address where it is checked.
func TestTheReportIsReadOnAPhone(t *testing.T) {
	mux := http.NewServeMux()
	for _, lang := range report.Langs() {
		r, _ := drafted(t, lang)
		r.VerifyAt = "https://gavel.clean-air-cell.example.org/verify"
		page, err := report.HTML(r, lang)
		if err != nil {
			t.Fatal(err)
		}
		mux.HandleFunc("/"+string(lang), func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) })
	}
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	server := httptest.NewServer(mux)
	defer server.Close()
	webtest.Check(t, "check.mjs", "--base", server.URL, "--out", t.TempDir(), "/en", "/hi")
}

// firstLines reports whether a text stands at the top of some sheet, below the margin.
func firstLines(sheets []string, text string) bool {
	for _, sheet := range sheets {
		lines := strings.FieldsFunc(sheet, func(c rune) bool { return c == '\n' })
		for _, line := range lines[:min(3, len(lines))] {
			if strings.Contains(line, text) {
				return true
			}
		}
	}
	return false
}

// What follows from the data to the last bit is no part of the look.
var (
	anyDigest = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	anyCode   = regexp.MustCompile(`<path d="[^"]*"/>`)
)

// TestTheHindiReportOnPaperLooksAsItIsKept promises that no sheet of the Hindi report
// changes its look unnoticed, and that printing it again gives the same bytes. Whoever
// means a change looks at the sheets and renews the pictures with -update-paper.
func TestTheHindiReportOnPaperLooksAsItIsKept(t *testing.T) {
	r, page := drafted(t, report.Hindi)
	page = anyDigest.ReplaceAll(page, bytes.Repeat([]byte("0"), 64))
	page = anyCode.ReplaceAll(page, []byte(`<path d="M0 0h20v20h-20z"/>`))
	raw := onPaper(t, page, r.Time)
	if again := onPaper(t, page, r.Time); !bytes.Equal(raw, again) {
		t.Error("printed again it has other bytes")
	}
	sheets := pdftest.Sheets(t, raw)
	if kept, err := filepath.Glob("../testdata/paper/hi-*.png"); err != nil || len(kept) != len(sheets) && !*updatePaper {
		t.Errorf("it has %d sheets, and %d were kept: %v", len(sheets), len(kept), err)
	}
	for i, sheet := range sheets {
		kept := filepath.Join("..", "testdata", "paper", fmt.Sprintf("hi-%02d.png", i+1))
		if *updatePaper {
			pdftest.Keep(t, kept, sheet)
			continue
		}
		if text := pdftest.Differ(sheet, pdftest.Picture(t, kept)); text != "" {
			now := filepath.Join(t.ArtifactDir(), filepath.Base(kept))
			pdftest.Keep(t, now, sheet)
			t.Errorf("sheet %d: %s; look at %s beside %s", i+1, text, now, kept)
		}
	}
}

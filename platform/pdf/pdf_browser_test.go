//go:build browser

package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/pdf/pdftest"
)

// These tests need Chromium and run with -tags browser.

var noon = time.Date(2025, 11, 14, 12, 0, 0, 0, time.UTC)

func printed(t *testing.T, p *pdf.Printer, html string, made time.Time) []byte {
	t.Helper()
	raw, err := p.Print(t.Context(), pdf.Page{HTML: []byte(html), Made: made})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var sheets = regexp.MustCompile(`/Type /Page\b[^s]`)

func pages(raw []byte) int { return len(sheets.FindAll(raw, -1)) }

func TestTheSamePageGivesTheSameBytes(t *testing.T) {
	const html = `<!doctype html><html lang="hi"><title>शीर्षक</title><style>@page { size: A4 }</style><h1>क्षेत्र की श्रृंखला</h1><p style="break-before: page">दो</p>`
	p, start := pdftest.Printer(t), time.Now()
	first := printed(t, p, html, noon)
	t.Logf("one page took %s and has %d bytes", time.Since(start).Round(time.Millisecond), len(first))
	if again := printed(t, p, html, noon); !bytes.Equal(first, again) {
		t.Error("printed again it has other bytes")
	}
	if got := pages(first); got != 2 {
		t.Errorf("got %d pages, want 2", got)
	}
	later := printed(t, p, html, noon.Add(time.Hour))
	if bytes.Equal(first, later) || !bytes.Equal(bytes.ReplaceAll(later, []byte("20251114130000"), []byte("20251114120000")), first) {
		t.Error("another moment changes more than the dates, or nothing")
	}
}

func TestAPageReachesNeitherTheNetworkNorTheMachinesFiles(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	there := filepath.Join(t.TempDir(), "there.png")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 300, 300))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(there, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	page := func(address string) string {
		return fmt.Sprintf(`<!doctype html><html><head><title>x</title><link rel="stylesheet" href="%[1]s"><style>@import "%[1]s"; body { background: url("%[1]s") }
			@font-face { font-family: f; src: url("%[1]s") } p { font-family: f }</style><script src="%[1]s"></script></head>
			<body><p>text</p><img src="%[1]s"><iframe src="%[1]s"></iframe><object data="%[1]s"></object><embed src="%[1]s"></body></html>`, address)
	}
	p := pdftest.Printer(t)
	printed(t, p, page(server.URL), noon)
	printed(t, p, page(strings.Replace(server.URL, "127.0.0.1", "localhost", 1)), noon)
	printed(t, p, `<!doctype html><meta http-equiv="refresh" content="0; url=`+server.URL+`"><title>x</title>`, noon)
	if n := asked.Load(); n != 0 {
		t.Errorf("a server was asked %d times", n)
	}
	if with, without := printed(t, p, page("file://"+there), noon), printed(t, p, page("file://"+there+".not"), noon); !bytes.Equal(with,
		without) {
		t.Error("a file of the machine changes what is printed")
	}
}

// TestHindiIsShapedAndTextCanBeCopied promises that conjuncts and vowel signs come out as
// they are written, and that the text under them can be found and copied.
func TestHindiIsShapedAndTextCanBeCopied(t *testing.T) {
	page := func(word string) string {
		return `<!doctype html><html lang="hi"><title>x</title><style>@page { size: A6 } p { font: 40pt "Noto Sans Devanagari" }</style><p>` + word
	}
	p := pdftest.Printer(t)
	shaped := printed(t, p, page("क्षि"), noon)
	apart := printed(t, p, page("क्\u200cष\u200cि"), noon)
	if pdftest.Differ(pdftest.Sheets(t, shaped)[0], pdftest.Sheets(t, apart)[0]) == "" {
		t.Error("the letters of a conjunct stand apart")
	}
	if got := strings.Join(pdftest.Text(t, printed(t, p, page("Alipur 412"), noon)), ""); !strings.Contains(got, "Alipur 412") {
		t.Errorf("copied: %q", got)
	}
}

func TestNoScriptRuns(t *testing.T) {
	const html = `<!doctype html><title>x</title><p>one</p><script>document.body.innerHTML += '<p style="break-before: page">two</p>'</script>
		<noscript><p style="break-before: page">no script</p><p style="break-before: page">none</p></noscript>`
	if got := pages(printed(t, pdftest.Printer(t), html, noon)); got != 3 {
		t.Errorf("got %d pages, want 3: the text and what stands for scripts", got)
	}
}

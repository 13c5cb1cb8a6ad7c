package web_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

// TestAFileIsTakenForWhatItIs promises that a file has its type, its name and its way, that browsers do not guess, and that nobody
// between us and the reader keeps it.
func TestAFileIsTakenForWhatItIs(t *testing.T) {
	w := httptest.NewRecorder()
	web.SendFile(w, web.File{Name: `a "b".pdf`, Type: "application/pdf", Inline: true, Body: []byte("%PDF")})
	for name, want := range map[string]string{"Content-Type": "application/pdf", "Content-Disposition": `inline; filename="a \"b\".pdf"`,
		"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if w.Body.String() != "%PDF" {
		t.Errorf("it holds %q", w.Body)
	}
}

// TestACellIsNoFormula promises that what somebody typed does not run in who opens the file, and that negative numbers stay numbers.
func TestACellIsNoFormula(t *testing.T) {
	w := httptest.NewRecorder()
	rows := [][]string{{"name", "change"}, {"=cmd()", "-1.5"}, {"-2+3|x", "@x"}, {"plain, with a comma", "+1"}}
	web.SendCSV(w, "list.csv", rows)
	const want = "name,change\n'=cmd(),-1.5\n'-2+3|x,'@x\n\"plain, with a comma\",+1\n"
	if got := w.Body.String(); got != want || string(web.CSV(rows)) != want {
		t.Errorf("it is %q", got)
	}
	if rows[1][0] != "=cmd()" {
		t.Error("the rows themselves were changed")
	}
}

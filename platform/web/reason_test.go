package web

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/fault"
)

// TestAReasonIsToldInTheReadersLanguage promises that what is refused for a reason with a code
// is told in the words of that code, with roles and states by their names, and anything
// else in its own.
func TestAReasonIsToldInTheReadersLanguage(t *testing.T) {
	words, err := LoadCatalogue(fstest.MapFS{
		"en.json": {Data: []byte(`{"reason.no_access":"You don't have access to this.","reason.no_access.next":"Ask for: {roles}.","role.officer":"Officer","reason.no_case":"No case is called “{id}”."}`)},
		"hi.json": {Data: []byte(`{"reason.no_access":"आपको इसकी अनुमति नहीं है।","reason.no_access.next":"यह माँगें: {roles}।","role.officer":"अधिकारी","reason.no_case":"“{id}” नाम का कोई मामला नहीं है।"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := &Site{catalogue: words}
	no := fault.New(fault.Refused, "you don't have access to close cases").WithNext("ask").
		Because("no_access", "roles", "officer,pass_admin")
	for _, tt := range []struct {
		name       string
		err        error
		lang       Lang
		want       string
		translated bool
	}{
		{"in English", no, English, "You don't have access to this. Ask for: Officer, pass admin.", true},
		{"in Hindi", no, Hindi, "आपको इसकी अनुमति नहीं है। यह माँगें: अधिकारी, pass admin।", true},
		{"with what somebody typed", fault.New(fault.Invalid, "no case").Because("no_case", "id", "a\nb"+strings.Repeat("é", 600)), English,
			"No case is called “a b" + strings.Repeat("é", 497) + "…”.", true},
		{"of no code", fault.New(fault.Invalid, "the key is too long").WithNext("shorten it"), Hindi, "The key is too long. Shorten it.",
			false},
		{"of a code that has no words", fault.New(fault.Invalid, "it broke").Because("other"), Hindi, "It broke.", false},
		{"our own mistake", fault.New(fault.Internal, "secret").Because("no_access"), Hindi,
			"Something went wrong on our side. Try again; if it stays, report the request id.", false},
	} {
		p := &Page{Lang: tt.lang, site: site}
		if got := p.Said(tt.err); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if marked := p.Tongue(tt.err)["lang"] == "en"; marked == (tt.translated || tt.lang == English) {
			t.Errorf("%s: marked as English: %v", tt.name, marked)
		}
	}
}

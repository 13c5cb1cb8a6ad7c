package finding_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
)

// whole is a finding with everything in it.
func whole() finding.Finding {
	return finding.Finding{
		Subject: finding.Subject{Kind: finding.Person, Name: "Ekta Demo", Of: "VP-206", Link: "/poolpatrol/vans/VP-206"},
		Brief:   finding.Words{En: "52.5 mi from the pickup; limit 50", Hi: "पिकअप से 52.5 मील; सीमा 50"},
		Says: finding.Words{En: "Ekta Demo (EMP-2030) lives 52.5 mi from the pickup of VP-206; the limit is 50.",
			Hi: "Ekta Demo (EMP-2030) का घर VP-206 के पिकअप से 52.5 मील दूर है; सीमा 50 है।"},
		Facts:   []finding.Cited{{Text: "52.5 mi", Fact: "F3"}},
		Value:   finding.Measured(finding.Words{En: "52.5 mi", Hi: "52.5 मील"}),
		Limit:   finding.Measured(finding.Words{En: "50 mi", Hi: "50 मील"}),
		Sure:    finding.NotApplicable(finding.Words{En: "It is a distance.", Hi: "यह दूरी है।"}),
		For:     []finding.Point{{Text: finding.Words{En: "By road.", Hi: "सड़क से।"}, Ref: "E2"}},
		Against: []finding.Point{finding.Say("She says she has moved.", "उनका कहना है कि घर बदला है।")},
		Unknown: []finding.Point{finding.Say("The exact house.", "ठीक-ठीक घर।")}, Change: finding.Words{En: "A home within 50 mi.",
			Hi: "50 मील के भीतर का घर।"},
		Plain: finding.Words{En: "A rider of VP-206 is over the distance limit.", Hi: "VP-206 का एक यात्री दूरी की सीमा से ऊपर है।"},
	}
}

// TestAHalfFilledFindingIsRefused promises that nobody is asked to decide on a finding
// that leaves something out, says it in one language, or is too long to be read.
func TestAHalfFilledFindingIsRefused(t *testing.T) {
	if err := whole().Check(); err != nil {
		t.Fatal(err)
	}
	for says, spoil := range map[string]func(*finding.Finding){
		"the subject is of no kind":             func(f *finding.Finding) { f.Subject.Kind = "" },
		"subject is empty":                      func(f *finding.Finding) { f.Subject.Name = " " },
		"subject has over":                      func(f *finding.Finding) { f.Subject.Name = strings.Repeat("a", 161) },
		"the subject's link is no path":         func(f *finding.Finding) { f.Subject.Link = "//evil.example/" },
		"link is no path":                       func(f *finding.Finding) { f.Subject.Link = "javascript:alert(1)" },
		"brief in English is empty":             func(f *finding.Finding) { f.Brief.En = "" },
		"says in Hindi is empty":                func(f *finding.Finding) { f.Says.Hi = "" },
		"says in Hindi is not in Hindi":         func(f *finding.Finding) { f.Says.Hi = f.Says.En },
		"says in English has over":              func(f *finding.Finding) { f.Says.En = strings.Repeat("a ", 251) },
		"holds a character that no line has":    func(f *finding.Finding) { f.Says.En = "one\ntwo" },
		"value in English is empty":             func(f *finding.Finding) { f.Value = finding.Measure{} },
		"limit in English is empty":             func(f *finding.Finding) { f.Limit = finding.Measure{None: true} },
		"sure in Hindi is not in Hindi":         func(f *finding.Finding) { f.Sure.Words.Hi = "none" },
		"against has 13 points":                 func(f *finding.Finding) { f.Against = make([]finding.Point, 13) },
		"unknown in English is empty":           func(f *finding.Finding) { f.Unknown = []finding.Point{{}} },
		"no evidence and no fact":               func(f *finding.Finding) { f.For[0].Ref = "X9" },
		`"12" is no fact`:                       func(f *finding.Finding) { f.Facts[0].Fact = "12" },
		`the sentence does not say "53 mi"`:     func(f *finding.Finding) { f.Facts[0].Text = "53 mi" },
		"change in English is empty":            func(f *finding.Finding) { f.Change = finding.Words{} },
		"plain in English is empty":             func(f *finding.Finding) { f.Plain = finding.Words{} },
		"plain names the person":                func(f *finding.Finding) { f.Plain.Hi = "Ekta Demo सीमा से ऊपर है।" },
		"what the subject belongs to has over":  func(f *finding.Finding) { f.Subject.Of = strings.Repeat("a", 161) },
		"the finding is not complete: brief in": func(f *finding.Finding) { f.Brief.Hi = strings.Repeat("अ", 161) },
	} {
		f := whole()
		spoil(&f)
		if err := f.Check(); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

// TestAListNamesTheSubjectFirst promises the line of a list, in both languages.
func TestAListNamesTheSubjectFirst(t *testing.T) {
	f := whole()
	if got, want := f.First("en"), "Ekta Demo, VP-206: 52.5 mi from the pickup; limit 50"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := f.First("hi"), "Ekta Demo, VP-206: पिकअप से 52.5 मील; सीमा 50"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f.Subject.Of = ""
	if got := f.First("en"); !strings.HasPrefix(got, "Ekta Demo: ") {
		t.Errorf("got %q", got)
	}
}

// TestADocumentKeepsItsFinding promises that what was shown is read back word for word,
// and that a document without a finding has none.
func TestADocumentKeepsItsFinding(t *testing.T) {
	text, err := json.Marshal(map[string]any{"tool": "end", "finding": whole()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := finding.In(text)
	if err != nil || got == nil || got.First("hi") != whole().First("hi") || got.For[0] != whole().For[0] {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, doc := range []string{"", `{"tool":"end"}`, `{"finding":null}`} {
		if got, err := finding.In([]byte(doc)); got != nil || err != nil {
			t.Errorf("%q: got %+v, %v", doc, got, err)
		}
	}
	if _, err := finding.In([]byte(`{"finding":"none"}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("a finding of another form: %v", err)
	}
}

// TestWhateverSomebodyIsCalledFits promises that a name or a text from outside, whatever
// it holds, can stand in a finding once it was made short.
func TestWhateverSomebodyIsCalledFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := whole()
		f.Subject.Name = "x" + finding.Short(rapid.String().Draw(t, "name"))
		f.Against[0].Text = finding.Words{En: "x" + finding.Brief(rapid.String().Draw(t, "text")), Hi: "क"}
		f.Plain = finding.Words{En: "A rider.", Hi: "यात्री।"}
		if err := f.Check(); err != nil && !strings.Contains(err.Error(), "names the person") {
			t.Fatal(err)
		}
	})
}

// TestWordsInAFileAreAFinding promises that words that are the same for every subject may
// stand in a file, and that a file which is not there is not shown as something empty.
func TestWordsInAFileAreAFinding(t *testing.T) {
	text, err := json.Marshal(whole())
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"found/answer.json": {Data: text}, "found/bad.json": {Data: []byte(`{"says": 1}`)}}
	about := finding.Subject{Kind: "question", Name: "When is the office open?"}
	if f := finding.Of(files, "found/answer.json", about); f.Check() != nil || f.Subject != about || f.Says != whole().Says {
		t.Errorf("got %+v, %v", f, f.Check())
	}
	for _, name := range []string{"found/none.json", "found/bad.json"} {
		if f := finding.Of(files, name, about); !fault.Is(f.Check(), fault.Invalid) {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

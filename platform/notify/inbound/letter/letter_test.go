package letter_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

var own = letter.Own{Domain: "mail.gavel.test", Inbound: "in.gavel.test", From: []string{"cell@gavel.test"}}

// corpus is every mail of the corpus next door.
func corpus(t testing.TB) (all [][]byte) {
	t.Helper()
	names, err := filepath.Glob("../testdata/corpus/*.eml")
	if err != nil || len(names) < 150 {
		t.Fatalf("found %d mails of the corpus: %v", len(names), err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	return all
}

// check is what is promised of every mail, whatever its bytes.
func check(t interface{ Errorf(string, ...any) }, raw []byte) {
	l := letter.Parse(raw)
	kind, why := l.Kind(own)
	if (kind == letter.Written) != (why == "") {
		t.Errorf("a mail of kind %s says why: %q", kind, why)
	}
	strip := letter.Fresh(l.Text)
	texts := append([]string{l.MessageID, l.From, l.Subject, l.Text, strip.Fresh}, l.To...)
	texts = append(append(texts, l.InReplyTo...), l.References...)
	for _, f := range l.Files {
		texts = append(texts, f.Name, f.Type)
		if len(f.Bytes) > letter.MaxFile || strings.ContainsAny(f.Name, "/\\\n\x00") {
			t.Errorf("a file is called %q and has %d bytes", f.Name, len(f.Bytes))
		}
	}
	if r := l.About(); r != nil {
		texts = append(append(texts, r.About...), r.Action, r.Status, r.Says, r.Recipient)
	}
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > letter.MaxText+16 {
			t.Errorf("a text of %d bytes cannot be kept: %.100q", len(s), s)
		}
	}
	if len(l.Files) > letter.MaxFiles || len(l.To) > 100 || len(l.References) > 60 || len(l.Defects) > 20 {
		t.Errorf("bounds are passed: %d files, %d recipients, %d references, %d defects", len(l.Files), len(l.To), len(l.References),
			len(l.Defects))
	}
	if len(strip.Fresh) > len(l.Text) {
		t.Errorf("what is new has %d bytes, of %d", len(strip.Fresh), len(l.Text))
	}
	if l.Authentic("") {
		t.Errorf("a mail is proven by a server without a name")
	}
}

// FuzzParse promises that no bytes at all break the reading of mail.
func FuzzParse(f *testing.F) {
	for _, raw := range corpus(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { check(t, raw) })
}

func TestEveryMailCutAnywhereIsStillRead(t *testing.T) {
	for _, raw := range corpus(t) {
		for at := 0; at < len(raw); at += 1 + len(raw)/40 {
			check(t, raw[:at])
		}
	}
}

func TestMailOfAnyWordsIsRead(t *testing.T) {
	pieces := []string{"From: a@b.test\n", "Content-Type: multipart/mixed; boundary=x\n", "--x\n", "--x--\n", "\n", "\r\n", "> quoted\n",
		"On 1 May, a@b.test wrote:\n",
		"Content-Transfer-Encoding: base64\n", "Content-Type: message/rfc822\n", "Content-Type: message/delivery-status\n",
		"Action: failed\n", "=\n", "\x00", "\xff", " \t", "<div>", "</div>", "-- \n", "Content-Type: text/html\n", "=?utf-8?q?=00?=",
		"Subject: ", "Message-ID: <", ">\n", "नमस्ते"}
	rapid.Check(t, func(t *rapid.T) {
		check(t, []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")))
	})
}

// TestHostileMailIsReadInTime promises that no mail of the largest size keeps a
// reader busy: what is in it costs time in proportion.
func TestHostileMailIsReadInTime(t *testing.T) {
	const mb = 1 << 20
	for name, raw := range map[string][]byte{
		"one long line":           bytes.Repeat([]byte("a"), 20*mb),
		"folded for ever":         append([]byte("Subject: a\n"), bytes.Repeat([]byte(" b\n"), 6*mb)...),
		"only line ends":          append([]byte("From: a@b.test\n\n"), bytes.Repeat([]byte("\n"), 20*mb)...),
		"boundaries":              append([]byte("Content-Type: multipart/mixed; boundary=x\n\n"), bytes.Repeat([]byte("--x\n"), 5*mb)...),
		"open tags":               append([]byte("Content-Type: text/html\n\n"), bytes.Repeat([]byte("<div><b>"), 2*mb)...),
		"closing tags":            append([]byte("Content-Type: text/html\n\n"), bytes.Repeat([]byte("<div></p>"), 2*mb)...),
		"quotes":                  append([]byte("From: a@b.test\n\n"), bytes.Repeat([]byte("> \n"), 6*mb)...),
		"announcements":           append([]byte("From: a@b.test\n\n"), bytes.Repeat([]byte("On 1 a@b.test\n"), mb)...),
		"comments in results":     []byte("From: a@b.test\nAuthentication-Results: " + strings.Repeat("(", 200_000) + "\n\n"),
		"addresses":               []byte("From: a@b.test\nTo: " + strings.Repeat("<a@b.test>,", 20_000) + "\n\n"),
		"encoded words":           []byte("Subject: " + strings.Repeat("=?utf-8?q?a?= ", 15_000) + "\n\n"),
		"references":              []byte("References: " + strings.Repeat("<a@b> <", 30_000) + "\n\n"),
		"dots that look like ids": []byte("From: " + strings.Repeat("a@", 100_000) + "\n\n"),
	} {
		start := time.Now()
		check(t, raw)
		l := letter.Parse(raw)
		l.Authentic("mx.gavel.test")
		wait.Within(t, name, time.Since(start), 10*time.Second)
	}
}

func TestTheHugeIsCutAndSaysSo(t *testing.T) {
	raw := append([]byte("From: asha@riders.test\nMessage-ID: <1@riders.test>\n\nWords.\n"), bytes.Repeat([]byte("x"), letter.MaxRaw)...)
	l := letter.Parse(raw)
	if !l.Cut || !l.Broken() || !slices.Contains(l.Defects, letter.TooLarge) || l.From != "asha@riders.test" {
		t.Errorf("got cut %v, defects %v, from %q; want it cut, and who wrote it", l.Cut, l.Defects, l.From)
	}
	if other := letter.Parse(append(raw, 'y')); other.Fingerprint() == l.Fingerprint() {
		t.Error("two mails that differ where neither was read are taken for one")
	}
	if b := letter.Beginning(raw[:100]); !b.Broken() || !b.Cut {
		t.Error("the beginning of a mail is taken for the whole")
	}
}

func TestAFileIsCalledByItsNameAlone(t *testing.T) {
	for _, tt := range []struct{ disposition, want string }{
		{`attachment; filename="../../etc/passwd"`, "passwd"},
		{`attachment; filename="C:\\docs\\roster.csv"`, "roster.csv"},
		{`attachment; filename*=utf-8''%E0%A4%AA%E0%A4%BE%E0%A4%B2%E0%A5%80.pdf`, "पाली.pdf"},
		{`attachment; filename="=?utf-8?b?4KSq4KS+4KSy4KWALnBkZg==?="`, "पाली.pdf"},
		{"attachment; filename=\"a\u202efdp.exe\"", "afdp.exe"},
		{`attachment; filename=".."`, ""},
		{`attachment`, ""},
	} {
		l := letter.Parse([]byte("From: a@b.test\nContent-Type: application/pdf\nContent-Disposition: " + tt.disposition + "\n\nx"))
		if len(l.Files) != 1 || l.Files[0].Name != tt.want {
			t.Errorf("%s: got %+v, want %q", tt.disposition, l.Files, tt.want)
		}
	}
}

func TestAttachmentsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("From: a@b.test\nContent-Type: multipart/mixed; boundary=x\n\n")
	for range 30 {
		b.WriteString("--x\nContent-Type: application/x-thing\n\nthing\n")
	}
	b.WriteString("--x--\n")
	if l := letter.Parse([]byte(b.String())); len(l.Files) != letter.MaxFiles || !l.Cut {
		t.Errorf("got %d files, cut %v; want %d, and that there were more", len(l.Files), l.Cut, letter.MaxFiles)
	}
	large := "From: a@b.test\nContent-Type: application/x-thing\n\n" + strings.Repeat("x", letter.MaxFile+1)
	if l := letter.Parse([]byte(large)); len(l.Files) != 0 || !l.Cut {
		t.Errorf("got %d files, cut %v; want one that is too large left inside", len(l.Files), l.Cut)
	}
}

// TestTheSameMailIsTheSameWhateverWayItCame promises that what servers write into
// a header does not make another mail of it, and that anything said otherwise does.
func TestTheSameMailIsTheSameWhateverWayItCame(t *testing.T) {
	const mail = "From: a@b.test\nMessage-ID: <1@b.test>\nSubject: s\n\nwords\n"
	one := letter.Parse([]byte(mail)).Fingerprint()
	if got := letter.Parse([]byte("Received: from x\nX-Spam: no\n" + mail)).Fingerprint(); got != one {
		t.Error("another server on the way makes another mail")
	}
	for _, other := range []string{strings.Replace(mail, "words", "other words", 1), strings.Replace(mail, "a@b", "c@b", 1),
		strings.Replace(mail, ": s", ": t", 1), strings.Replace(mail, "<1@", "<2@", 1)} {
		if letter.Parse([]byte(other)).Fingerprint() == one {
			t.Errorf("another mail is taken for the same: %q", other)
		}
	}
}

func TestSmallLettersAreReadAndThoseWithoutSizeAreNot(t *testing.T) {
	for style, shown := range map[string]bool{
		"font-size:0.9em": true, "font-size: 0.5px; color:red": true, "font-size:.8em": true, "font-size:inherit": true,
		"font-size:0": false, "font-size: 0px;": false, "FONT-SIZE:\t0.0em !important; x:y": false, "font-size:00%": false,
		"font-size:.0em": false,
	} {
		if got := letter.FromHTML(`<p style="`+style+`">words</p>`) == "words"; got != shown {
			t.Errorf("%q: shown %v, want %v", style, got, shown)
		}
	}
}

func TestAPropertyOfAResultHasItsWholeName(t *testing.T) {
	for results, want := range map[string]bool{
		"mx.gavel.test; dkim=pass header.d=riders.test":                           true,
		"mx.gavel.test; dkim=pass header.s=x\r\n\theader.d=riders.test":           true,
		"mx.gavel.test; dkim=pass x-header.d=riders.test header.d=elsewhere.test": false,
		"mx.gavel.test; dkim=pass policy.header.d=riders.test":                    false,
		"mx.gavel.test; dmarc=pass x/header.from=riders.test header.from=b.test":  false,
	} {
		l := letter.Parse([]byte("Authentication-Results: " + results + "\r\nFrom: asha@riders.test\r\n\r\nwords"))
		if got := l.Authentic("mx.gavel.test"); got != want {
			t.Errorf("%q: got %v, want %v", results, got, want)
		}
	}
}

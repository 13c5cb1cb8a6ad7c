package letter_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

func TestWhatIsNewIsKeptAndWhatIsQuotedIsNot(t *testing.T) {
	for _, tt := range []struct {
		name, text, want  string
		quoted, forwarded bool
	}{
		{"nothing quoted", "Yes.\n\nThank you.", "Yes.\n\nThank you.", false, false},
		{"above", "Yes.\n\nOn Mon, 9 Nov 2026, cell@gavel.test wrote:\n> no\n", "Yes.", true, false},
		{"below", "On Mon, 9 Nov 2026, cell@gavel.test wrote:\n> no\n\nYes.", "Yes.", true, false},
		{"between", "> one?\nYes.\n> two?\nNo.", "Yes.\nNo.", true, false},
		{"unmarked", "Yes.\n\nOn Mon, 9 Nov 2026, cell@gavel.test wrote:\n\nDear Asha,\nplease answer.", "Yes.", true, false},
		{"announced over three lines", "Yes.\n\nOn Mon, 9 Nov 2026\nat 10:00, The transport cell\n<cell@gavel.test> wrote:\n> no", "Yes.",
			true, false},
		{"a sentence that ends in wrote", "My manager wrote:\nshe moved me.", "My manager wrote:\nshe moved me.", false, false},
		{"a person's own colon", "On 9 November I moved:\nnew shift.", "On 9 November I moved:\nnew shift.", false, false},
		{"a header in a sentence", "From: where does this come?\nI do not know.", "From: where does this come?\nI do not know.", false,
			false},
		{"a rule in the text", "One\n------------\nTwo", "One\n------------\nTwo", false, false},
		{"forwarded", "Look.\n---------- Forwarded message ---------\nFrom: x", "Look.", true, true},
		{"an arrow", "I think -> that\na > b", "I think -> that\na > b", false, false},
		{"telephone", "Yes.\n\nSent from my iPhone", "Yes.", false, false},
		{"Outlook for a telephone", "Yes.\n\nGet Outlook for Android\n________________________________\nFrom: cell " +
			"<cell@gavel.test>\nSent: Monday\nTo: Asha\nSubject: van\n\nold", "Yes.", true, false},
		{"Hindi header", "हाँ।\n\nप्रेषक: cell\nदिनांक: 9 नवंबर\nविषय: वैन\n\nपुराना", "हाँ।", true, false},
		{"Hindi announcement", "हाँ।\n\n9 नवंबर 2026 को cell@gavel.test ने लिखा:\n> पुराना", "हाँ।", true, false},
		{"a Hindi sentence with wrote", "मैंने पत्र लिखा।\nकृपया देखें।", "मैंने पत्र लिखा।\nकृपया देखें।", false, false},
		{"nothing new", "> all\n> quoted", "", true, false},
		{"nothing", "", "", false, false},
	} {
		got := letter.Fresh(tt.text)
		if got.Fresh != tt.want || got.Quoted != tt.quoted || got.Forwarded != tt.forwarded {
			t.Errorf("%s: got %+v, want %q, quoted %v, forwarded %v", tt.name, got, tt.want, tt.quoted, tt.forwarded)
		}
	}
}

func TestHTMLIsReadAsAReaderSeesIt(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{"<p>One</p><p>Two</p>", "One\n\nTwo"},
		{"One<br>Two<br/>Three", "One\nTwo\nThree"},
		{"<div>One</div><div>Two</div><div><br></div><div>Three</div>", "One\nTwo\n\nThree"},
		{"<div>a  b\n c&nbsp;d</div>", "a b c d"},
		{"<blockquote>q<blockquote>r</blockquote></blockquote>s", "> q\n>> r\ns"},
		{"<p style='display:none'>x</p>y<div hidden>z</div>", "y"},
		{"<script>x</script><style>y</style><!-- z -->w", "w"},
		{"<pre>  a\n  b</pre>", "a\n  b"},
		{"&lt;b&gt; &amp; &#2344;", "<b> & न"},
		{"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"},
		{"<p>unclosed <b>tags", "unclosed tags"},
		{"<html><head><meta charset=utf-8><body>no end of the head", "no end of the head"},
		{"<p hidden>no<p>yes", "yes"},
		{"</div></div>text", "text"},
		{"", ""},
	} {
		if got := letter.FromHTML(tt.html); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.html, got, tt.want)
		}
	}
}

func TestASenderIsProvenOnlyByTheServerWeTrust(t *testing.T) {
	for _, tt := range []struct {
		results string
		want    bool
	}{
		{"mx.us; dmarc=pass header.from=riders.test", true},
		{"MX.US 1; dmarc=pass (p=none) header.from=RIDERS.test", true},
		{"mx.us; dkim=pass header.d=riders.test", true},
		{"mx.us; dkim=pass header.i=@mail.riders.test", true},
		{"mx.us; dkim=fail header.d=riders.test; dkim=pass header.d=riders.test", true},
		{"mx.us; dkim=pass header.d=riders.test; dmarc=fail header.from=riders.test", false},
		{"mx.us; dkim=pass header.d=riders.test; dmarc=temperror", false},
		{"mx.us; dmarc=pass header.from=elsewhere.test", false},
		{"mx.us; dkim=pass header.d=test", false}, // a whole top-level domain
		{"mx.us; dkim=pass header.d=notriders.test", false},
		{"mx.us; spf=pass smtp.mailfrom=riders.test", false},
		{"mx.us; none", false},
		{"mx.them; dmarc=pass header.from=riders.test", false},
		{"mx.us.them; dmarc=pass header.from=riders.test", false},
		{`mx.us; spf=none smtp.helo="; dmarc=pass header.from=riders.test"`, false},
		{"mx.us; spf=none (; dmarc=pass header.from=riders.test)", false},
		{`mx.us; spf=none "; dmarc=pass header.from=riders.test`, false},
		{"", false},
	} {
		l := letter.Parse([]byte("Authentication-Results: " + tt.results + "\nFrom: asha@riders.test\n\nx"))
		if got := l.Authentic("mx.us"); got != tt.want {
			t.Errorf("%s: got %v", tt.results, got)
		}
	}
	two := letter.Parse([]byte("Authentication-Results: mx.us; dmarc=fail\nAuthentication-Results: mx.us; dmarc=pass " +
		"header.from=riders.test\nFrom: asha@riders.test\n\nx"))
	if two.Authentic("mx.us") {
		t.Error("results that came with the mail are believed")
	}
	for _, suffix := range []struct {
		d, from string
		want    bool
	}{{"co.in", "rao@office.co.in", false}, {"office.co.in", "rao@mail.office.co.in", true}} {
		l := letter.Parse([]byte("Authentication-Results: mx.us; dkim=pass header.d=" + suffix.d + "\nFrom: " + suffix.from + "\n\nx"))
		if got := l.Authentic("mx.us"); got != suffix.want {
			t.Errorf("%s for %s: got %v", suffix.d, suffix.from, got)
		}
	}
}

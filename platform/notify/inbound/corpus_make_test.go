package inbound_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated part of the corpus anew")

// A made mail is one that the generator writes: its file, the mail, and the row of
// the table that says what must become of it. What is expected is written down
// with the scenario, and not taken from what the code does.
type made struct {
	name, eml string
	want      row
}

// A voice is what a reply says in one language, and how mail programs of that
// language announce what they quote.
type voice struct {
	lang, charset          string
	says                   []string // lines
	gmail, apple, outlook  string   // announcements
	from, sent, to, about  string   // Outlook's header of what it quotes
	phone, original, quote string
}

var english = voice{lang: "en", charset: "utf-8", says: []string{"I moved to the night shift on Monday.",
	"The portal should show it by now."},
	gmail: "On Mon, Nov 9, 2026 at 10:15 AM Transport cell <cell@gavel.test> wrote:",
	apple: "On 9 Nov 2026, at 10:15 AM, Transport cell <cell@gavel.test> wrote:", outlook: "-----Original Message-----", from: "From:",
	sent: "Sent:", to: "To:", about: "Subject:", phone: "Sent from my iPhone",
	original: "Dear Asha,\nour records say that you work another shift than your vanpool.\nPlease answer by 16 November.",
	quote:    "Dear Asha,"}

var hindi = voice{lang: "hi", charset: "utf-8", says: []string{"मैं सोमवार से रात की पाली में हूँ।", "पोर्टल पर यह दिखना चाहिए।"},
	gmail: "सोम, 9 नव॰ 2026 को 10:15 am बजे को Transport cell <cell@gavel.test> ने लिखा:",
	apple: "9 नवंबर 2026 को 10:15 पूर्वाह्न पर, Transport cell <cell@gavel.test> ने लिखा:", outlook: "-----मूल संदेश-----", from: "प्रेषक:",
	sent: "भेजा गया:", to: "प्रति:", about: "विषय:", phone: "मेरे iPhone से भेजा गया",
	original: "प्रिय आशा,\nहमारे अभिलेख के अनुसार आपकी पाली आपकी वैन से अलग है।\nकृपया 16 नवंबर तक उत्तर दें।", quote: "प्रिय आशा,"}

func quoted(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }

func block(v voice) string {
	return v.from + " Transport cell <cell@gavel.test>\n" + v.sent + " Monday, November 9, 2026 10:15 AM\n" + v.to +
		" Asha <asha@riders.test>\n" + v.about + " Your vanpool [GEN-A3F8B291]\n\n" + v.original
}

// A shape is how one mail program writes a reply: plain text, HTML, or both.
type shape struct {
	name  string
	plain func(v voice, said string) string
	html  func(v voice, said string) string
}

func paragraphs(said string) string {
	return "<div>" + strings.ReplaceAll(said, "\n", "<br>") + "</div>"
}

// shapes are replies as the common programs write them, made after what they are
// known to send; no real mail is in them.
var shapes = []shape{
	{"gmail", func(v voice, said string) string { return said + "\n\n" + v.gmail + "\n\n" + quoted(v.original) + "\n" },
		func(v voice, said string) string {
			return `<div dir="ltr">` + paragraphs(said) + `</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">` +
				esc(v.gmail) + `<br></div><blockquote class="gmail_quote" style="margin:0">` + paragraphs(v.original) +
				`</blockquote></div>`
		}},
	{"gmail-folded", func(v voice, said string) string {
		return said + "\n\n" + strings.Replace(v.gmail, " Transport cell", "\nTransport cell", 1) + "\n\n" + quoted(v.original) + "\n"
	}, nil},
	{"apple", func(v voice, said string) string { return said + "\n\n" + v.apple + "\n" + quoted(v.original) + "\n" }, nil},
	{"iphone", func(v voice, said string) string {
		return said + "\n\n" + v.phone + "\n\n" + "> " + v.apple + "\n> \n" + quoted(v.original) + "\n"
	}, nil},
	{"outlook", func(v voice, said string) string {
		return said + "\n\n" + strings.Repeat("_", 32) + "\n" + block(v) + "\n"
	}, func(v voice, said string) string {
		return `<html><head><style>p{margin:0}</style></head><body>` + paragraphs(said) +
			`<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>` + v.from + `</b> Transport cell<br><b>` + v.sent +
			`</b> Monday</div>` + paragraphs(v.original) + `</body></html>`
	}},
	{"outlook-classic", func(v voice, said string) string { return said + "\n\n" + v.outlook + "\n" + block(v) + "\n" }, nil},
	{"outlook-norule", func(v voice, said string) string { return said + "\n\n" + block(v) + "\n" }, nil},
	{"thunderbird-bottom", func(v voice, said string) string { return v.gmail + "\n" + quoted(v.original) + "\n\n" + said + "\n" }, nil},
	{"thunderbird-top", func(v voice, said string) string {
		return said + "\n\n-- \nAsha\nExtension 4411\n\n" + v.gmail + "\n" + quoted(v.original) + "\n"
	}, nil},
	{"interleaved", func(v voice, said string) string {
		first, second, _ := strings.Cut(said, "\n")
		return v.gmail + "\n> " + v.quote + "\n" + first + "\n\n> 16\n" + second + "\n"
	}, nil},
	{"k9", func(v voice, said string) string {
		return said + "\n-- \nSent from my Android device with K-9 Mail.\n\n" + v.gmail + "\n" + quoted(v.original) + "\n"
	}, nil},
	{"yahoo", nil, func(v voice, said string) string {
		return `<html><body><div class="ydp1">` + paragraphs(said) + `</div><div id="yahoo_quoted_1" class="yahoo_quoted">` + esc(v.gmail) +
			paragraphs(v.original) + `</div></body></html>`
	}},
	{"webmail-html", nil, func(v voice, said string) string {
		return `<p>` + strings.ReplaceAll(said, "\n", "</p><p>") + `</p><p>` + esc(v.gmail) + `</p><blockquote type="cite">` +
			paragraphs(v.original) + `</blockquote>`
	}},
	{"nothing-quoted", func(_ voice, said string) string { return said + "\n" }, nil},
}

func esc(s string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(s) }

const (
	replyA  = "case+GEN-A3F8B291.5bqiaqlngg@in.gavel.test"
	oldA    = "case+GEN-A3F8B291.hpwb4ccxqc@in.gavel.test" // under the key before
	forgedA = "case+GEN-A3F8B291.ybfj6x32gp@in.gavel.test" // under somebody else's key
	replyB  = "case+GEN-B7C2D4E5.ld53sjjkp3@in.gavel.test"
	replyC  = "case+GEN-C9D8E7F6.2jj34wseuh@in.gavel.test"
	replyD  = "case+GEN-D1D2D3D4.t3vs4clpn4@in.gavel.test"
	sentA   = "MSG-AAAA0001.0123456789abcdef01234567@mail.gavel.test"
	sentB   = "MSG-BBBB0001.0123456789abcdef01234567@mail.gavel.test"
	sentC   = "MSG-CCCC0001.0123456789abcdef01234567@mail.gavel.test"
	plainIn = "replies@in.gavel.test"
	asha    = "asha@riders.test"
	proven  = "mx.gavel.test; dkim=pass header.d=riders.test; spf=pass smtp.mailfrom=riders.test; dmarc=pass (p=REJECT) " +
		"header.from=riders.test"
)

// A mail to be made. Fields are lines of its header, in order.
type draft struct {
	name    string
	from    string // an address, or a whole field
	to      string
	subject string
	auth    string
	fields  []string
	body    string // with the fields of its own form
}

func (d draft) eml() string {
	var b strings.Builder
	b.WriteString("Return-Path: <" + d.from + ">\r\n")
	if d.auth != "" {
		b.WriteString("Authentication-Results: " + d.auth + "\r\n")
	}
	b.WriteString("Received: from mail.riders.test by mx.gavel.test; Mon, 9 Nov 2026 11:00:00 +0530\r\n")
	b.WriteString("X-Corpus: generated by corpus_make_test.go; no real mail\r\nMessage-ID: <" + d.name +
		"@riders.test>\r\nDate: Mon, 9 Nov 2026 11:00:00 +0530\r\n")
	b.WriteString("From: Somebody <" + d.from + ">\r\nTo: " + d.to + "\r\nSubject: " + d.subject + "\r\nMIME-Version: 1.0\r\n")
	for _, f := range d.fields {
		b.WriteString(f + "\r\n")
	}
	b.WriteString(strings.ReplaceAll(d.body, "\n", "\r\n"))
	return b.String()
}

// inQP and inBase64 are a text with the fields that say how it is written.
func inQP(media, text string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a builder takes everything
	_ = w.Close()
	return "Content-Type: " + media + "; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n" + strings.ReplaceAll(b.String(),
		"\r\n", "\n")
}

func inBase64(media, text string) string {
	raw := base64.StdEncoding.EncodeToString([]byte(text))
	var b strings.Builder
	for part := range slices.Chunk([]byte(raw), 76) {
		b.Write(append(part, '\n'))
	}
	return "Content-Type: " + media + "; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + b.String()
}

func both(plain, html string) string {
	return "Content-Type: multipart/alternative; boundary=\"b-1\"\n\n--b-1\n" + plain + "\n--b-1\n" + html + "\n--b-1--\n"
}

// generate makes the generated part of the corpus.
func generate() (all []made) {
	all = append(all, replies()...)
	all = append(all, doubtful()...)
	return append(all, machines()...)
}

// replies are what people answer, in every shape, both languages and both ways
// back: all of them are believed, and all say the same.
func replies() (all []made) {
	for _, v := range []voice{english, hindi} {
		said := strings.Join(v.says, "\n")
		for i, s := range shapes {
			var body string
			switch {
			case s.html == nil:
				body = inQP("text/plain", s.plain(v, said))
			case s.plain == nil:
				body = inBase64("text/html", s.html(v, said))
			default:
				body = both(inBase64("text/plain", s.plain(v, said)), inQP("text/html", s.html(v, said)))
			}
			subject := mime.QEncoding.Encode("utf-8", "Re: "+v.quote+" [GEN-A3F8B291]")
			fresh := said
			if s.name == "interleaved" || s.name == "webmail-html" { // paragraphs
				fresh = strings.Join(v.says, "\n\n")
			}
			name := fmt.Sprintf("gen-reply-%s-%s", s.name, v.lang)
			to := replyA
			if i%3 == 1 {
				to = oldA
			}
			d := draft{name: name + "-token", from: asha, to: to, subject: subject, auth: proven, body: body}
			all = append(all, made{d.name, d.eml(), row{d.name + ".eml", "accepted", "written", "token", "A", "", fresh}})
			d = draft{name: name + "-id", from: asha, to: plainIn, subject: "Re: your vanpool", auth: proven, body: body,
				fields: []string{"In-Reply-To: <" + sentA + ">", "References: <before@riders.test>\r\n <" + sentA + ">"}}
			if i%2 == 1 {
				d.fields = d.fields[1:]
			}
			all = append(all, made{d.name, d.eml(), row{d.name + ".eml", "accepted", "written", "id", "A", "", fresh}})
		}
		html := shapes[0]
		d := draft{name: "gen-reply-html-only-" + v.lang, from: asha, to: replyA, subject: "Re: your vanpool", auth: proven,
			body: inQP("text/html", html.html(v, said))}
		all = append(all, made{d.name, d.eml(), row{d.name + ".eml", "accepted", "written", "token", "A", "", said}})
	}
	return all
}

// doubtful are mails of people that must wait for a person.
func doubtful() (all []made) {
	said := "I moved to the night shift."
	add := func(name, state, match, of, reason string, d draft) {
		d.name = "gen-doubt-" + name
		d.body = inQP("text/plain", said+"\n")
		if d.subject == "" {
			d.subject = "Re: your vanpool"
		}
		all = append(all, made{d.name, d.eml(), row{d.name + ".eml", state, "written", match, of, reason, said}})
	}
	tag := "Re: Your vanpool [GEN-A3F8B291]"
	add("tag", "held", "tag", "A", "tag_only", draft{from: asha, to: plainIn, subject: tag, auth: proven})
	add("tag-small", "held", "tag", "A", "tag_only", draft{from: "Asha@Riders.Test", to: plainIn, subject: "aw: [gen-a3f8b291] van",
		auth: proven})
	add("tag-stranger", "quarantined", "", "-", "no_match", draft{from: "zed@elsewhere.test", to: plainIn, subject: tag})
	add("tag-other-case", "quarantined", "", "-", "no_match", draft{from: asha, to: plainIn, subject: "Re: [GEN-B7C2D4E5]", auth: proven})
	add("tag-two", "held", "tag", "A", "tag_only", draft{from: asha, to: plainIn, subject: "Re: [GEN-B7C2D4E5] [GEN-A3F8B291]",
		auth: proven})
	add("tag-nothing", "quarantined", "", "-", "no_match", draft{from: asha, to: plainIn, subject: "Re: [URGENT-1] [GEN-00000000]",
		auth: proven})
	add("nothing", "quarantined", "", "-", "no_match", draft{from: asha, to: plainIn, auth: proven})
	add("unknown-id", "quarantined", "", "-", "no_match", draft{from: asha, to: plainIn, auth: proven,
		fields: []string{"In-Reply-To: <MSG-AAAA0001.ffffffffffffffffffffffff@mail.gavel.test>"}})
	add("two-ids", "quarantined", "", "-", "ambiguous", draft{from: asha, to: plainIn, auth: proven,
		fields: []string{"In-Reply-To: <" + sentA + "> <" + sentB + ">"}})
	add("two-tokens", "quarantined", "", "-", "ambiguous", draft{from: asha, to: replyA + ", " + replyB, auth: proven})
	add("two-organisations", "quarantined", "", "-", "ambiguous", draft{from: asha, to: replyA + ", " + replyC, auth: proven})
	add("references-two", "accepted", "id", "A", "", draft{from: asha, to: plainIn, auth: proven,
		fields: []string{"References: <" + sentB + "> <" + sentA + ">"}})
	add("forged-token", "quarantined", "", "-", "wrong_token", draft{from: asha, to: forgedA, auth: proven})
	add("forged-token-id", "held", "id", "A", "wrong_token", draft{from: asha, to: forgedA, auth: proven,
		fields: []string{"In-Reply-To: <" + sentA + ">"}})
	add("forged-token-tag", "held", "tag", "A", "tag_only", draft{from: asha, to: forgedA, subject: tag, auth: proven})
	add("swapped-token", "quarantined", "", "-", "wrong_token", draft{from: asha, to: "case+GEN-B7C2D4E5.5bqiaqlngg@in.gavel.test",
		auth: proven})
	add("short-token", "quarantined", "", "-", "no_match", draft{from: asha, to: "case+GEN-A3F8B291.5bqi@in.gavel.test", auth: proven})
	add("other-domain", "quarantined", "", "-", "no_match", draft{from: asha, to: "case+GEN-A3F8B291.5bqiaqlngg@in.elsewhere.test",
		auth: proven})
	add("capitals", "accepted", "token", "A", "", draft{from: "ASHA@RIDERS.TEST", to: "CASE+GEN-A3F8B291.5BQIAQLNGG@IN.GAVEL.TEST",
		auth: proven})
	add("cc", "accepted", "token", "A", "", draft{from: asha, to: "boss@riders.test", auth: proven,
		fields: []string{"Cc: =?utf-8?q?Fall?= <" + replyA + ">"}})
	add("delivered-to", "held", "token", "A", "unproven", draft{from: asha, to: "undisclosed-recipients:;", auth: proven,
		fields: []string{"Delivered-To: " + replyA}})
	add("second-to", "held", "token", "A", "unproven", draft{from: asha, to: "boss@riders.test", auth: proven,
		fields: []string{"To: " + replyA}})
	add("kelvin", "held", "token", "A", "stranger", draft{from: "\u212aabir@riders.test", to: replyA, auth: proven})
	add("stranger", "held", "token", "A", "stranger", draft{from: "zed@elsewhere.test", to: replyA,
		auth: "mx.gavel.test; dmarc=pass header.from=elsewhere.test"})
	add("other-person", "held", "token", "A", "stranger", draft{from: "bela@riders.test", to: replyA, auth: proven})
	add("lookalike", "held", "token", "A", "stranger", draft{from: "asha@riders.test.elsewhere.test", to: replyA, auth: proven})
	add("other-organisation", "held", "token", "C", "stranger", draft{from: asha, to: replyC, auth: proven})
	add("south", "accepted", "token", "C", "", draft{from: "chandra@south.test", to: replyC,
		auth: "mx.gavel.test; dmarc=pass header.from=south.test"})
	add("south-id", "accepted", "id", "C", "", draft{from: "chandra@south.test", to: plainIn,
		auth: "mx.gavel.test; dkim=pass header.i=@south.test", fields: []string{"In-Reply-To: <" + sentC + ">"}})
	add("closed", "held", "token", "D", "closed_case", draft{from: "dev@riders.test", to: replyD, auth: proven})
	add("unproven", "held", "token", "A", "unproven", draft{from: asha, to: replyA})
	add("dmarc-fail", "held", "token", "A", "unproven", draft{from: asha, to: replyA,
		auth: "mx.gavel.test; dkim=pass header.d=riders.test; dmarc=fail header.from=riders.test"})
	add("dkim-only", "accepted", "token", "A", "", draft{from: asha, to: replyA,
		auth: "mx.gavel.test 1; dkim=pass (2048 bits) header.d=riders.test header.s=s1; spf=softfail"})
	add("dkim-other", "held", "token", "A", "unproven", draft{from: asha, to: replyA,
		auth: "mx.gavel.test; dkim=pass header.d=bulk.elsewhere.test; dmarc=none header.from=riders.test"})
	add("spf-only", "held", "token", "A", "unproven", draft{from: asha, to: replyA,
		auth: "mx.gavel.test; spf=pass smtp.mailfrom=riders.test"})
	add("forged-results", "held", "token", "A", "unproven", draft{from: asha, to: replyA,
		auth: "mx.elsewhere.test; dmarc=pass header.from=riders.test"})
	add("results-below", "held", "token", "A", "unproven", draft{from: asha, to: replyA,
		auth: "mx.gavel.test; dmarc=fail header.from=riders.test", fields: []string{"Authentication-Results: " + proven}})
	add("results-in-comment", "held", "token", "A", "unproven", draft{from: asha, to: replyA,
		auth: "mx.gavel.test; spf=none (dmarc=pass header.from=riders.test)"})
	return all
}

// machines are mails that no person wrote, by one mark each.
func machines() (all []made) {
	add := func(name, kind, field string) {
		d := draft{name: "gen-machine-" + name, from: asha, to: replyA, subject: "Re: your vanpool", auth: proven,
			body: inQP("text/plain", "I am away until Monday.\n")}
		if field != "" {
			d.fields = []string{field}
		}
		eml := d.eml()
		match := "token"
		all = append(all, made{d.name, eml, row{d.name + ".eml", "dropped", kind, match, "A", kind, "I am away until Monday."}})
	}
	add("auto-replied", "auto_reply", "Auto-Submitted: auto-replied")
	add("auto-generated", "auto_reply", "Auto-Submitted: auto-generated (rejected)")
	add("auto-notified", "auto_reply", "auto-submitted: Auto-Notified; owner-email=\"a@riders.test\"")
	add("precedence", "auto_reply", "Precedence: auto_reply")
	add("suppress", "auto_reply", "X-Auto-Response-Suppress: All")
	add("autoreply", "auto_reply", "X-Autoreply: yes")
	add("autorespond", "auto_reply", "X-Autorespond: away")
	add("vacation", "auto_reply", "X-Vacation: true")
	add("bulk", "list", "Precedence: bulk")
	add("junk", "list", "Precedence: junk")
	add("list", "list", "List-Id: Van owners <vans.riders.test>")
	add("unsubscribe", "list", "List-Unsubscribe: <mailto:leave@riders.test>")
	add("post", "list", "List-Post: <mailto:vans@riders.test>")
	add("x-loop", "loop", "X-Loop: "+replyA)
	return append(all, kept("no", "Auto-Submitted: no"), kept("feedback", "Feedback-ID: 1:2:3:mailer"),
		kept("normal", "Precedence: first-class"))
}

// kept is a person's mail with a mark that programs use otherwise.
func kept(name, field string) made {
	d := draft{name: "gen-machine-not-" + name, from: asha, to: replyA, subject: "Re: your vanpool", auth: proven, fields: []string{field},
		body: inQP("text/plain", "I am here.\n")}
	return made{d.name, d.eml(), row{d.name + ".eml", "accepted", "written", "token", "A", "", "I am here."}}
}

// TestTheGeneratedCorpusIsAsItIsGenerated promises that the files are what the
// generator makes; with -update it writes them.
func TestTheGeneratedCorpusIsAsItIsGenerated(t *testing.T) {
	dir := filepath.Join("testdata", "corpus")
	var table strings.Builder
	for _, m := range generate() {
		table.WriteString(m.want.String() + "\n")
		same(t, filepath.Join(dir, m.name+".eml"), m.eml)
	}
	same(t, filepath.Join(dir, "generated.tsv"), table.String())
}

func same(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the generator makes (%v); run with -update and read the diff", name, err)
	}
}

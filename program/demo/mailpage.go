package demo

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	netmail "net/mail"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages pages
var files embed.FS

// messages are the words of the mailbox, by language.
func messages() fs.FS {
	sub, err := fs.Sub(files, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

var pages = template.Must(template.ParseFS(files, "pages/*.html"))

// A view is what a page of the mailbox shows.
type view struct {
	Lang  web.Lang
	Path  string // of this page, without its language
	Mails []row
	Mail  *mail
	When  string
	Parts []part
	Given []row
	Typed string
	Fault string
	said  *web.Catalogue
}

// A row is a mail, or an answer, in a list.
type row struct{ ID, Who, Subject, When, Text string }

// A part of a letter's text is words, or a link that can be followed.
type part struct{ Text, Href string }

// T is a text in the page's language.
func (v view) T(key string, pairs ...string) string {
	return v.said.Text(v.Lang, "mailbox."+key, pairs...)
}

// Href is an address that keeps the language.
func (v view) Href(path string) string { return path + "?lang=" + string(v.Lang) }

// Other is the language that this page is not in.
func (v view) Other() web.Lang {
	if v.Lang == web.Hindi {
		return web.English
	}
	return web.Hindi
}

// langOf chooses the language: the address, then the browser.
func langOf(r *http.Request) web.Lang {
	if l, ok := web.ParseLang(r.URL.Query().Get("lang")); ok {
		return l
	}
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "hi") {
		return web.Hindi
	}
	return web.English
}

func (b *mailbox) show(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	v.Lang, v.said, v.Path = langOf(r), b.said, strings.TrimSuffix(r.URL.Path, "/reply")
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, page+".html", v); err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // nobody is left to be told
}

func style(w http.ResponseWriter, _ *http.Request) {
	text, err := files.ReadFile("pages/style.css")
	if err != nil {
		http.Error(w, "no style", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(text)
}

// list is all mail that left, the newest first.
func (b *mailbox) list(w http.ResponseWriter, r *http.Request) error {
	var found struct{ Messages []mail }
	if err := b.ask(r.Context(), fmt.Sprintf("/api/v1/messages?limit=%d", mostMails), &found); err != nil {
		return err
	}
	var v view
	for _, m := range found.Messages {
		one := row{ID: m.ID, Who: m.first().Who(), Subject: m.Subject, When: b.moment(r, b.clock.At(m.Created))}
		if n := len(b.noted(m.ID)); n > 0 {
			one.Text = fmt.Sprint(n)
		}
		v.Mails = append(v.Mails, one)
	}
	b.show(w, r, http.StatusOK, "list", v)
	return nil
}

// read is one mail, with a form to answer it in the place of whom it went to.
func (b *mailbox) read(w http.ResponseWriter, r *http.Request) error {
	return b.showMail(w, r, http.StatusOK, "", "")
}

func (b *mailbox) showMail(w http.ResponseWriter, r *http.Request, status int, typed, wrong string) error {
	m, err := b.mail(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	v := view{Mail: &m, When: b.moment(r, m.Date), Parts: b.linked(strings.TrimSpace(m.Text)), Typed: typed, Fault: wrong}
	for _, a := range b.noted(m.ID) {
		v.Given = append(v.Given, row{Who: m.first().Who(), When: b.moment(r, a.At), Text: a.Text})
	}
	b.show(w, r, status, "mail", v)
	return nil
}

var linkForm = regexp.MustCompile(`https?://[^\s<>"]+`)

// linked is a text whose links to the product can be followed; others stay words.
func (b *mailbox) linked(text string) (all []part) {
	at := 0
	for _, found := range linkForm.FindAllStringIndex(text, -1) {
		href := strings.TrimRight(text[found[0]:found[1]], ".,;:)")
		if !strings.HasPrefix(href, b.public+"/") {
			continue
		}
		all = append(all, part{Text: text[at:found[0]]}, part{Text: href, Href: href})
		at = found[0] + len(href)
	}
	return append(all, part{Text: text[at:]})
}

// maxAnswer bounds what is answered, in characters.
const maxAnswer = 5000

// reply answers a mail in the place of whom it went to.
func (b *mailbox) reply(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := web.ParseForm(r); err != nil {
		return err
	}
	text := strings.TrimSpace(r.PostForm.Get("text"))
	if text == "" || utf8.RuneCountInString(text) > maxAnswer || !utf8.ValidString(text) {
		return b.showMail(w, r, http.StatusUnprocessableEntity, text, "empty")
	}
	m, err := b.mail(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if !m.Answerable() {
		return fault.New(fault.Conflict, "nobody takes an answer to this mail")
	}
	now := b.clock.Now()
	if err := b.deliver(r.Context(), m.answered(text, now)); err != nil {
		return err
	}
	b.note(m.ID, answer{Text: text, At: now})
	http.Redirect(w, r, "/mail/"+m.ID+"?lang="+string(langOf(r))+"#answers", http.StatusSeeOther)
	return nil
}

// answered is the reply as it comes from the mail server of whoever wrote it, which stands
// behind its sender.
func (m mail) answered(text string, at time.Time) []byte {
	from := m.first()
	_, domain, _ := strings.Cut(from.Address, "@")
	var raw bytes.Buffer
	for _, line := range []struct{ name, value string }{
		{"Authentication-Results", authServer + "; dmarc=pass header.from=" + domain},
		{"From", (&netmail.Address{Name: from.Name, Address: from.Address}).String()},
		{"To", (&netmail.Address{Address: m.ReplyTo[0].Address}).String()},
		{"Subject", mime.QEncoding.Encode("utf-8", "Re: "+m.Subject)},
		{"Date", at.Format(time.RFC1123Z)},
		{"Message-ID", "<" + strings.ToLower(rand.Text()) + "@" + domain + ">"},
		{"In-Reply-To", "<" + m.MessageID + ">"},
		{"References", "<" + m.MessageID + ">"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "base64"},
	} {
		fmt.Fprintf(&raw, "%s: %s\r\n", line.name, strings.NewReplacer("\r", "", "\n", "").Replace(line.value))
	}
	raw.WriteString("\r\n")
	for body := base64.StdEncoding.EncodeToString([]byte(text)); body != ""; {
		n := min(len(body), 76)
		raw.WriteString(body[:n] + "\r\n")
		body = body[n:]
	}
	return raw.Bytes()
}

// moment is a time as the pages of the product print it, with its day, year and zone.
func (b *mailbox) moment(r *http.Request, t time.Time) string {
	t = t.In(b.zone)
	month := b.said.Text(langOf(r), fmt.Sprintf("month.%02d", int(t.Month())))
	return fmt.Sprintf("%d %s %d %s %s", t.Day(), month, t.Year(), t.Format("15:04"), web.ZoneLabel(t))
}

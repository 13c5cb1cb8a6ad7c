package demo

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// A post is the mail server and the product, as the mailbox meets them: one mail that left,
// in the shape of the mail server's API, and the door that mail comes in by.
type post struct {
	*mailbox
	key   webhook.Secret
	taken [][]byte
}

func newPost(t *testing.T) *post {
	t.Helper()
	p := &post{key: webhook.NewSecret()}
	who := []map[string]string{{"Name": "Ekta Demo", "Address": "ekta@riders.example.org"}}
	one := map[string]any{"ID": "m1", "MessageID": "abc@mail.gavel.example", "Subject": "Your ride home [POOL-1]", "To": who,
		"From":    map[string]string{"Name": "Gavel demo", "Address": "demo@mail.gavel.example"},
		"ReplyTo": []map[string]string{{"Address": "case+POOL-1.x7@in.gavel.example"}},
		"Created": "2026-11-14T08:32:00Z", "Date": "2026-11-14T08:32:00Z"}
	mux := http.NewServeMux()
	answer := func(v any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if v, ok := v.(map[string]any); ok && v["ID"] != nil {
				v["Text"] = "Dear Ekta <b>,\nyour page: http://" + r.Host + "/answer?k=1. Not http://elsewhere.example/."
			}
			_ = json.NewEncoder(w).Encode(v)
		}
	}
	mux.HandleFunc("GET /api/v1/messages", answer(map[string]any{"messages": []any{one}}))
	mux.HandleFunc("GET /api/v1/message/m1", answer(one))
	mux.HandleFunc("POST /v1/mail/inbound", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		err := webhook.Keys{{Secret: p.key}}.Verify(r.Header, raw, time.Now())
		if err != nil || r.Header.Get("Content-Type") != "message/rfc822" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		p.taken = append(p.taken, raw)
		w.WriteHeader(http.StatusNoContent)
	})
	outside := httptest.NewServer(mux)
	t.Cleanup(outside.Close)
	var err error
	if p.mailbox, err = newMailbox(mailboxConfig{Mails: outside.URL, Public: outside.URL, Secret: p.key}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	return p
}

// get asks for a page of the mailbox.
func (p *post) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	res, err := http.Get(strings.TrimSuffix(p.address(), "/") + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestTheMailboxShowsEveryMail promises the list and each mail with what it says, in both
// languages, with a day beside every time; that all it names is there and none of it is a
// script; that words of a mail are words, and only links to the product can be followed.
func TestTheMailboxShowsEveryMail(t *testing.T) {
	p := newPost(t)
	for path, want := range map[string][]string{
		"/":         {"To Ekta Demo", "Your ride home [POOL-1]", "14 Nov 2026 14:02 IST", `href="/mail/m1?lang=en"`},
		"/?lang=hi": {"Ekta Demo को", "14 नवंबर 2026 14:02 IST", "प्रदर्शन की डाक"},
		"/mail/m1": {"Dear Ekta &lt;b&gt;", "Answer as Ekta Demo", "ekta@riders.example.org", `/answer?k=1">`,
			"Not http://elsewhere."},
		"/mail/m1?lang=hi": {"Ekta Demo की ओर से उत्तर दें", `<html lang="hi">`},
	} {
		status, body := p.get(t, path)
		for _, text := range want {
			if status != http.StatusOK || !strings.Contains(body, text) {
				t.Errorf("%s answers %d and lacks %q: %s", path, status, text, body)
			}
		}
		if strings.Contains(body, "<script") || strings.Contains(body, `href="http://elsewhere`) {
			t.Errorf("%s has a script, or a link that leads away: %s", path, body)
		}
		for _, m := range regexp.MustCompile(`(?:href|src)="(/[^"#]*)"`).FindAllStringSubmatch(body, -1) {
			if status, _ := p.get(t, strings.ReplaceAll(m[1], "&amp;", "&")); status != http.StatusOK {
				t.Errorf("%s names %s, which answers %d", path, m[1], status)
			}
		}
	}
	if status, _ := p.get(t, "/mail/m2"); status != http.StatusNotFound {
		t.Errorf("a mail there is not answers %d", status)
	}
}

func lower(all []string) (out []string) {
	for _, one := range all {
		out = append(out, strings.ToLower(one))
	}
	return out
}

// TestAnAnswerGoesInAsMail promises that what is answered on the page comes to the product as
// a signed mail of whom the letter went to, which a mail server stands behind, written by a
// person, to the address of the case; and that nothing empty and nothing from another site does.
func TestAnAnswerGoesInAsMail(t *testing.T) {
	p := newPost(t)
	at := strings.TrimSuffix(p.address(), "/") + "/mail/m1/reply"
	res, err := http.PostForm(at, url.Values{"text": {"I have moved.\r\nमेरा नया पता दर्ज है।"}})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK || !strings.Contains(string(body), "मेरा नया पता दर्ज है।") || len(p.taken) != 1 {
		t.Fatalf("it answers %d, and %d mails came in: %s", res.StatusCode, len(p.taken), body)
	}
	l := letter.Parse(p.taken[0])
	kind, why := l.Kind(letter.Own{Domain: "mail.gavel.example", Inbound: "in.gavel.example"})
	wrote := l.From == "ekta@riders.example.org" && strings.Contains(l.Text, "I have moved.")
	if kind != letter.Written || !l.Authentic(authServer) || l.Broken() || !wrote {
		t.Errorf("it is %s (%s) from %s, authentic %t: %q", kind, why, l.From, l.Authentic(authServer), l.Text)
	}
	if !slices.Equal(lower(l.To), []string{"case+pool-1.x7@in.gavel.example"}) ||
		!slices.Equal(l.InReplyTo, []string{"abc@mail.gavel.example"}) {
		t.Errorf("it goes to %v and answers %v", l.To, l.InReplyTo)
	}
	for name, change := range map[string]func(*http.Request){
		"nothing":           func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("text=+")) },
		"from another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"by another name":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		req, err := http.NewRequest(http.MethodPost, at, strings.NewReader("text=hello"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.ContentLength = -1
		change(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode < 400 || len(p.taken) != 1 {
			t.Errorf("%s answers %d, and %d mails came in", name, res.StatusCode, len(p.taken))
		}
	}
}

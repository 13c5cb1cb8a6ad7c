package inbound_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

var sentAt = time.Date(2026, 11, 9, 9, 0, 0, 0, time.UTC)

// A door is the webhook in front of a store, with its secrets and its clock.
type door struct {
	*rig
	hook inbound.Webhook
	keys webhook.Keys
	log  *bytes.Buffer
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{rig: newRig(t), keys: webhook.Keys{{Secret: webhook.NewSecret()}}, log: &bytes.Buffer{}}
	d.hook = inbound.Webhook{Keys: func() webhook.Keys { return d.keys }, Store: d.Store, Now: func() time.Time { return sentAt },
		Log: slog.New(slog.NewTextHandler(d.log, nil))}
	return d
}

// post delivers a body as a provider does, signed with some keys at a time, after
// a change to the request.
func (d *door) post(t *testing.T, keys webhook.Keys, id string, at time.Time, media string, body []byte,
	change func(*http.Request)) *http.Response {
	t.Helper()
	h, err := keys.Sign(id, at, body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/mail/inbound", bytes.NewReader(body))
	r.Header = h
	r.Header.Set("Content-Type", media)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	d.hook.ServeHTTP(w, r)
	return w.Result()
}

const rfc822 = "message/rfc822"

func svix(r *http.Request) {
	for _, name := range []string{"Id", "Timestamp", "Signature"} {
		r.Header.Set("Svix-"+name, r.Header.Get("Webhook-"+name))
		r.Header.Del("Webhook-" + name)
	}
}

func TestASignedMailIsTakenOnceInEitherForm(t *testing.T) {
	d := newDoor(t)
	for _, tt := range []struct {
		id     string
		change func(*http.Request)
		n      int
	}{{"msg_1", nil, 1}, {"msg_1", nil, 1}, {"msg_1", svix, 1}, {"msg_2", svix, 2}, {"msg_2", nil, 2}} {
		body := reply(len(tt.id)+int(tt.id[4]), "Words of "+tt.id)
		if got := d.post(t, d.keys, tt.id, sentAt, rfc822, []byte(body), tt.change); got.StatusCode != http.StatusNoContent {
			t.Errorf("%s: got %s", tt.id, got.Status)
		}
		if n := len(d.entries(t, "A")); n != tt.n {
			t.Errorf("%s: got %d entries, want %d", tt.id, n, tt.n)
		}
	}
}

func TestOnlyWhatWasSignedNowByASecretOfOursIsTaken(t *testing.T) {
	d := newDoor(t)
	stranger := webhook.Keys{{Secret: webhook.NewSecret()}}
	body := []byte(reply(1, "Words."))
	for name, tt := range map[string]struct {
		keys   webhook.Keys
		at     time.Time
		change func(*http.Request)
		want   int
	}{
		"another's secret": {stranger, sentAt, nil, http.StatusUnauthorized},
		"six minutes old":  {d.keys, sentAt.Add(-6 * time.Minute), nil, http.StatusUnauthorized},
		"of the future":    {d.keys, sentAt.Add(6 * time.Minute), nil, http.StatusUnauthorized},
		"one byte more": {d.keys, sentAt, func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(string(body) + " "))
		}, http.StatusUnauthorized},
		"another id":   {d.keys, sentAt, func(r *http.Request) { r.Header.Set("Webhook-Id", "msg_9") }, http.StatusUnauthorized},
		"no signature": {d.keys, sentAt, func(r *http.Request) { r.Header.Del("Webhook-Signature") }, http.StatusUnauthorized},
		"read":         {d.keys, sentAt, func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed},
	} {
		if got := d.post(t, tt.keys, "msg_1", tt.at, rfc822, body, tt.change); got.StatusCode != tt.want {
			t.Errorf("%s: got %s, want %d", name, got.Status, tt.want)
		}
	}
	if n := d.count(t, `select count(*) from gavel.mail_in`); n != 0 {
		t.Errorf("%d mails were taken, want none", n)
	}
	if strings.Contains(d.log.String(), "Words") || strings.Contains(d.log.String(), asha) || strings.Contains(d.log.String(),
		d.keys[0].Secret.Reveal()) {
		t.Errorf("the log says too much: %s", d.log)
	}
}

// A guarded body fails the test when somebody reads it.
type guarded struct{ t *testing.T }

func (g guarded) Read([]byte) (int, error) {
	g.t.Error("the body was read")
	return 0, io.EOF
}

func TestABodyIsReadOnlyOfWhatCouldBeSignedAndFewAtATime(t *testing.T) {
	d := newDoor(t)
	body := []byte(reply(1, "Words."))
	for name, change := range map[string]func(*http.Request){
		"no signature": func(r *http.Request) { r.Header.Del("Webhook-Signature") },
		"no version":   func(r *http.Request) { r.Header.Set("Webhook-Signature", "x") },
		"no id":        func(r *http.Request) { r.Header.Del("Webhook-Id") },
		"no time":      func(r *http.Request) { r.Header.Del("Webhook-Timestamp") },
		"long ago":     func(r *http.Request) { r.Header.Set("Webhook-Timestamp", "1") },
	} {
		got := d.post(t, d.keys, "msg_1", sentAt, rfc822, body, func(r *http.Request) { change(r); r.Body = io.NopCloser(guarded{t}) })
		if got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: got %s", name, got.Status)
		}
	}
	var leaves []func()
	for range 4 {
		leave, ok := d.Room()
		if !ok {
			t.Fatal("there is no room for four")
		}
		leaves = append(leaves, leave)
	}
	full := d.post(t, d.keys, "msg_1", sentAt, rfc822, body, func(r *http.Request) { r.Body = io.NopCloser(guarded{t}) })
	if full.StatusCode != http.StatusServiceUnavailable || full.Header.Get("Retry-After") == "" {
		t.Errorf("a fifth: got %s, again after %q", full.Status, full.Header.Get("Retry-After"))
	}
	leaves[0]()
	for range 3 { // one place is enough, if each leaves it
		if got := d.post(t, d.keys, "msg_1", sentAt, rfc822, body, nil); got.StatusCode != http.StatusNoContent {
			t.Errorf("with room: got %s", got.Status)
		}
	}
}

func TestASecretIsChangedWithoutAGap(t *testing.T) {
	d := newDoor(t)
	old, next := d.keys, webhook.Keys{{Secret: webhook.NewSecret()}}
	try := func(n, want int, keys webhook.Keys) {
		t.Helper()
		if got := d.post(t, keys, fmt.Sprintf("msg_%d", n), sentAt, rfc822, []byte(reply(n, fmt.Sprint("Words ", n))),
			nil); got.StatusCode != want {
			t.Errorf("mail %d: got %s, want %d", n, got.Status, want)
		}
	}
	try(1, http.StatusNoContent, old)
	d.keys = webhook.Keys{next[0], old[0]} // the setting now has both
	try(2, http.StatusNoContent, old)
	try(3, http.StatusNoContent, next)
	try(4, http.StatusNoContent, webhook.Keys{old[0], next[0]}) // a provider that signs with both
	d.keys = next
	try(5, http.StatusUnauthorized, old)
	try(6, http.StatusNoContent, next)
}

func TestSecretsAreReadFromTheirSetting(t *testing.T) {
	one, two := webhook.NewSecret(), webhook.NewSecret()
	keys, err := inbound.Secrets(one.Reveal() + ", " + two.Reveal())
	if err != nil || len(keys) != 2 || keys[0].Secret.Reveal() != one.Reveal() {
		t.Errorf("got %d secrets, %v", len(keys), err)
	}
	if _, err := inbound.Secrets("whsec_short"); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("got %v, want it refused without being quoted", err)
	}
}

// A provider is a server that answers as Resend's receiving API is documented to;
// the answers are written by hand.
func provider(t *testing.T, mails map[string]string) (*httptest.Server, *int) {
	t.Helper()
	shape, err := os.ReadFile("testdata/resend/received.json")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("GET /emails/receiving/{id}", func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "Bearer re_test" || mails[r.PathValue("id")] == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// a test's own server
		_, _ = w.Write(bytes.ReplaceAll(shape, []byte("DOWNLOAD"), []byte(server.URL+"/raw/"+r.PathValue("id")+"?signature=x")))
	})
	mux.HandleFunc("GET /raw/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the key went to where the mail lies")
		}
		_, _ = w.Write([]byte(mails[r.PathValue("id")]))
	})
	return server, &asked
}

func received(id string) []byte {
	// plain values
	body, _ := json.Marshal(map[string]any{"type": "email.received", "created_at": "2026-11-09T09:00:00Z",
		"data": map[string]any{"email_id": id, "subject": "Re: your vanpool"}})
	return body
}

func TestAnEventBringsTheMailThatItNames(t *testing.T) {
	d := newDoor(t)
	server, asked := provider(t, map[string]string{"4ef9a417": reply(1, "Fetched.")})
	d.hook.Fetcher = inbound.Resend{URL: server.URL, Key: "re_test"}
	for range 2 {
		if got := d.post(t, d.keys, "msg_1", sentAt, "application/json", received("4ef9a417"),
			svix); got.StatusCode != http.StatusNoContent {
			t.Errorf("got %s", got.Status)
		}
	}
	if e := d.entries(t, "A"); len(e) != 1 || e[0].Text != "Fetched." || *asked != 1 {
		t.Errorf("got %+v after asking %d times; want one entry, fetched once", e, *asked)
	}
	if got := d.post(t, d.keys, "msg_2", sentAt, "application/json", received("gone"),
		nil); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a mail that cannot be fetched: got %s, want to be asked again", got.Status)
	}
	if got := d.post(t, d.keys, "msg_3", sentAt, "application/json", []byte(`{"type":"email.bounced","data":{}}`),
		nil); got.StatusCode != http.StatusNoContent {
		t.Errorf("another event: got %s", got.Status)
	}
	for _, body := range []string{`{`, `{"type":"email.received","data":{"email_id":"../keys"}}`, `{"type":"email.received"}`} {
		if got := d.post(t, d.keys, "msg_4", sentAt, "application/json", []byte(body), nil); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %s", body, got.Status)
		}
	}
}

func TestAFetcherFollowsNoAddressThatIsNotTheProviders(t *testing.T) {
	for _, address := range []string{"http://10.0.0.1/x", "https://169.254.169.254/latest", "file:///etc/passwd", "http://elsewhere.test/x",
		"", "https://user@elsewhere.test/", "gopher://x/"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"raw": map[string]string{"download_url": address}}) // a test's own server
		}))
		if _, _, err := (inbound.Resend{URL: server.URL, Key: "k"}).Fetch(t.Context(), "1"); err == nil || address != "" &&
			strings.Contains(err.Error(), address) {
			t.Errorf("%q: got %v, want it refused", address, err)
		}
		server.Close()
	}
}

func TestAMailThatIsTooLargeIsRefusedWholeAndFetchedInPart(t *testing.T) {
	d := newDoor(t)
	huge := reply(1, "Words.") + strings.Repeat("x", letter.MaxRaw)
	if got := d.post(t, d.keys, "msg_1", sentAt, rfc822, []byte(huge), nil); got.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %s", got.Status)
	}
	server, _ := provider(t, map[string]string{"huge": huge})
	d.hook.Fetcher = inbound.Resend{URL: server.URL, Key: "re_test"}
	if got := d.post(t, d.keys, "msg_2", sentAt, "application/json", received("huge"), nil); got.StatusCode != http.StatusNoContent {
		t.Errorf("got %s", got.Status)
	}
	list, err := d.List(t.Context(), officer(north), inbound.Query{})
	if err != nil || len(list) != 1 || list[0].Reason != inbound.ReasonMalformed || list[0].RawSize != letter.MaxRaw {
		t.Errorf("got %+v, %v; want its beginning to wait for a person", list, err)
	}
}

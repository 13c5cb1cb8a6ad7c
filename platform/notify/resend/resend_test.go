package resend_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/resend"
)

const key = "re_a_secret"

var letter = notify.Message{
	Key: "mail_01KA0000000000000000000000", MessageID: "MSG-1A2B3C4D.ff0000000000000000000000@mail.example",
	From: "Transport cell <cell@mail.example>", To: notify.Address{Name: "आशा राव", Mailbox: "asha@rider.example"},
	ReplyTo: "case+CASE-A3F8B291.ax5uj7gm7c@in.example", InReplyTo: "second@mail.example", References: []string{"first@mail.example",
		"second@mail.example"}, Language: "hi",
	Date: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC), Subject: "आपकी पाली [CASE-A3F8B291]", Text: "नमस्ते आशा",
	HTML: "<p>नमस्ते आशा</p>",
}

// service answers every request with a file of testdata.
func service(t *testing.T, file string, seen *[]*http.Request, bodies *[]string) *resend.Sink {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*seen, *bodies = append(*seen, r), append(*bodies, string(body))
		answer, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			t.Error(err)
		}
		status, _ := strconv.Atoi(file[:3])
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	s, err := resend.New(resend.Config{URL: server.URL, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARequestSaysWhatTheMailSays(t *testing.T) {
	var seen []*http.Request
	var bodies []string
	s := service(t, "200", &seen, &bodies)
	for range 2 {
		if err := s.Send(t.Context(), letter); err != nil {
			t.Fatal(err)
		}
	}
	r := seen[0]
	if r.Method != http.MethodPost || r.URL.Path != "/emails" || r.Header.Get("Authorization") != "Bearer "+key ||
		r.Header.Get("Idempotency-Key") != letter.Key {
		t.Errorf("got %s %s %v", r.Method, r.URL, r.Header)
	}
	if bodies[0] != bodies[1] {
		t.Error("the same mail has other bytes the second time, and its key would be refused")
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(bodies[0]), &got); err != nil {
		t.Fatal(err)
	}
	headers, _ := got["headers"].(map[string]any)
	if got["subject"] != letter.Subject || got["text"] != letter.Text || got["html"] != letter.HTML || got["reply_to"] != letter.ReplyTo ||
		headers["Message-ID"] != "<"+letter.MessageID+">" || headers["Auto-Submitted"] != "auto-generated" ||
		headers["References"] != "<first@mail.example> <second@mail.example>" {
		t.Errorf("got %s", bodies[0])
	}
	if _, ok := any(s).(notify.Repeater); !ok || s.RepeatsFor() != 24*time.Hour {
		t.Error("the service is not known to tell repeats for a day")
	}
}

func TestEveryAnswerSaysWhetherTheServiceHasTheMail(t *testing.T) {
	for file, want := range map[string]notify.Fate{
		"401": notify.Later, "403": notify.Later, "429": notify.Later, "422": notify.Never, "404": notify.Later, "405": notify.Later,
		"409_concurrent": notify.Unsure, "409_other": notify.Unsure, "500": notify.Unsure,
	} {
		var seen []*http.Request
		var bodies []string
		err := service(t, file, &seen, &bodies).Send(t.Context(), letter)
		f, ok := errors.AsType[*notify.Failure](err)
		if !ok || f.Fate != want || !strings.Contains(f.Words, file[:3]) {
			t.Errorf("%s: got %+v, want fate %d", file, f, want)
		}
		if strings.Contains(err.Error(), "asha") || strings.Contains(err.Error(), key) {
			t.Errorf("%s: what goes into logs names somebody or the key: %v", file, err)
		}
	}
}

func TestALostAnswerIsNotKnowingAndAClosedDoorIsNothing(t *testing.T) {
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer cut.Close()
	hangs, asked := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-hangs }))
	defer slow.Close()
	defer close(hangs)
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	for name, tt := range map[string]struct {
		url  string
		want notify.Fate
	}{"cut": {cut.URL, notify.Unsure}, "slow": {slow.URL, notify.Unsure}, "away": {away.URL, notify.Later}} {
		s, err := resend.New(resend.Config{URL: tt.url, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), wait.Patience())
		if name == "slow" {
			go func() { <-asked; stop() }() // patience ends when the mail is there, and not before
		}
		err = s.Send(ctx, letter)
		stop()
		if f, ok := errors.AsType[*notify.Failure](err); !ok || f.Fate != tt.want {
			t.Errorf("%s: got %v, want fate %d", name, err, tt.want)
		}
	}
}

func TestAKeyGoesNowhereElse(t *testing.T) {
	var seen []*http.Request
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r) }))
	defer elsewhere.Close()
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	s, err := resend.New(resend.Config{URL: moved.URL, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), letter); err == nil || len(seen) != 0 {
		t.Errorf("it followed to another server: %v", err)
	}
	for _, bad := range []resend.Config{{URL: "http://api.example", Key: key}, {URL: "https://", Key: key}, {Key: ""}, {Key: "a b"}} {
		if _, err := resend.New(bad); err == nil {
			t.Errorf("%+v: want it refused", bad.URL)
		}
	}
}

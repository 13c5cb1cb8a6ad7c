package program

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestAServerTakesMailInByBothWaysAndOnlySigned promises that a server with a
// mailbox and a webhook takes in what comes by either, that a mail which came by
// both is one, and that the webhook is closed to who does not sign.
func TestAServerTakesMailInByBothWaysAndOnlySigned(t *testing.T) {
	db := postgrestest.New(t, builtIn().migrations()...)
	secret := webhook.NewSecret()
	env := append(settingsFor(t, db), "GAVEL_MAIL_INBOUND_DOMAIN=in.gavel.test", "GAVEL_MAIL_KEYS=k1:"+testKey, "GAVEL_MAIL_ORG=north",
		"GAVEL_MAIL_WEBHOOK_SECRETS="+secret.Reveal())
	box, set := newInbox(t)
	env = append(env, set...)
	password := strings.TrimPrefix(set[2], "GAVEL_IMAP_PASSWORD=")
	serve := start(t, env, "serve")
	base := "http://" + serve.said(t, "listening")["address"].(string)

	mark := rand.Text()
	raw := func(n int) []byte {
		return fmt.Appendf(nil, "From: zed@elsewhere.test\r\nMessage-ID: <%d-%s@elsewhere.test>\r\nTo: "+
			"replies@in.gavel.test\r\nSubject: Hello\r\n\r\nWhose is this?\r\n", n, mark)
	}
	post := func(id string, body []byte, keys webhook.Keys) int {
		t.Helper()
		h, err := keys.Sign(id, time.Now(), body)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+mailDoorPath, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = h
		req.Header.Set("Content-Type", "message/rfc822")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	ours, theirs := webhook.Keys{{Secret: secret}}, webhook.Keys{{Secret: webhook.NewSecret()}}
	if got := post("msg_1", raw(1), theirs); got != http.StatusUnauthorized {
		t.Errorf("signed by somebody else: got %d", got)
	}
	for _, id := range []string{"msg_1", "msg_1", "msg_2"} {
		if got := post(id, raw(1), ours); got != http.StatusNoContent {
			t.Errorf("%s: got %d\n%s", id, got, serve.log)
		}
	}
	for _, n := range []int{1, 2} { // the first is there already
		cmd := box.Append("INBOX", int64(len(raw(n))), nil)
		_, err := cmd.Write(raw(n))
		if err == nil {
			err = cmd.Close()
		}
		if err == nil {
			_, err = cmd.Wait()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	kept := func() int {
		rows, _ := db.System.Query(t.Context(), `select count(*) from gavel.mail_in where message_id like '%' || $1 || '%'
			and state = 'quarantined' and org = 'north'`, mark)
		n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	wait.Until(t, "both mails are kept", func() bool { return kept() >= 2 })
	if code := serve.ends(t, errInterrupted); code != exitInterrupted || kept() != 2 {
		t.Errorf("it ended with %d and %d mails, want 2\n%s", code, kept(), serve.log)
	}
	if log := serve.log.String(); strings.Contains(log, "elsewhere.test") || strings.Contains(log, secret.Reveal()) ||
		strings.Contains(log, password) {
		t.Errorf("the log names somebody, or a secret:\n%s", log)
	}
}

package hook

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/seal"
)

// Letters are how owners are told by mail. Post may be nil: then nobody is.
type Letters struct {
	Post *notify.Post
	// People finds somebody by "person:<id>", in the caller's transaction.
	People func(ctx context.Context, tx pgx.Tx, to string) ([]notify.Reader, error)
	Public string // base address of the pages
	Log    *slog.Logger
}

// letterKind is what people may have wishes about.
const letterKind = "webhook_failed"

// letters are the words of such a mail, by language: no title and no address, for a
// mailbox is not behind our walls.
var letters = map[string]struct{ subject, text string }{
	"en": {"A webhook was turned off",
		"A webhook that you registered took no message since {since} and was turned off.\nOpen it: {page}\n\n" +
			"The link opens a page that asks you to sign in. Opening it changes nothing.\n"},
	"hi": {"एक वेबहुक बंद किया गया",
		"आपके दर्ज किए एक वेबहुक ने {since} से कोई संदेश नहीं लिया और वह बंद किया गया।\nइसे खोलें: {page}\n\n" +
			"यह लिंक एक पृष्ठ खोलता है जो आपसे साइन इन करने को कहता है। उसे खोलने से कुछ नहीं बदलता।\n"},
}

// Tell is for Config.Tell. A mail that cannot be written is logged and stops nothing:
// the webhook is off, and its page and the home of administrators say so.
func (l Letters) Tell() func(ctx context.Context, tx pgx.Tx, n Notice) error {
	if l.Post == nil {
		return nil
	}
	return func(ctx context.Context, tx pgx.Tx, n Notice) error {
		err := pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error { return l.write(ctx, inner, n) })
		if err != nil && ctx.Err() == nil {
			l.Log.ErrorContext(ctx, "the owner of a webhook that was turned off cannot be told by mail", slog.String("webhook", n.Webhook),
				slog.Any("error", err))
			err = nil
		}
		return err
	}
}

func (l Letters) write(ctx context.Context, tx pgx.Tx, n Notice) error {
	readers, err := l.People(ctx, tx, "person:"+n.Owner)
	if err != nil || len(readers) != 1 || !notify.ValidMailbox(readers[0].Address) {
		return err // who has no address is told on pages alone
	}
	var language string
	if err := tx.QueryRow(ctx, `select languages[1] from gavel_sys.organisation where org = $1`, n.Org).Scan(&language); err != nil {
		return fmt.Errorf("read the organisation: %w", err)
	}
	words, known := letters[language]
	if !known {
		language, words = "en", letters["en"]
	}
	text := strings.NewReplacer("{since}", n.Since.UTC().Format("2006-01-02 15:04 UTC"), "{page}", l.Public+"/admin/webhooks/"+n.Webhook).
		Replace(words.text)
	to := readers[0]
	_, err = l.Post.Queue(ctx, tx, identity.Gavel(n.Org), notify.Letter{
		Key: "webhook/" + n.Webhook + "/" + strconv.FormatInt(n.Since.Unix(), 10), Kind: letterKind, To: seal.Subject{Type: casefile.Staff,
			ID: to.ID},
		Address: to.Address, Name: to.Name, Language: language, Subject: words.subject, Text: text, Because: n.Webhook})
	return err
}

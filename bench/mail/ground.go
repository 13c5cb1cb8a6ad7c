package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

const org identity.Org = "north"

var officer = identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Bench Officer", Org: org,
	Roles: []identity.Role{identity.Officer}}

// A ground is a whole installation of its own, to be broken.
type ground struct {
	stack *devstack.Stack
	place place
	db    *postgres.DB
	sys   *postgres.System
	cases *casefile.Store
	post  *notify.Post
	toxic *toxic
	inbox *mailpit
	hits  map[string]int
	n     int
}

func newGround(ctx context.Context) (*ground, error) {
	g := &ground{hits: map[string]int{}}
	if err := g.build(ctx); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *ground) build(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "gavel-mail-")
	if err != nil {
		return err
	}
	_, err = devstack.Up(ctx, devstack.Options{Dir: dir, Parts: []devstack.Part{devstack.Postgres, devstack.Mail, devstack.Toxiproxy},
		Log: os.Stderr})
	stack, openErr := devstack.Open(dir) // also when Up was interrupted, so that what it started is removed
	if openErr != nil {
		return errors.Join(err, openErr, os.RemoveAll(dir))
	}
	if g.stack = stack; err != nil {
		return err
	}
	s, through := stack.Settings(), stack.Addresses(devstack.Toxiproxy)
	g.inbox = &mailpit{base: "http://" + stack.Addresses(devstack.Mail)["http"]}
	g.toxic = &toxic{base: "http://" + through["api"], listen: through["mail"], upstream: s["GAVEL_SMTP_ADDRESS"]}
	g.place = place{App: s["GAVEL_DATABASE_URL"], System: s["GAVEL_DATABASE_SYSTEM_URL"], Masters: seal.NewMaster("bench"),
		SMTP: through["mail"], Inbox: g.inbox.base}
	if _, err := postgres.Migrate(ctx, s["GAVEL_DATABASE_OWNER_URL"], platform.Migrations()...); err != nil {
		return err
	}
	if g.sys, err = postgres.OpenSystem(ctx, g.place.System); err != nil {
		return err
	}
	if err := g.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"}); err != nil {
		return err
	}
	if g.db, g.post, err = g.place.open(ctx); err != nil {
		return err
	}
	g.cases = casefile.NewStore(casefile.Config{DB: g.db, Rules: policy.Standard()})
	return g.toxic.create(ctx)
}

// A place is where a sender works, as its process is told.
type place struct {
	App, System, Masters, SMTP, Inbox string
	Asks                              bool
}

// open is the record, and the post over it.
func (p place) open(ctx context.Context) (*postgres.DB, *notify.Post, error) {
	db, err := postgres.Open(ctx, p.App)
	if err != nil {
		return nil, nil, err
	}
	masters, err := seal.ParseMasters(p.Masters)
	if err != nil {
		return nil, nil, err
	}
	vault, err := seal.New(seal.Config{DB: db, Masters: masters, Now: time.Now})
	if err != nil {
		return nil, nil, err
	}
	post, err := notify.New(notify.Config{DB: db, Clock: durable.Clock{}, Vault: vault, From: "Transport cell <cell@mail.example>",
		Book: address.Book{Domain: "mail.example", Inbound: "in.example", Keys: [][]byte{bytes.Repeat([]byte{7}, 32)}}})
	return db, post, err
}

// perCase is how many letters a case has.
const perCase = 10

// A letter is one that was queued.
type letter struct {
	id, messageID string
	file          casefile.CaseID
}

// The letters of a case come together, and the cases one after another: spread
// over at least this long, so that most kinds of trouble meet some.
const (
	spreadOver = 20 * time.Second
	leastPause = 200 * time.Millisecond
)

// queue writes letters down, ten to a case.
func (g *ground) queue(ctx context.Context, n int) (all []letter, err error) {
	var file casefile.Case
	pause := max(leastPause, spreadOver*perCase/time.Duration(n))
	for i := range n {
		g.n++
		if i%perCase == 0 {
			time.Sleep(pause)
			o := casefile.Opening{App: "general", Key: "van-" + strconv.Itoa(g.n), Title: "A van of the bench"}
			if file, _, err = g.cases.Open(ctx, officer, o); err != nil {
				return nil, err
			}
		}
		rider := seal.Subject{Type: "rider", ID: "R-" + strconv.Itoa(g.n)}
		err = g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
			m, err := g.post.Queue(ctx, tx, officer, notify.Letter{Key: "letter-" + strconv.Itoa(g.n), Case: file.ID,
				Kind: "shift_mismatch", To: rider,
				Address: fmt.Sprintf("rider%d@rider.example", g.n), Name: "राइडर " + rider.ID, Language: "hi",
				Subject: "आपकी पाली के बारे में", Because: "P-1", Text: "नमस्ते,\nकृपया अपनी पाली की पुष्टि करें।\n",
				HTML: "<p>नमस्ते, कृपया अपनी पाली की पुष्टि करें।</p>"})
			all = append(all, letter{id: m.ID, messageID: m.MessageID, file: file.ID})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// close stops everything and removes it.
func (g *ground) close() {
	if g.db != nil {
		g.db.Close()
	}
	if g.sys != nil {
		g.sys.Close()
	}
	if g.stack == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := g.stack.Remove(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "remove the stack:", err)
	}
}

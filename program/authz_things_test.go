package program

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
)

// stations is a source of the yard's.
const stations = "stations"

// snapshot is something that came from it.
func (e *estate) snapshot() evidence.SnapshotID {
	e.t.Helper()
	body := "station,word\n" + ulid.Make().String() + "," + e.rare + "\n"
	s, err := e.kept.evidence.Take(e.t.Context(), e.who(identity.Analyst), evidence.Receipt{Source: stations, ContentType: "text/csv",
		Place: string(e.org) + ".csv"}, strings.NewReader(body))
	e.must(err)
	return s.ID
}

// view is one of an officer's own.
func (e *estate) view() string {
	e.t.Helper()
	v, err := e.minds.reviews.SaveView(e.t.Context(), e.who(identity.Officer), fmt.Sprint(e.rare, " ", e.n), "")
	e.must(err)
	return v.ID
}

// pause holds the acts of an agent that there is not.
func (e *estate) pause() string {
	e.t.Helper()
	why := e.rare
	if e.org == postgrestest.North {
		why = paused
	}
	p, _, err := e.minds.pauses.Set(e.t.Context(), e.who(identity.OrgAdmin), act.Scope(fmt.Sprint("agent:yard/", e.n)), why)
	e.must(err)
	return p.ID
}

// webhook leads to a server elsewhere that is never spoken to here.
func (e *estate) webhook() string {
	e.t.Helper()
	hooks, who := e.cli.hooks(e.parts), e.who(identity.OrgAdmin)
	all, err := hooks.List(e.t.Context(), who)
	e.must(err)
	if len(all) > hook.MaxHooks/2 { // an organisation has so many at most
		e.must(hooks.Remove(e.t.Context(), who, all[0].ID))
	}
	w, _, err := hooks.Register(e.t.Context(), who, hook.Draft{URL: "https://93.184.216.34/hooks", Title: e.rare, Kinds: []string{"case"},
		Reason: e.rare})
	e.must(err)
	e.tag = `"1"`
	return w.ID
}

// setting is a new version of how the vanpool programme is set up.
func (e *estate) setting() string {
	e.t.Helper()
	const next = `insert into gavel.setting (org, app, name, version, value, changed_by, changed_at)
		select $1, 'poolpatrol', 'office', coalesce(max(version), 0) + 1,
		json_build_object('programme', $2::text, 'portal', 'x', 'contact', 'x', 'appeal', 'x')::text, 'x', now()
		from gavel.setting where app = 'poolpatrol' and name = 'office' returning version`
	var version int64
	e.must(e.db.App.InOrg(e.t.Context(), e.org, func(tx pgx.Tx) error {
		return tx.QueryRow(e.t.Context(), next, string(e.org), e.rare).
			Scan(&version)
	}))
	e.tag = fmt.Sprintf(`"%d"`, version)
	return "office"
}

// webhookMessage is one to the webhook that was made last.
func (e *estate) webhookMessage() string {
	e.t.Helper()
	if e.last("hook_") == "" {
		e.make("webhooks/{id}")
	}
	m, err := e.cli.hooks(e.parts).Test(e.t.Context(), e.who(identity.OrgAdmin), e.last("hook_"))
	e.must(err)
	return m.ID
}

// erase erases somebody about whom nothing is held.
func (e *estate) erase() {
	e.t.Helper()
	one := e.rider()
	one.ID += "-gone"
	_, err := e.kept.vault.Erase(e.t.Context(), e.who(identity.OrgAdmin), seal.Request{Subject: one, Ground: "request",
		Reference: "letter-" + string(e.org)})
	e.must(err)
	e.made = append(e.made, one.String())
}

// actOutside plans an act beyond the walls, which a policy let run.
func (e *estate) actOutside() {
	e.t.Helper()
	args := json.RawMessage(`{}`)
	p := act.Plan{Key: "act/" + ulid.Make().String(), Case: string(e.current), Run: "run_" + ulid.Make().String(), Call: "1",
		App: "general", Tool: "send_letter",
		Effect: act.Outside, Args: args, ArgsSHA256: act.Digest(args), At: time.Now(), By: e.who(identity.Officer)}
	e.must(e.db.App.InOrg(e.t.Context(), e.org, func(tx pgx.Tx) error {
		may, err := audit.Append(e.t.Context(), tx, audit.Record{At: p.At, Kind: audit.Policy, Subject: p.Run, Actor: p.By,
			Body: map[string]any{"calls": []any{map[string]any{"call": p.Call, "tool": p.Tool, "args_sha256": p.ArgsSHA256,
				"verdict": "act"}}}})
		if err != nil {
			return err
		}
		p.PolicyRecord = string(may)
		var b pgx.Batch
		if err := act.PlanLater(&b, e.org, p); err != nil {
			return err
		}
		return tx.SendBatch(e.t.Context(), &b).Close()
	}))
}

func (e *estate) concerns() *concern.Store {
	e.t.Helper()
	s, err := concern.New(concern.Config{DB: e.parts.db, Clock: e.parts.clock, Rules: e.parts.rules, Cases: e.parts.cases,
		Keys: e.cli.cfg.PayloadKeys})
	e.must(err)
	return s
}

// link shows a person what the case that was made last decided about them.
func (e *estate) link() (id, token string) {
	e.t.Helper()
	l, token, err := e.concerns().Make(e.t.Context(), e.who(identity.Officer), e.current, concern.NewLink{Summary: e.rare,
		Facts: []fact.ID{"F1"}, Life: 24 * time.Hour})
	e.must(err)
	return l.ID, token
}

// objection is one to the case that was made last.
func (e *estate) objection() string {
	e.t.Helper()
	_, token := e.link()
	o, err := e.concerns().Object(e.t.Context(), e.ref, token, e.rare)
	e.must(err)
	return o.ID
}

// colleague is somebody whom the office has let in.
func (e *estate) colleague() string {
	e.t.Helper()
	id := "p_" + ulid.Make().String()
	e.admin(`insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ($1, $2, 'office', $2, $3, 'asha@example.org', '{officer}', now(), now())`, e.org, id, e.rare)
	return id
}

func (e *estate) token() string {
	e.t.Helper()
	made, _, err := e.desk.Issue(e.t.Context(), e.who(identity.OrgAdmin),
		signin.NewToken{Name: e.rare, Scopes: []string{"read:cases"}, Life: time.Hour, Reason: e.rare})
	e.must(err)
	return made.ID
}

func (e *estate) device() string {
	e.t.Helper()
	offer, err := e.desk.MakePairing(e.t.Context(), e.who(identity.OrgAdmin), fmt.Sprint(e.rare, " ", e.n))
	e.must(err)
	d, _, err := e.desk.Pair(e.t.Context(), offer.Code)
	e.must(err)
	return d.ID
}

func (e *estate) shift() string {
	e.t.Helper()
	s, _, err := e.desk.OpenShift(e.t.Context(), e.who(identity.OrgAdmin), signin.NewShift{Name: e.rare, Life: time.Hour})
	e.must(err)
	return s.ID
}

// mail is one of a stranger to the case that was made last: it waits for somebody.
func (e *estate) mail() string {
	e.t.Helper()
	to := mailBook(e.cli.cfg).Reply(string(e.org), string(e.current), e.ref)
	e.admin(`insert into gavel_sys.mail_routes (key, org, case_id) values ($1, $2, $3) on conflict do nothing`, notify.ReplyKey(to), e.org,
		e.current)
	raw := fmt.Sprintf("From: zed@elsewhere.test\r\nMessage-ID: <%s@elsewhere.test>\r\nTo: %s\r\nSubject: %s\r\n\r\n%s\r\n", rand.Text(),
		to, e.rare, e.rare)
	got, err := e.kept.mail.Receive(e.t.Context(), inbound.Delivery{Via: "import", Raw: []byte(raw)})
	e.must(err)
	return got.ID
}

// letter is one about the case that was made last, which waits to be sent.
func (e *estate) letter() string {
	e.t.Helper()
	var made notify.Mail
	e.must(e.parts.db.InOrg(e.t.Context(), e.org, func(tx pgx.Tx) (err error) {
		made, err = e.kept.post.Queue(e.t.Context(), tx, identity.Gavel(e.org), notify.Letter{Key: rand.Text(), Case: e.current,
			Kind: "first", To: seal.Subject{Type: "rider", ID: "of-" + string(e.org)},
			Address: "asha@example.org", Name: e.rare, Language: "en", Subject: e.rare, Text: e.rare, Because: "RUN-12345678"})
		return err
	}))
	return made.ID
}

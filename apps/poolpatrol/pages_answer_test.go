package poolpatrol

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestAVanWakesItsOwnCase promises that a change of one van is told to its case and to
// no other.
func TestAVanWakesItsOwnCase(t *testing.T) {
	s := newRiderStage(t)
	targets := func() (all []string) {
		s.In(t, func(tx pgx.Tx) (err error) {
			rows, _ := tx.Query(t.Context(), `select target from gavel.outbox order by id`)
			all, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		return all
	}
	van, err := s.app.store.Vanpool(t.Context(), stageManager(), s.van)
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := s.Deps.Cases.Wake(s.file)
	if err != nil {
		t.Fatal(err)
	}
	before := len(targets())
	van.Capacity++
	if _, err := s.app.store.PutVanpool(t.Context(), stageManager(), van.Vanpool, record.Change{}); err != nil {
		t.Fatal(err)
	}
	if got := targets()[before:]; !slices.Equal(got, []string{own}) {
		t.Errorf("woken are %v, want %s", got, own)
	}
}

// A riderStage is a case that waits for one rider, and their page.
type riderStage struct {
	*stage

	van   fleet.VanpoolID
	who   fleet.EmployeeID
	file  casefile.Case
	token string
}

func newRiderStage(t testing.TB) *riderStage {
	t.Helper()
	s := &riderStage{stage: newStage(t)}
	s.Deps.Cases = casefile.NewStore(casefile.Config{DB: s.DB.App, Rules: s.Deps.Rules, Kinds: []casefile.Kind{s.App.Cases}})
	s.Deps.Keys = pageKeys(t, "k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	s.Deps.Public = "https://gavel.example"
	if err := s.app.open(s.Deps); err != nil {
		t.Fatal(err)
	}
	of := madeup.Plan{Seed: 7, Vans: 12, Riders: 8, Percent: 100}.Build()
	s.fill(t, of)
	p := s.audit(t)
	if _, err := s.app.work.Steps().Settle(t.Context(), store.PassInput{Org: postgrestest.North, Pass: p.ID}); err != nil {
		t.Fatal(err)
	}
	s.pick(t)
	s.stands(t, func(c *lifecycle.Case) {
		c.State, c.Why, c.Deadline = lifecycle.PendingReply, "", s.now().Add(7*24*time.Hour)
	})
	address, err := s.app.door.PageFor(s.file, s.who)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, "https://gavel.example"+answer.At+"?k=") {
		t.Fatalf("the page is at %s, %v", address, err)
	}
	s.token = u.Query().Get("k")
	return s
}

func pageKeys(t testing.TB, text string) durable.Keys {
	t.Helper()
	keys, err := durable.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// pick finds a case about one rider who lives too far away, or works at other hours,
// and may be written to.
func (s *riderStage) pick(t testing.TB) {
	t.Helper()
	var id casefile.CaseID
	s.In(t, func(tx pgx.Tx) error {
		rows, _ := tx.Query(t.Context(), `select id from poolpatrol.case order by id`)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[casefile.CaseID])
		for _, one := range ids {
			life, err := store.LifeIn(t.Context(), tx, one)
			if err != nil {
				return err
			}
			for _, x := range life.Subjects {
				if x.Findings[0].Check == "location" && x.Findings[0].Mailable() {
					id, s.who, s.van = one, x.Employee, life.Vanpool
				}
			}
		}
		if err != nil || id == "" {
			return err
		}
		s.file, err = casefile.Lock(t.Context(), tx, id)
		return err
	})
	if id == "" {
		t.Fatal("the town has nobody to write to about their home")
	}
}

// stands puts the case somewhere; everybody on it has been written to.
func (s *riderStage) stands(t testing.TB, change func(*lifecycle.Case)) {
	t.Helper()
	s.In(t, func(tx pgx.Tx) error {
		c, err := store.LifeIn(t.Context(), tx, s.file.ID)
		if err != nil {
			return err
		}
		for i, x := range c.Subjects {
			c.Subjects[i].Mail, c.Subjects[i].Told = lifecycle.Accepted, x.FailedChecks()
		}
		change(&c)
		return s.save(t, tx, c)
	})
}

// save writes down how the case stands, as a step of it does.
func (s *riderStage) save(t testing.TB, tx pgx.Tx, c lifecycle.Case) error {
	t.Helper()
	life, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var deadline, ended *time.Time
	if !c.Deadline.IsZero() {
		deadline = &c.Deadline
	}
	if c.State.Ended() {
		ended = &c.EndedAt
	}
	const put = `update poolpatrol.case set life = $2, state = $3, failed_checks = $4, deadline_at = $5, ended_at = $6 where id = $1`
	if _, err := tx.Exec(t.Context(), put, s.file.ID, life, c.State, check.Strings(c.FailedChecks()), deadline, ended); err != nil {
		return err
	}
	for _, x := range c.Subjects {
		const subject = `update poolpatrol.case_subject set failed_checks = $3, state = $4,
			cancelled_at = coalesce(cancelled_at, case when $4 = 'cancelled' then now() end) where case_id = $1 and employee_id = $2`
		if _, err := tx.Exec(t.Context(), subject, s.file.ID, x.Employee, check.Strings(x.FailedChecks()), x.Standing); err != nil {
			return err
		}
	}
	return nil
}

// life is how the case stands.
func (s *riderStage) life(t testing.TB) (c lifecycle.Case) {
	t.Helper()
	c, _, there, err := s.app.store.Life(t.Context(), s.file)
	if err != nil || !there {
		t.Fatalf("the life of %s: %v", s.file.Ref, err)
	}
	return c
}

// advance lets the case notice what has happened.
func (s *riderStage) advance(t testing.TB) lifecycle.Case {
	t.Helper()
	if _, err := s.app.work.Steps().Advance(t.Context(), casefile.Input{Org: postgrestest.North, Case: s.file.ID}, s.now()); err != nil {
		t.Fatal(err)
	}
	return s.life(t)
}

// ask sends a request as somebody without an account.
func (s *riderStage) ask(t testing.TB, method, path string, form url.Values, headers ...string) platformtest.Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.Send(t, req)
}

func (s *riderStage) open(t testing.TB, token string) platformtest.Answer {
	t.Helper()
	return s.ask(t, http.MethodGet, answer.Path(token), nil)
}

func (s *riderStage) says(t testing.TB, held post.Held, wish post.Wish, text, form string) platformtest.Answer {
	t.Helper()
	return s.ask(t, http.MethodPost, answer.At, url.Values{"k": {s.token}, "held": {string(held)}, "wish": {string(wish)}, "text": {text},
		"form": {form}})
}

// trace is everything that could have changed.
func (s *riderStage) trace(t testing.TB) (all string) {
	t.Helper()
	s.In(t, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select concat_ws(' ', (select count(*) from poolpatrol.answer),
			(select count(*) from poolpatrol.case_event), (select string_agg(life::text, '' order by id) from poolpatrol.case),
			(select sum(version) from gavel.case), (select count(*) from gavel.case_entry), (select count(*) from poolpatrol.case_todo),
			(select count(*) from gavel.outbox))`).Scan(&all)
	})
	return all
}

// TestARiderSeesTheirOwnAndNobodyElses promises what the page shows, and that it is
// kept out of searches, caches and other sites.
func TestARiderSeesTheirOwnAndNobodyElses(t *testing.T) {
	s := newRiderStage(t)
	got := s.open(t, s.token)
	var zip, name, mail string
	s.In(t, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select home_zip, name, email from poolpatrol.employee where id = $1`, s.who).
			Scan(&zip, &name, &mail)
	})
	got.Holds(t, http.StatusOK, string(s.van), s.file.Ref, zip, "We are waiting for your answer until", "Is what we hold right?",
		"What should happen?", `name="form"`)
	got.Lacks(t, string(s.who), string(s.file.ID), name, mail)
	var others []string
	s.In(t, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(t.Context(), `select e.id from poolpatrol.employee e where e.id <> $1 union select e.name
			from poolpatrol.employee e where e.id <> $1 and e.name <> ''`, s.who)
		others, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if len(others) < 20 {
		t.Fatalf("only %d others", len(others))
	}
	got.Lacks(t, others...)
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "same-origin",
		"X-Robots-Tag": "noindex, nofollow, noarchive"} {
		if got := got.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if strings.Contains(s.token, string(s.who)) || strings.Contains(s.token, string(s.file.ID)) {
		t.Error("the address says whose it is")
	}
}

// TestReadingAPageChangesNothing promises that a scanner that follows the link,
// however often and with whatever method reads, does no harm.
func TestReadingAPageChangesNothing(t *testing.T) {
	s := newRiderStage(t)
	before := s.trace(t)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		for _, more := range []string{"", "&done=1", "&held=right&wish=left&text=x&form=" + rand.Text()} {
			if got := s.ask(t, method, answer.Path(s.token)+more, nil); got.Status != http.StatusOK {
				t.Fatalf("%s answers %d", method, got.Status)
			}
		}
	}
	if got := s.trace(t); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
}

// TestAnAnswerIsAReply promises what each answer makes of a case that waits for one.
func TestAnAnswerIsAReply(t *testing.T) {
	s := newRiderStage(t)
	waiting := s.life(t)
	for _, tt := range []struct {
		held  post.Held
		wish  post.Wish
		text  string
		state lifecycle.State
		why   lifecycle.Why
		due   bool
	}{
		{post.HeldChanged, post.WishKeep, "", lifecycle.PendingReply, "", true},
		{post.HeldChanged, post.WishKeep, "I work by day now.", lifecycle.Review, lifecycle.Escalated, false},
		{post.HeldRight, post.WishKeep, "", lifecycle.ReAudit, "", false},
		{post.HeldRight, post.WishKeep, "I am ill.", lifecycle.Review, lifecycle.Escalated, false},
		{post.HeldUnsure, post.WishTalk, "", lifecycle.Review, lifecycle.Escalated, false},
		{post.HeldRight, post.WishLeft, "", lifecycle.Review, lifecycle.Escalated, false},
	} {
		s.stands(t, func(c *lifecycle.Case) { steps := c.Steps; *c = waiting; c.Steps = steps })
		if got := s.says(t, tt.held, tt.wish, tt.text, rand.Text()); got.Status != http.StatusSeeOther {
			t.Fatalf("%s %s: %d %s", tt.held, tt.wish, got.Status, got.Main())
		}
		got := s.advance(t)
		if got.State != tt.state || got.Why != tt.why || got.Due.IsZero() == tt.due || got.Inbound != waiting.Inbound+1 || got.Unread != 0 {
			t.Errorf("%s %s %q: %s %s, due %s, %d in and %d unread", tt.held, tt.wish, tt.text, got.State, got.Why, got.Due, got.Inbound,
				got.Unread)
		}
	}
	s.In(t, func(tx pgx.Tx) error {
		var rides bool
		err := tx.QueryRow(t.Context(), `select removed_on is null from poolpatrol.rider where vanpool_id = $1
			and employee_id = $2`, s.van, s.who).Scan(&rides)
		if !rides {
			t.Error("a click took somebody out of their van")
		}
		return err
	})
	s.open(t, s.token).Holds(t, http.StatusOK, "A person of the programme is looking at it", "I am ill.", "I have left this van")
}

// TestAFormCountsOnce promises that a form that is sent again is the same answer,
// and another form another.
func TestAFormCountsOnce(t *testing.T) {
	s := newRiderStage(t)
	form := rand.Text()
	for range 3 {
		if got := s.says(t, post.HeldChanged, post.WishKeep, "", form); got.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", got.Status, got.Main())
		}
	}
	if got := s.advance(t); got.Inbound != 1 {
		t.Errorf("one form is %d replies", got.Inbound)
	}
	s.says(t, post.HeldUnsure, post.WishTalk, "", rand.Text())
	if got := s.advance(t); got.Inbound != 2 || got.State != lifecycle.Review {
		t.Errorf("another form makes it %d replies, %s", got.Inbound, got.State)
	}
}

// TestAnAnswerStopsACancellation promises that nobody is taken out of a van over an
// answer nobody has seen.
func TestAnAnswerStopsACancellation(t *testing.T) {
	s := newRiderStage(t)
	s.stands(t, func(c *lifecycle.Case) {
		c.State, c.Deadline, c.AskedAt = lifecycle.PreCancel, time.Time{}, s.now()
		for i := range c.Subjects {
			c.Subjects[i].Standing = lifecycle.CancelPending
		}
	})
	s.open(t, s.token).Holds(t, http.StatusOK, "Nothing has been decided.")
	s.says(t, post.HeldRight, post.WishKeep, "", rand.Text())
	if got := s.advance(t); got.State != lifecycle.Review || got.Why != lifecycle.UnreadReply || got.Unread != 1 {
		t.Errorf("got %s %s with %d unread", got.State, got.Why, got.Unread)
	}
}

var requestForm = regexp.MustCompile(`[0-9A-Za-z_-]{20,}`)

// TestAWrongLinkSaysNothing promises one answer to every address that opens
// nothing: it does not say whether there is a case.
func TestAWrongLinkSaysNothing(t *testing.T) {
	s := newRiderStage(t)
	other := pageKeys(t, "k:HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	sealed := func(keys durable.Keys, purpose string, org identity.Org, file casefile.CaseID, who fleet.EmployeeID) string {
		token, err := keys.SealText(purpose, strings.Join([]string{string(org), string(file), string(who)}, " "))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	wrong := map[string]string{
		"none":                      "",
		"nonsense":                  "k.AAAA",
		"too long":                  strings.Repeat("x", maxLink+1),
		"cut":                       s.token[:len(s.token)-2],
		"of another key":            sealed(other, linkPurpose, postgrestest.North, s.file.ID, s.who),
		"for another purpose":       sealed(s.Deps.Keys, "concern-link", postgrestest.North, s.file.ID, s.who),
		"of another organisation":   sealed(s.Deps.Keys, linkPurpose, postgrestest.South, s.file.ID, s.who),
		"of no case":                sealed(s.Deps.Keys, linkPurpose, postgrestest.North, "case_00000000000000000000000000", s.who),
		"of somebody not on it":     sealed(s.Deps.Keys, linkPurpose, postgrestest.North, s.file.ID, "EMP-9999"),
		"of no organisation at all": sealed(s.Deps.Keys, linkPurpose, "No Such", s.file.ID, s.who),
	}
	want := ""
	plain := func(got platformtest.Answer, token string) string {
		return requestForm.ReplaceAllString(strings.ReplaceAll(got.Main(), url.QueryEscape(token), ""), "")
	}
	for name, token := range wrong {
		got := s.open(t, token)
		if want == "" {
			want = plain(got, token)
		}
		if got.Status != http.StatusNotFound || plain(got, token) != want || strings.Contains(got.Body, s.file.Ref) {
			t.Errorf("%s: %d %s\nwant %s", name, got.Status, plain(got, token), want)
		}
		form := url.Values{"k": {token}, "held": {"right"}, "wish": {"keep"}, "form": {rand.Text()}}
		if got := s.ask(t, http.MethodPost, answer.At, form); got.Status != http.StatusNotFound {
			t.Errorf("%s: an answer is answered %d", name, got.Status)
		}
	}
}

// TestThePageOutlastsItsCase promises the outcome for thirty days, and no questions.
func TestThePageOutlastsItsCase(t *testing.T) {
	s := newRiderStage(t)
	for _, tt := range []struct {
		standing lifecycle.Standing
		state    lifecycle.State
		words    string
	}{
		{lifecycle.SubjectCleared, lifecycle.Resolved, "Your membership was not ended by this."},
		{lifecycle.SubjectCancelled, lifecycle.Cancelled, "Your membership in this van has ended"},
	} {
		end := func(ago time.Duration) {
			s.stands(t, func(c *lifecycle.Case) {
				c.State, c.EndedAt, c.Deadline = tt.state, s.now().Add(-ago), time.Time{}
				for i := range c.Subjects {
					c.Subjects[i].Standing = tt.standing
				}
			})
		}
		end(29 * 24 * time.Hour)
		got := s.open(t, s.token)
		got.Holds(t, http.StatusOK, tt.words)
		got.Lacks(t, "Is what we hold right?", "ZIP code")
		if got := s.says(t, post.HeldRight, post.WishKeep, "", rand.Text()); got.Status != http.StatusConflict {
			t.Errorf("a closed case takes an answer: %d", got.Status)
		}
		end(31 * 24 * time.Hour)
		s.open(t, s.token).Holds(t, http.StatusNotFound)
	}
}

// TestAnswersAreBounded promises how much, and how often.
func TestAnswersAreBounded(t *testing.T) {
	s := newRiderStage(t)
	for name, tt := range map[string]struct {
		got  platformtest.Answer
		want int
	}{
		"nothing chosen": {s.says(t, "", "", "", rand.Text()), http.StatusUnprocessableEntity},
		"too much": {s.says(t, post.HeldRight, post.WishKeep, strings.Repeat("x", post.MaxSaid+1), rand.Text()),
			http.StatusRequestEntityTooLarge},
		"far too much": {s.says(t, post.HeldRight, post.WishKeep, strings.Repeat("x", maxSmallForm), rand.Text()),
			http.StatusRequestEntityTooLarge},
		"no form": {s.says(t, post.HeldRight, post.WishKeep, "", "1"), http.StatusUnprocessableEntity},
	} {
		if tt.got.Status != tt.want {
			t.Errorf("%s: got %d, want %d", name, tt.got.Status, tt.want)
		}
	}
	s.says(t, "", post.WishTalk, "What I typed stays.", rand.Text()).Holds(t, http.StatusUnprocessableEntity, "Your answer was not taken",
		"What I typed stays.")
	ctx, who := context.WithoutCancel(t.Context()), answer.Ticket{Org: postgrestest.North, File: s.file.ID, Who: s.who}
	for i := range maxAnswers + 1 {
		err := s.app.door.Take(ctx, who, post.Said{Held: post.HeldRight, Wish: post.WishKeep}, rand.Text())
		if (err != nil) != (i == maxAnswers) {
			t.Errorf("answer %d: %v", i+1, err)
		}
	}
	for range 40 {
		if s.open(t, s.token).Status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("a link can be opened as often as anybody likes")
}

// TestErasingTakesTheWordsAndThePage promises that of somebody erased neither is
// left.
func TestErasingTakesTheWordsAndThePage(t *testing.T) {
	s := newRiderStage(t)
	s.says(t, post.HeldChanged, post.WishKeep, "Zebulon moved.", rand.Text())
	for _, want := range []int{1, 0} {
		s.In(t, func(tx pgx.Tx) error {
			reach, err := store.EraseAnswers(t.Context(), tx, s.who, s.now())
			if err == nil && reach.Rows != want {
				t.Errorf("%d rows, want %d", reach.Rows, want)
			}
			return err
		})
	}
	s.open(t, s.token).Lacks(t, "Zebulon")
	s.In(t, func(tx pgx.Tx) error {
		_, err := store.Eraser().Erase(t.Context(), tx, store.Rider(s.who), s.now())
		return err
	})
	s.open(t, s.token).Holds(t, http.StatusNotFound)
}

package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/finding/findingtest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

var kolkata = func() *time.Location { z, _ := time.LoadLocation("Asia/Kolkata"); return z }()

func TestNobodyIsToldInTheirQuietHoursAndNothingWaitsLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minute := rapid.IntRange(0, 1439)
		w := notify.Wishes{QuietFrom: minute.Draw(t, "from"), QuietTo: minute.Draw(t, "to"), DigestAt: minute.Draw(t, "digest")}
		way := rapid.SampledFrom([]notify.Way{notify.Now, notify.Digest}).Draw(t, "way")
		at := time.Unix(1_800_000_000+int64(rapid.IntRange(0, 400*86400).Draw(t, "at")), 0)
		zone := rapid.SampledFrom([]*time.Location{kolkata, time.UTC}).Draw(t, "zone")
		got := w.When(way, at, zone)
		local := got.In(zone)
		into := (local.Hour()*60 + local.Minute() - w.QuietFrom + 1440) % 1440
		if into < (w.QuietTo-w.QuietFrom+1440)%1440 {
			t.Fatalf("told at %s, quiet from %d to %d", local, w.QuietFrom, w.QuietTo)
		}
		if got.Before(at) || got.Sub(at) > 48*time.Hour || way == notify.Now && got.Sub(at) > 24*time.Hour {
			t.Fatalf("%s after %s", got, at)
		}
		if m := local.Hour()*60 + local.Minute(); way == notify.Digest && m != w.DigestAt && m != w.QuietTo {
			t.Fatalf("a digest at %s, want it at %d or after the quiet hours", local, w.DigestAt)
		}
	})
}

// staff is who has an account, by id.
type staff map[string]struct {
	address string
	role    identity.Role
}

func (s staff) people(_ context.Context, _ pgx.Tx, to string) (all []notify.Reader, _ error) {
	for id, one := range s {
		if to == "person:"+id || to == "role:"+string(one.role) {
			all = append(all, notify.Reader{ID: id, Name: "Officer " + id, Address: one.address})
		}
	}
	slices.SortFunc(all, func(a, b notify.Reader) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

func (r *rig) desk(who staff, clock durable.Clock) *notify.Desk {
	return notify.NewDesk(notify.DeskConfig{Post: r.Post, DB: r.db.App, System: r.db.System, Clock: clock, People: who.people,
		Public: "https://gavel.example/", Proposal: func(id string) string { return "https://gavel.example/proposals/" + id },
		Logger: slog.New(slog.NewTextHandler(r.log, nil))})
}

// notice makes one as package review does.
func (r *rig) notice(t testing.TB, d *notify.Desk, kind review.NoticeKind, to, proposal string) {
	t.Helper()
	r.n++
	n := review.Notice{Org: north, Key: fmt.Sprintf("%s/%d", kind, r.n), To: to, Kind: kind, Proposal: proposal, At: time.Now()}
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		const insert = `insert into gavel.notice (org, key, recipient, kind, proposal, case_id, at) values ($1, $2, $3, $4, $5, '', $6)`
		if _, err := tx.Exec(t.Context(), insert, n.Org, n.Key, n.To, n.Kind, n.Proposal, n.At); err != nil {
			return err
		}
		return d.Notice(t.Context(), tx, n)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) tellAll(t testing.TB, d *notify.Desk) {
	t.Helper()
	for {
		n, err := d.Pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	r.settle(t, r.sender(r.sink(t)))
}

func person(id string) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: id, Name: id, Org: north, Roles: []identity.Role{identity.Officer}}
}

func TestPeopleAreToldAtOnceOnceADayOrNotAtAllAsTheyWish(t *testing.T) {
	clock := durable.Clock{Epoch: time.Now(), Speed: 1e5} // a day in 0.9 s
	r := newRig(t, clock)
	who := staff{"p_now": {"now@staff.example", identity.Officer}, "p_daily": {"daily@staff.example", identity.Officer},
		"p_never": {"never@staff.example", identity.Officer}, "p_mine": {"mine@staff.example", identity.Officer},
		"p_noaddress": {"", identity.Officer}}
	d := r.desk(who, clock)
	loud := notify.Usual()
	loud.QuietFrom, loud.QuietTo = 0, 0
	set := func(id string, edit func(*notify.Wishes)) {
		t.Helper()
		w := notify.Wishes{Ways: map[review.NoticeKind]notify.Way{}, DigestAt: loud.DigestAt}
		edit(&w)
		if err := d.SetWishes(t.Context(), person(id), w); err != nil {
			t.Fatal(err)
		}
	}
	set("p_now", func(w *notify.Wishes) { w.Language = "hi" })
	set("p_daily", func(w *notify.Wishes) { w.Ways[review.NoticeReminder] = notify.Digest })
	set("p_never", func(w *notify.Wishes) { w.Ways[review.NoticeReminder] = notify.Off })
	set("p_mine", func(w *notify.Wishes) { w.OnlyMine = true })
	for _, proposal := range []string{"P-1", "P-2"} {
		r.notice(t, d, review.NoticeReminder, "role:officer", proposal)
	}
	r.notice(t, d, review.NoticeAssigned, "person:p_mine", "P-3")
	time.Sleep(time.Second) // over a day on that clock: every digest is due
	r.tellAll(t, d)
	r.tellAll(t, d) // nobody is told twice
	got := map[string][]string{}
	for _, m := range r.server.Mails() {
		got[m.To] = append(got[m.To], strings.Join(regexp.MustCompile(`P-\d`).FindAllString(decoded(t, m.Raw), -1), " "))
	}
	for to := range got {
		slices.Sort(got[to])
	}
	// a subject, a line and an address for each
	want := map[string][]string{"now@staff.example": {"P-1 P-1 P-1", "P-2 P-2 P-2"}, "daily@staff.example": {"P-1 P-1 P-2 P-2"},
		"mine@staff.example": {"P-3 P-3 P-3"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := all[int](t, r.db, `select count(*)::int from gavel.act`)[0]; n != 0 {
		t.Errorf("word to our own staff made %d acts", n)
	}
}

func TestSomebodyWhoCannotBeToldKeepsNobodyElseFromIt(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.desk(staff{"p_a": {"a@staff.example", identity.Officer}, "p_b": {"b@staff.example", identity.Officer}}, durable.Clock{})
	for _, id := range []string{"p_a", "p_b"} {
		if err := d.SetWishes(t.Context(), person(id), notify.Wishes{Ways: map[review.NoticeKind]notify.Way{},
			DigestAt: notify.Usual().DigestAt}); err != nil {
			t.Fatal(err)
		}
	}
	r.notice(t, d, review.NoticeReminder, "role:officer", "P-1")
	who := seal.Subject{Type: casefile.Staff, ID: "p_a"} // there is no key any more to seal a mail to them with
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: who, Ground: seal.OnRequest, Reference: "DSR-1"}); err != nil {
		t.Fatal(err)
	}
	r.tellAll(t, d)
	if got := r.server.Mails(); len(got) != 1 || got[0].To != "b@staff.example" {
		t.Errorf("%d mails were sent, want the one to the other", len(got))
	}
	if !strings.Contains(r.log.String(), "could not be told") || strings.Contains(r.log.String(), "staff.example") {
		t.Errorf("the log says %s", r.log)
	}
}

func TestWishesAreOnesOwnAndMakeSense(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.desk(staff{}, durable.Clock{})
	viewing := person("p_1")
	viewing.Viewing = identity.Auditor
	machine := person("m_1")
	machine.Kind = identity.Machine
	for _, tt := range []struct {
		name string
		who  identity.Actor
		edit func(*notify.Wishes)
		want fault.Kind
	}{
		{"nobody", identity.Actor{}, func(*notify.Wishes) {}, fault.SignIn},
		{"a program", machine, func(*notify.Wishes) {}, fault.Refused},
		{"who looks as another", viewing, func(*notify.Wishes) {}, fault.Refused},
		{"25 o'clock", person("p_1"), func(w *notify.Wishes) { w.DigestAt = 1500 }, fault.Invalid},
		{"before midnight", person("p_1"), func(w *notify.Wishes) { w.QuietTo = -1 }, fault.Invalid},
		{"another kind", person("p_1"), func(w *notify.Wishes) { w.Ways["gossip"] = notify.Now }, fault.Invalid},
		{"another way", person("p_1"), func(w *notify.Wishes) { w.Ways[review.NoticeReminder] = "pigeon" }, fault.Invalid},
		{"another language", person("p_1"), func(w *notify.Wishes) { w.Language = "tlh" }, fault.Invalid},
	} {
		w := notify.Usual()
		tt.edit(&w)
		wantKind(t, tt.name, d.SetWishes(t.Context(), tt.who, w), tt.want)
	}
	w, err := d.Wishes(t.Context(), person("p_1"))
	if err != nil || fmt.Sprint(w) != fmt.Sprint(notify.Usual()) {
		t.Errorf("got %+v, %v; want what is usual", w, err)
	}
	w.Ways[review.NoticeReminder], w.Language, w.OnlyMine = notify.Off, "hi", true
	if err := d.SetWishes(t.Context(), person("p_1"), w); err != nil {
		t.Fatal(err)
	}
	if again, err := d.Wishes(t.Context(), person("p_1")); err != nil || fmt.Sprint(again) != fmt.Sprint(w) {
		t.Errorf("got %+v, %v; want %+v", again, err, w)
	}
	if other, err := d.Wishes(t.Context(), person("p_2")); err != nil || fmt.Sprint(other) != fmt.Sprint(notify.Usual()) {
		t.Errorf("another person's are %+v, %v", other, err)
	}
}

// TestAMailToStaffLeadsWithTheFindingAndNamesNobody promises what our own people read in a
// mailbox that is not behind our walls: what was found, plainly, in their language.
func TestAMailToStaffLeadsWithTheFindingAndNamesNobody(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.desk(staff{"p_1": {"one@staff.example", identity.Officer}}, durable.Clock{})
	loud := notify.Usual()
	loud.QuietFrom, loud.QuietTo = 0, 0
	if err := d.SetWishes(t.Context(), person("p_1"), loud); err != nil {
		t.Fatal(err)
	}
	file := r.file(t, "EMP-2030")
	f := findingtest.About("Ekta Demo")
	f.Subject.Kind, f.Plain.En = finding.Person, "A rider of VP-206 is over the distance limit."
	f.Value = finding.Measured(finding.Same("52.5 mi from home"))
	open := func(f finding.Finding) string {
		t.Helper()
		r.n++
		doc, err := json.Marshal(map[string]any{"finding": f})
		if err != nil {
			t.Fatal(err)
		}
		p := review.Proposal{Org: north, Case: string(file.ID), Kind: "call", App: "poolpatrol", Key: fmt.Sprintf("told/%d", r.n),
			Gate: review.ByAnother, Args: []byte("{}"), ArgsSHA256: act.Digest([]byte("{}")),
			Shown: doc, ShownSHA256: act.Digest(doc), RequestedBy: "agent:x/y", Deciders: []identity.Role{identity.Officer},
			CreatedAt: time.Now()}
		err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			var b pgx.Batch
			if err := review.ProposeLater(&b, &p); err != nil {
				return err
			}
			return tx.SendBatch(t.Context(), &b).Close()
		})
		if err != nil {
			t.Fatal(err)
		}
		return p.ID
	}
	r.notice(t, d, review.NoticeReminder, "person:p_1", open(f))
	r.notice(t, d, review.NoticeReminder, "person:p_1", open(findingtest.About("Alipur")))
	r.tellAll(t, d)
	var all string
	for _, m := range r.server.Mails() {
		all += decoded(t, m.Raw)
	}
	for _, want := range []string{"A rider of VP-206 is over the distance limit.", "How sure: Counted twice", "A list is over its limit.",
		"Value: 4", "Limit: 3", "Unknown: Who made the list."} {
		if !strings.Contains(all, want) {
			t.Errorf("no mail says %q", want)
		}
	}
	for _, never := range []string{"Ekta", "52.5 mi"} {
		if strings.Contains(all, never) {
			t.Errorf("a mail says %q:\n%s", never, all)
		}
	}
}

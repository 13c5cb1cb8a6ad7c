package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestPeopleReadWhatTheyWereToldAndSayHow(t *testing.T) {
	s := newStage(t)
	wantAll(t, s.ask(t, "/notices", nil), http.StatusOK, "No notices in the last two weeks", `<option value="now" selected>At once`,
		`value="08:00"`, `value="21:00"`)
	err := s.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		const insert = `insert into gavel.notice (org, key, recipient, kind, proposal, case_id, at)
			values ('north', $1, $2, 'reminder', $3, '', $4)`
		for to, proposal := range map[string]string{"role:officer": "P-41", "role:hr": "P-42"} {
			if _, err := tx.Exec(t.Context(), insert, "k-"+proposal, to, proposal, time.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	page := s.ask(t, "/notices/rows", nil)
	wantAll(t, page, http.StatusOK, "P-41 still waits for a decision", `href="/proposals/P-41"`)
	if strings.Contains(page.body, "P-42") {
		t.Error("an officer is told what goes to another role")
	}
	form := url.Values{"way.reminder": {"digest"}, "way.escalation": {"off"}, "way.assigned": {"now"}, "way.delegated": {"now"},
		"way.expired": {"off"},
		"digest_at":   {"09:15"}, "quiet_from": {"22:00"}, "quiet_to": {"06:30"}, "only_mine": {"yes"}, "language": {"hi"}}
	if r := s.ask(t, "/notices", form); r.status != http.StatusSeeOther {
		t.Fatalf("keeping answers %d: %s", r.status, r.body)
	}
	wantAll(t, s.ask(t, "/notices?done=kept", nil), http.StatusOK, "Saved", `value="09:15"`, `value="22:00"`, `value="06:30"`,
		`<option value="digest" selected>Once a day`, `<option value="hi" selected>Hindi`, "checked")
	wantAll(t, s.askAs(t, identity.ProgrammeManager, "/notices", nil), http.StatusOK, `value="08:00"`)
	form.Set("digest_at", "25:00")
	wantAll(t, s.ask(t, "/notices", form), http.StatusUnprocessableEntity, "is no time of the day")
	form.Set("digest_at", "08:00")
	form.Set("way.reminder", "pigeon")
	wantAll(t, s.ask(t, "/notices", form), http.StatusUnprocessableEntity, "Not saved")
}

package store_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// written puts a decision, a correction that is decided, one that waits, and a briefing on a case, all with the same words.
const written = `
	insert into netra.alert (org, case_id, lgd, district, state, band, came_from, score, crossed_at, settings, found)
		values ('north', '$case', 1, 'Made-up 1', 'State 1', 'CRITICAL', 'BASELINE', 91, now(), 0, '{}');
	insert into netra.review (org, act, case_id, outcome, reason, dissent, by_id, at)
		values ('north', 'act-$case', '$case', 'act', 'the words', 'other words', 'asha', now());
	insert into netra.correction (org, id, lgd, event_id, at, kind, reason, case_id, filed_by, filed_role, filed_at, state, why, decided_at)
		values ('north', 'NCO-0000000$n', 1, 'e-$n', now(), 'wrong', 'the words', '$case', 'ravi', 'analyst', now(), '$state', '$why', $at);
	insert into netra.briefing (org, id, lgd, window_hours, lang, question, basis, lines, state, case_id, asked_by, asked_at, ended_at)
		values ('north', 'NBR-0000000$n', 1, 24, 'en', 'the words', '{}', '[]', 'refused', '$case', 'ravi', now(), now());
	insert into netra.draft (org, briefing, n, body, found, at) values ('north', 'NBR-0000000$n', 1, 'the words', 1, now())`

// TestWordsAboutSomebodyAreErased promises that reasons, dissent, corrections, questions and drafts of a case that is about somebody lose
// their words when that person is erased, and nothing else; that those of other cases stay; and that a correction which waits keeps its
// reason, which is said.
func TestWordsAboutSomebodyAreErased(t *testing.T) {
	r := netratest.NewOffice(t)
	person := seal.Subject{Type: "resident", ID: "R-7"}
	cases := map[string]casefile.CaseID{}
	r.In(t, func(tx pgx.Tx) error {
		for name, about := range map[string][]seal.Subject{"theirs": {person}, "waits": {person}, "others": nil} {
			c, _, err := r.Deps.Cases.OpenIn(t.Context(), tx, analyst, casefile.Opening{App: store.Name, Key: name, Title: name,
				Subjects: about})
			if err != nil {
				return err
			}
			cases[name] = c.ID
		}
		return nil
	})
	for name, how := range map[string][4]string{"theirs": {"1", "accepted", "more words", "now()"}, "waits": {"2", "filed", "", "null"},
		"others": {"3", "refused", "more words", "now()"}} {
		r.Set(t, strings.NewReplacer("$case", string(cases[name]), "$n", how[0], "$state", how[1], "$why", how[2], "$at", how[3]).
			Replace(written))
	}
	erase := func() (reach seal.Reach) {
		t.Helper()
		r.In(t, func(tx pgx.Tx) (err error) {
			reach, err = store.Eraser().Erase(t.Context(), tx, person, r.Store.Now())
			return err
		})
		return reach
	}
	if got := erase(); got.Rows != 7 || len(got.Cases) != 2 || got.Left != "corrections that wait to be decided: 1" {
		t.Errorf("got %+v, want 7 rows of two cases", got)
	}
	if again := erase(); again.Rows != 0 {
		t.Errorf("a second time: got %+v", again)
	}
	const words = `select string_agg(concat_ws('|', r.reason, r.dissent, c.reason, c.why, b.question, d.body, r.by_id, c.filed_by), '')
		from netra.review r join netra.correction c using (case_id) join netra.briefing b using (case_id) join netra.draft d
		on d.briefing = b.id where case_id = $1`
	for name, want := range map[string]string{"theirs": "||||||asha|ravi", "waits": "||the words||||asha|ravi",
		"others": "the words|other words|the words|more words|the words|the words|asha|ravi"} {
		if got := r.Texts(t, words, cases[name]); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	r.In(t, func(tx pgx.Tx) error {
		all, err := store.ReviewsOf(t.Context(), tx, cases["theirs"])
		if err != nil || len(all) != 1 || all[0].Reason != casefile.ErasedText || all[0].Outcome != "act" {
			t.Errorf("got %+v, %v", all, err)
		}
		return err
	})
	for _, sql := range []string{`update netra.review set reason = 'put back', erased_at = null`,
		`update netra.correction set reason = 'another' where state <> 'filed'`, `update netra.review set reason = 'another', erased_at = now()`} {
		err := r.Deps.DB.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
		if err == nil {
			t.Errorf("%s: it was not refused", sql)
		}
	}
}

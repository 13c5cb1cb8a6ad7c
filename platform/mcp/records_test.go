package mcp_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/postgres"
)

// brisk is a model that answers at once.
type brisk struct{}

func (brisk) Generate(context.Context, model.Request) (model.Response, error) {
	return model.Response{Message: model.Message{Role: model.Assistant, Parts: []model.Part{{Text: "All of it is done."}}},
		Stop:     model.Done,
		Identity: model.Identity{Provider: "test", Model: "brisk-1"}}, nil
}

// TestFactsRecordsAndRunsAreTold promises a number with what it rests on, a
// record with every step of its proof, and a run with its steps and none of its
// words.
func TestFactsRecordsAndRunsAreTold(t *testing.T) {
	stage := bundletest.With(t, bundletest.Setup{Tables: []postgres.MigrationSet{agent.Migrations()}})
	id := stage.Case(t, 7)
	if _, err := stage.Log.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := rigOn(t, stage.DB, stage.Evidence, brisk{})
	s := r.connect("asha", nil, "")

	mean := call(t, s, "get_fact", map[string]any{"case": string(id), "fact": "F6"})
	if mean.IsError || strings.Count(mean.text, `"kind":"observed"`) != 3 || !strings.Contains(mean.text, `mean of [F1@1 F2@1 F3@1]`) ||
		!strings.Contains(mean.text, "column pm25") || !strings.Contains(mean.text, "/cases/"+string(id)+"/facts/F6") {
		t.Errorf("get_fact of a mean: %s", mean.text)
	}
	for _, tt := range []struct {
		args map[string]any
		says string
	}{
		{map[string]any{"case": string(id), "fact": "F99"}, "not_found"},
		{map[string]any{"case": string(id), "fact": "17"}, "invalid"},
		{map[string]any{"case": string(id), "fact": "F1", "version": -1}, "invalid"},
	} {
		if got := call(t, s, "get_fact", tt.args); !got.IsError || !strings.HasPrefix(got.text, tt.says) {
			t.Errorf("get_fact of %v: %s, want %s", tt.args, got.text, tt.says)
		}
	}

	var record string
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select id from gavel.record where subject = $1 order by id limit 1`, id).Scan(&record)
	})
	if err != nil {
		t.Fatal(err)
	}
	proof := call(t, s, "verify_record", map[string]any{"record": record})
	if proof.IsError || proof.body["holds"] != true || !strings.Contains(proof.text, `"name":"inclusion"`) || !strings.Contains(proof.text,
		`"name":"signature"`) {
		t.Errorf("verify_record: %s", proof.text)
	}

	r.work()
	if _, _, err := r.Cases.Open(t.Context(), people["asha"], casefile.Opening{App: r.app, Key: "clerk." + rand.Text(),
		Title: "secretword"}); err != nil {
		t.Fatal(err)
	}
	var run agent.Run
	wait.Try(t, func() error {
		list, _, err := r.Store.List(t.Context(), north, agent.Query{})
		if err != nil || len(list) != 1 || list[0].State != agent.Done {
			return fmt.Errorf("the runs are %+v, %w; want one that is done", list, err)
		}
		run = list[0]
		return nil
	})
	told := call(t, s, "get_run", map[string]any{"run": run.ID})
	if told.IsError || told.field("state") != "done" || !strings.Contains(told.text, "brisk-1") ||
		strings.Contains(told.text, "secretword") || strings.Contains(told.text, "All of it") {
		t.Errorf("get_run: %s", told.text)
	}
}

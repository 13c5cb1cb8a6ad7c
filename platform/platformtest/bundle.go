package platformtest

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/bundle/content"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// Bundles are the files of cases of north as they leave the house, with what agents did in them.
func (i *Installation) Bundles(t testing.TB, cases ...string) (all []map[string][]byte) {
	t.Helper()
	secret, _, err := audit.NewKey("gavel.example/test")
	if err != nil {
		t.Fatal(err)
	}
	d := i.Deps
	log, err := audit.NewSequencer(audit.SequencerConfig{System: i.DB.System, Signer: secret, Now: d.Clock.Now,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	sections := content.Sections(content.Sources{DB: d.DB, Cases: d.Cases, Evidence: d.Evidence, Blobs: i.blobs})
	sections = append(sections, agent.Sections(agent.NewStore(d.DB, d.Vault, d.Rules, d.Clock))...)
	exporter, err := bundle.NewExporter(bundle.Config{DB: d.DB, System: i.DB.System, Vault: d.Vault, Rules: d.Rules, Signer: secret,
		Program: "test", Now: d.Clock.Now, Sections: sections,
		Wait: func(ctx context.Context, _ time.Duration) error { // the log takes in what it would be waited for
			_, err := log.Drain(ctx)
			return err
		}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range cases {
		b, err := exporter.Export(t.Context(), Person("auditor", postgrestest.North, identity.Auditor), id, "")
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := b.Write(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		all = append(all, bundletest.TakeApart(t, file.Bytes()).Files)
	}
	return all
}

package cli

import (
	"context"
	"io/fs"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
)

// Demo is a vanpool programme that is made up: eight vans in the middle of an ocean,
// five of which have a rider who does not fit. Its records are in files.
func Demo(files fs.FS) *platform.Demo {
	return &platform.Demo{
		Files: files,
		Load:  func(ctx context.Context, s platform.Stage) error { return loadDemo(ctx, s, files) },
		Play:  playDemo,
		Try: []platform.Trial{
			{As: identity.ProgrammeManager, Key: "pool.try.decide", Path: "/inbox"},
			{As: identity.Auditor, Key: "pool.try.verify", Path: "/audit"},
			{As: identity.ProgrammeManager, Key: "pool.try.simulate", Path: "/poolpatrol/simulate"},
		},
	}
}

// loadDemo hands the records over, has every van audited, and lets audits begin by
// themselves.
func loadDemo(ctx context.Context, s platform.Stage, files fs.FS) error {
	call := func(method, path string, body, out any) error {
		return s.Call(ctx, identity.ProgrammeManager, method, "/v1/poolpatrol/"+path, body, out)
	}
	office := rest.OfficeDraft{Programme: "Vanpools of Lantern Works (made up)", Portal: "https://portal.example.org",
		Contact: "vanpools@example.org",
		Appeal:  "reply to this mail and say why", Zone: "Asia/Kolkata", Minutes: 45, HourCost: 600, Currency: "INR"}
	if err := call(http.MethodPut, "programme", office, nil); err != nil {
		return err
	}
	for _, kind := range []intake.Kind{intake.Sites, intake.Shifts, intake.Employees, intake.Vanpools, intake.Riders} {
		text, err := fs.ReadFile(files, string(kind)+".csv")
		if err != nil {
			return err
		}
		file := rest.NewImportBody{Kind: kind, File: string(text), Whole: true}
		var preview struct{ SHA256 string }
		if err := call(http.MethodPost, "previews", rest.NewPreviewBody{Kind: kind, File: file.File, Whole: true}, &preview); err != nil {
			return err
		}
		file.SHA256 = preview.SHA256
		if err := call(http.MethodPost, "imports", file, nil); err != nil {
			return err
		}
	}
	return call(http.MethodPost, "passes", map[string]string{"kind": "asked"}, nil)
}

// playDemo is the staff system, which says four times a day that its records are current.
func playDemo(ctx context.Context, s platform.Stage) error {
	for {
		if err := s.Wait(ctx, 6*time.Hour); err != nil {
			return err
		}
		// A server that is away is asked again six hours later, as a staff system would.
		_ = s.Call(ctx, identity.ProgrammeManager, http.MethodPost, "/v1/poolpatrol/syncs",
			rest.ConfirmBody{Kinds: []intake.Kind{intake.Employees, intake.Vanpools}}, nil)
	}
}

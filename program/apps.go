package program

import (
	"context"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/eval/experiment"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/search"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

// applications are those a program runs. Tests run some of their own.
type applications []platform.App

// migrations is every migration there is, the platform's first.
func (a applications) migrations() []postgres.MigrationSet { return platform.Migrations(a...) }

// erasers blank what tables say about a person, the platform's first.
func (a applications) erasers() []seal.Eraser { return platform.Erasers(a...) }

// caseKinds is how the applications' cases are named.
func (a applications) caseKinds() []casefile.Kind {
	var kinds []casefile.Kind
	for _, app := range a {
		if app.Cases.App != "" {
			kinds = append(kinds, app.Cases)
		}
	}
	return kinds
}

// proposalKinds is what people are asked about: calls of tools, and what applications ask by
// themselves.
func (a applications) proposalKinds(tools *tool.Registry) []review.Kind {
	kinds := []review.Kind{agent.CallKind(tools)}
	for _, app := range a {
		kinds = append(kinds, app.Proposals...)
	}
	return kinds
}

// sources is where the applications' data comes from.
func (a applications) sources() []evidence.Source {
	var all []evidence.Source
	for _, app := range a {
		all = append(all, app.Sources...)
	}
	return all
}

// jobs is where people call off long work: the applications', and experiments.
func (a applications) jobs(p *parts) *job.Desk {
	kinds := []job.Kind{experiment.Job}
	for _, app := range a {
		kinds = append(kinds, app.Jobs...)
	}
	return job.NewDesk(p.db, p.clock, p.rules, kinds...)
}

// settings is what the applications want to be told at start.
func (a applications) settings() []platform.Setting {
	var all []platform.Setting
	for _, app := range a {
		all = append(all, app.Settings...)
	}
	return all
}

// queues is the task queues that workers must serve: one for each application,
// and the platform's own.
func (a applications) queues() []string {
	all := []string{casefile.General().App}
	for _, app := range a {
		if app.Work.App != "" {
			all = append(all, app.Work.App)
		}
	}
	return all
}

// caseParts is what the applications add to the pages of their cases, by their
// names.
func (a applications) caseParts() map[string][]console.Part {
	all := map[string][]console.Part{}
	for _, app := range a {
		all[app.Name] = app.CaseParts
	}
	return all
}

// finds is what of the applications people find by name and id.
func (a applications) finds() []search.Source {
	var all []search.Source
	for _, app := range a {
		all = append(all, app.Search...)
	}
	return all
}

// open tells the applications what they stand on.
func (a applications) open(d platform.Deps) error {
	for _, app := range a {
		if app.Open == nil {
			continue
		}
		if err := app.Open(ofOwn(d, app)); err != nil {
			return err
		}
	}
	return nil
}

// beginMeanwhile has the applications begin what they do by themselves, beside other
// work. What it returns ends that, and waits until it has ended.
func (a applications) beginMeanwhile(ctx context.Context, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { a.begin(ctx, log) })
	return func() { cancel(); group.Wait() }
}

// begin tries each until it works, or until it is told to end.
func (a applications) begin(ctx context.Context, log *slog.Logger) {
	for _, app := range a {
		for app.Begin != nil && ctx.Err() == nil {
			err := app.Begin(ctx)
			if err == nil {
				break
			}
			log.WarnContext(ctx, "what runs by itself has not begun yet", slog.String("app", app.Name), slog.Any("error", err))
			select {
			case <-ctx.Done():
			case <-time.After(databaseEvery):
			}
		}
	}
}

// api is what the applications answer under /v1, and what is answered there for them all.
func (a applications) api(p *parts, public string) []api.Part {
	all := []api.Part{&api.Jobs{Desk: a.jobs(p), PublicURL: public}}
	for _, app := range a {
		all = append(all, app.API...)
	}
	return all
}

// nav is the applications' lines of the navigation.
func (a applications) nav() []web.NavItem {
	var all []web.NavItem
	for _, app := range a {
		all = append(all, app.Nav...)
	}
	return all
}

// messages is the text of the applications' pages.
func (a applications) messages() []fs.FS {
	var all []fs.FS
	for _, app := range a {
		if app.Messages != nil {
			all = append(all, app.Messages)
		}
	}
	return all
}

// assets are the files of the applications' pages.
func (a applications) assets() []fs.FS {
	var all []fs.FS
	for _, app := range a {
		if app.Assets != nil {
			all = append(all, app.Assets)
		}
	}
	return all
}

// ofOwn is what an application stands on, with no setting of another's: some are
// keys.
func ofOwn(d platform.Deps, app platform.App) platform.Deps {
	all := d.Settings
	d.Settings = map[string]string{}
	for _, s := range app.Settings {
		if v, set := all[s.Name]; set {
			d.Settings[s.Name] = v
		}
	}
	return d
}

// sets are what the applications' agents are measured on, by the application's name and theirs.
func (a applications) sets() experiment.Sets {
	all := experiment.Sets{}
	for _, app := range a {
		for _, s := range app.Evals {
			all[app.Name+"/"+s.Name] = s
		}
	}
	return all
}

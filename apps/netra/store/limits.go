package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/setting"
)

// Limits are where bands begin, and when cases open and end.
type Limits struct {
	Monitoring int    `json:"monitoring" minimum:"1" maximum:"100" doc:"The score from which MONITORING begins."`
	Preventive int    `json:"preventive" minimum:"1" maximum:"100" doc:"The score from which PREVENTIVE_READINESS begins."`
	Senior     int    `json:"senior" minimum:"1" maximum:"100" doc:"The score from which SENIOR_REVIEW begins."`
	Critical   int    `json:"critical" minimum:"1" maximum:"100" doc:"The score from which CRITICAL begins."`
	Opens      string `json:"opens" enum:"MONITORING,PREVENTIVE_READINESS,SENIOR_REVIEW,CRITICAL" doc:"The lowest band that opens a case."`
	Margin     int    `json:"margin" minimum:"0" maximum:"20" doc:"How far below a band's beginning a score must be to leave it."`
	Calm       int    `json:"calm_hours" minimum:"1" maximum:"168" doc:"Hours below before a case ends."`
	Quiet      int    `json:"quiet_percent" minimum:"0" maximum:"90" doc:"Sources are silent below this share of the usual."`

	DueMonitoring int `json:"due_monitoring_hours,omitempty" minimum:"0" maximum:"120" doc:"Hours to decide about MONITORING; 0: 48."`
	DuePreventive int `json:"due_preventive_hours,omitempty" minimum:"0" maximum:"120" doc:"Hours to decide about PREVENTIVE_READINESS; 0: 24."`
	DueSenior     int `json:"due_senior_hours,omitempty" minimum:"0" maximum:"120" doc:"Hours to decide about SENIOR_REVIEW; 0: 8."`
	DueCritical   int `json:"due_critical_hours,omitempty" minimum:"0" maximum:"120" doc:"Hours to decide about CRITICAL; 0: 2."`
}

// usualLimits hold until somebody sets others.
func usualLimits() Limits {
	r := alert.Usual()
	return Limits{int(r.Thresholds[0]), int(r.Thresholds[1]), int(r.Thresholds[2]), int(r.Thresholds[3]), r.Opens.String(), int(r.Margin),
		int(r.Calm.Hours()), int(r.Quiet * 100), r.Due[0], r.Due[1], r.Due[2], r.Due[3]}
}

// Rules are the limits as the rules of alerts take them.
func (l Limits) Rules() alert.Rules {
	r := alert.Rules{Thresholds: score.Thresholds{float64(l.Monitoring), float64(l.Preventive), float64(l.Senior), float64(l.Critical)},
		Opens: score.Monitoring, Margin: float64(l.Margin), Calm: time.Duration(l.Calm) * time.Hour, Quiet: float64(l.Quiet) / 100}
	_ = r.Opens.UnmarshalText([]byte(l.Opens)) // the schema lets no other word in
	for i, hours := range []int{l.DueMonitoring, l.DuePreventive, l.DueSenior, l.DueCritical} {
		r.Due[i] = cmp.Or(hours, alert.Usual().Due[i]) // settings from before have none
	}
	return r
}

// LimitsKind is the setting of the limits.
var LimitsKind = setting.Of(setting.Kind{App: Name, Name: "limits", Title: "limits of the bands", Read: ActRead, Change: ActLimits,
	Record: "netra_limits"}, setting.Functions[Limits]{
	Default: func(context.Context, pgx.Tx, identity.Org) (Limits, error) { return usualLimits(), nil },
	Check: func(_ string, l Limits) (Limits, error) {
		return l, cmp.Or(l.Rules().Thresholds.Check(), l.Rules().Due.Check())
	},
	Preview: previewLimits,
	Said: func(l Limits) map[string]any {
		return map[string]any{"thresholds": l.Rules().Thresholds, "opens": l.Opens}
	},
})

// LimitsIn are the limits in force, and their version.
func LimitsIn(ctx context.Context, tx pgx.Tx, org identity.Org) (Limits, int64, error) {
	l, m, err := setting.Read[Limits](ctx, tx, LimitsKind, org, "")
	return l, m.Version, err
}

// RulesOf are the rules of alerts of an organisation, and the version of its limits.
func (s *Store) RulesOf(ctx context.Context, org identity.Org) (r alert.Rules, version int64, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		l, v, err := LimitsIn(ctx, tx, org)
		r, version = l.Rules(), v
		return err
	})
	return r, version, err
}

// previewLimits counts how many districts would be in which band by the newest scores that were written down. What a layer asks
// for by itself is no matter of the limits.
func previewLimits(ctx context.Context, tx pgx.Tx, _ identity.Org, was, now Limits) (all []setting.Effect, err error) {
	const newest = `select distinct on (lgd) score from netra.score where window_hours = 24 and score is not null
		and frozen_at > (select max(frozen_at) - interval '2 days' from netra.score) order by lgd, frozen_at desc`
	rows, _ := tx.Query(ctx, newest)
	scores, err := pgx.CollectRows(rows, pgx.RowTo[float64])
	if err != nil {
		return nil, fmt.Errorf("read the newest scores: %w", err)
	}
	before, after := map[score.Band]int{}, map[score.Band]int{}
	for _, x := range scores {
		before[was.Rules().Thresholds.Band(x)]++
		after[now.Rules().Thresholds.Band(x)]++
	}
	for _, b := range score.Bands() {
		all = append(all, setting.Effect{Name: b.RiskLevel(), Was: strconv.Itoa(before[b]), Now: strconv.Itoa(after[b])})
	}
	return all, nil
}

// A Shutdown says that the internet was, or is, shut down by order: a note beside scores, which changes none of them.
type Shutdown struct {
	State string `json:"state" minLength:"1" maxLength:"100" doc:"The state, as the list of districts has it."`
	LGD   int    `json:"district_lgd" minimum:"0" maximum:"999999" doc:"The district; 0: the whole state."`
	From  string `json:"from" format:"date-time" doc:"When it began, with its zone."`
	To    string `json:"to,omitempty" format:"date-time" doc:"When it ended; left out while it lasts."`
	Order string `json:"order" maxLength:"200" doc:"Where the order is published: a number, an office."`
}

// Covers reports whether a moment and district lie in it.
func (d Shutdown) Covers(lgd int, state string, at time.Time) bool {
	from, _ := time.Parse(time.RFC3339, d.From)
	to, err := time.Parse(time.RFC3339, d.To)
	return d.State == state && (d.LGD == 0 || d.LGD == lgd) && !at.Before(from) && (err != nil || at.Before(to))
}

// mostShutdowns bounds how many are noted.
const mostShutdowns = 500

// ShutdownKind is the setting of shutdowns, each under a name.
var ShutdownKind = setting.Of(setting.Kind{App: Name, Name: "shutdown", Title: "internet shutdown", Read: ActRead, Change: ActLimits,
	Record: "netra_shutdown", Many: mostShutdowns}, setting.Functions[Shutdown]{Check: checkShutdown})

func checkShutdown(_ string, d Shutdown) (Shutdown, error) {
	from, err := time.Parse(time.RFC3339, d.From)
	if err != nil {
		return d, fault.New(fault.Invalid, "say when it began with its zone, as 2026-02-03T14:58:29+05:30")
	}
	if d.To != "" {
		to, err := time.Parse(time.RFC3339, d.To)
		if err != nil || !to.After(from) {
			return d, fault.New(fault.Invalid, "it ends after it began, at a moment with its zone")
		}
	}
	return d, Impersonal(d.Order)
}

// Impersonal refuses a text of somebody's that holds personal data. What it holds is not repeated.
func Impersonal(text string) error {
	if len(pii.Find(text)) > 0 {
		return fault.New(fault.Invalid, "this names a person or gives their data; say it without").
			WithNext("leave out names, numbers, addresses and accounts").Because("netra_personal")
	}
	return nil
}

// ShutdownsIn are the shutdowns that are noted.
func ShutdownsIn(ctx context.Context, tx pgx.Tx) (all []Shutdown, err error) {
	items, err := setting.Items[Shutdown](ctx, tx, ShutdownKind)
	for _, i := range items {
		all = append(all, i.Value)
	}
	return all, err
}

package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// A removalRow is a membership that people ended, for the van's vendor and for payroll.
type removalRow struct {
	Vanpool     fleet.VanpoolID  `json:"vanpool_id"`
	Employee    fleet.EmployeeID `json:"employee_id"`
	Participant string           `json:"participant_id" doc:"What the other system calls the seat."`
	Effective   string           `json:"effective_on" doc:"The last day of the membership, as 2026-03-31."`
	DecidedAt   time.Time        `json:"decided_at"`
	Case        string           `json:"case" doc:"The ref of the case it was decided in."`
	Checks      []string         `json:"failed_checks" doc:"What did not pass."`
	Links       api.Links        `json:"links"`
}

type listRemovalsInput struct {
	api.Paging
	record.RemovalFilter
}

func (s *answers) removals(ctx context.Context, who identity.Actor, in *listRemovalsInput, after string, limit int) (
	[]removalRow, string, error,
) {
	all, next, err := s.store.Removals(ctx, who, in.RemovalFilter, after, limit)
	return list.Each(all, func(r record.Removal) removalRow {
		return removalRow{Vanpool: r.Vanpool, Employee: r.Employee, Participant: r.Participant,
			Effective: r.Effective.Format(time.DateOnly), DecidedAt: r.DecidedAt.UTC(), Case: r.Ref, Checks: listed(r.Checks),
			Links: api.Links{Page: s.public + "/cases/" + string(r.Case)}}
	}), next, err
}

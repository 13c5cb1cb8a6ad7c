package pass

import "time"

// A Lane is where a pass stands on the board of whoever looks after passes.
type Lane string

// The lanes. OffBoard is what is not on the board: over, deleted, or of another day.
const (
	OffBoard Lane = ""
	Waiting  Lane = "waiting"
	Ready    Lane = "approved"
	Out      Lane = "out"
	Late     Lane = "overdue"
	Back     Lane = "back"
	Refused  Lane = "refused"
)

// Lanes lists those that are on the board, in the order of a pass's life.
func Lanes() []Lane { return []Lane{Waiting, Ready, Out, Late, Back, Refused} }

// Lane is where a pass stands at a moment. What has come to its end stays on the board until its day, which began at day, is
// over; so does who has left for good.
func (p Pass) Lane(now, day time.Time) Lane {
	switch {
	case p.Deleted():
		return OffBoard
	case p.Status == Pending:
		return Waiting
	case p.Status == Approved && !p.Expired(now):
		return Ready
	case p.Overdue(now):
		return Late
	case p.Status == Exited && (p.IsReturnable || !p.ExitTime.Before(day)):
		return Out
	case p.Status == Returned && !p.ReturnTime.Before(day):
		return Back
	case p.Status == Rejected && !p.RejectedAt.Before(day):
		return Refused
	}
	return OffBoard
}

// DayOf is when the day of a moment began in a zone.
func DayOf(at time.Time, zone *time.Location) time.Time {
	y, m, d := at.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone).UTC()
}

// Wrong is everything that is wrong with a draft, as it would be made at a moment at a site; nothing where it could be.
func (d Draft) Wrong(at time.Time, zone *time.Location) []FieldError {
	return d.filled(Making{At: at, Zone: zone}).check(at)
}

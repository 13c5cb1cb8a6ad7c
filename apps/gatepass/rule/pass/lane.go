package pass

import "time"

// A Lane is where a pass stands on the board of whoever looks after passes.
type Lane string

// The lanes. OffBoard is what is not on the board: over, deleted, or of another day.
const (
	OffBoard    Lane = ""
	LaneWaiting Lane = "waiting"
	LaneReady   Lane = "approved"
	LaneOut     Lane = "out"
	LaneLate    Lane = "overdue"
	LaneBack    Lane = "back"
	LaneRefused Lane = "refused"
)

// Lanes lists those that are on the board, in the order of a pass's life.
func Lanes() []Lane { return []Lane{LaneWaiting, LaneReady, LaneOut, LaneLate, LaneBack, LaneRefused} }

// Lane is where a pass stands at a moment. What has come to its end stays on the board until its day, which began at day, is
// over; so does who has left for good.
func (p Pass) Lane(now, day time.Time) Lane {
	switch {
	case p.Deleted():
		return OffBoard
	case p.Status == Pending:
		return LaneWaiting
	case p.Status == Approved && !p.Expired(now):
		return LaneReady
	case p.Overdue(now):
		return LaneLate
	case p.Status == Exited && (p.IsReturnable || !p.ExitTime.Before(day)):
		return LaneOut
	case p.Status == Returned && !p.ReturnTime.Before(day):
		return LaneBack
	case p.Status == Rejected && !p.RejectedAt.Before(day):
		return LaneRefused
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

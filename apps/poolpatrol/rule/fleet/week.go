package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Shift is a weekly pattern of work as the records write it.
type Shift struct {
	ID    ShiftID `json:"id"`
	Name  string  `json:"name"`
	Slots []Slot  `json:"schedule"`
}

// A Slot is one stretch of work. Times are of the site's clock, 24 hours. An end
// at or before the start is on the next day. A slot with a latest start is
// flexible: the whole stretch may begin anywhere from Start to LatestStart and
// keeps its length.
type Slot struct {
	Day         string `json:"day"` // Mon … Sun
	Start       string `json:"start_time"`
	End         string `json:"end_time"`
	LatestStart string `json:"latest_start,omitempty"`
}

// Minutes of a day and of a week.
const (
	DayMinutes  = 24 * 60
	WeekMinutes = 7 * DayMinutes
)

// MaxSlots bounds one shift: four stretches on each day.
const MaxSlots = 28

// A Block is the way to work and back on one day of the week.
type Block struct {
	Day    int // 0 is Monday
	Start  int // minute of the day
	Length int // minutes to the end of work; above DayMinutes only where a split day ends after midnight
	Band   int // minutes by which the start may be later
}

// From is the minute of the week, from Monday 00:00, at which work begins.
func (b Block) From() int { return b.Day*DayMinutes + b.Start }

// To is the minute at which work ends, counted on past the end of the week.
func (b Block) To() int { return b.From() + b.Length }

// A Week is a shift that has been read: at most one block a day, in order.
type Week struct {
	Blocks []Block
	Split  bool // some day had several stretches: the first start and the last end count
	Flex   bool // some start may move
}

var dayNames = [...]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// DayName is the short name of a day of the week, 0 for Monday.
func DayName(day int) string { return dayNames[day%7] }

// ReadWeek reads the slots of a shift or of a van's schedule.
func ReadWeek(slots []Slot) (Week, error) {
	if len(slots) == 0 || len(slots) > MaxSlots {
		return Week{}, fault.New(fault.Invalid, "a schedule has 1 to %d entries, not %d", MaxSlots, len(slots))
	}
	var w Week
	for _, s := range slots {
		b, err := readSlot(s)
		if err != nil {
			return Week{}, err
		}
		w.Flex = w.Flex || b.Band > 0
		i := slices.IndexFunc(w.Blocks, func(o Block) bool { return o.Day == b.Day })
		if i < 0 {
			w.Blocks = append(w.Blocks, b)
			continue
		}
		w.Split = true
		w.Blocks[i] = span(w.Blocks[i], b)
	}
	slices.SortFunc(w.Blocks, func(a, b Block) int { return cmp.Compare(a.Day, b.Day) })
	return w, nil
}

// span is the day of somebody who works both blocks of one day. A start that may
// move keeps its band only if it is the first.
func span(a, b Block) Block {
	if b.Start < a.Start {
		a, b = b, a
	}
	end := max(a.Start+a.Length, b.Start+b.Length)
	a.Length = end - a.Start
	return a
}

func readSlot(s Slot) (Block, error) {
	day := slices.Index(dayNames[:], s.Day)
	if day < 0 {
		return Block{}, fault.New(fault.Invalid, "day %.20q: use Mon, Tue, Wed, Thu, Fri, Sat or Sun", s.Day)
	}
	start, err := ParseClock(s.Start)
	if err != nil {
		return Block{}, err
	}
	end, err := ParseClock(s.End)
	if err != nil {
		return Block{}, err
	}
	if end <= start {
		end += DayMinutes
	}
	b := Block{Day: day, Start: start, Length: end - start}
	if s.LatestStart == "" {
		return b, nil
	}
	latest, err := ParseClock(s.LatestStart)
	if err != nil {
		return Block{}, err
	}
	if latest < start {
		latest += DayMinutes
	}
	b.Band = latest - start
	return b, nil
}

// ParseClock reads a time of day written as 07:05 and gives its minute, 0 to 1439.
func ParseClock(s string) (int, error) {
	bad := func() (int, error) {
		return 0, fault.New(fault.Invalid, "time %.20q: use 00:00 to 23:59", s)
	}
	if len(s) != 5 || s[2] != ':' {
		return bad()
	}
	for _, i := range []int{0, 1, 3, 4} {
		if s[i] < '0' || s[i] > '9' {
			return bad()
		}
	}
	h, m := int(s[0]-'0')*10+int(s[1]-'0'), int(s[3]-'0')*10+int(s[4]-'0')
	if h > 23 || m > 59 {
		return bad()
	}
	return h*60 + m, nil
}

// Clock writes a minute as a time of day, 07:05. Minutes past midnight count on
// into the next day.
func Clock(minute int) string {
	m := (minute%DayMinutes + DayMinutes) % DayMinutes
	return fmt.Sprintf("%02d:%02d", m/60, m%60)
}

// Hours says a week in words, days with the same hours together:
// "Mon Tue Wed Thu 07:00-16:00, Fri 07:00-15:00".
func (w Week) Hours() string {
	var order []string
	days := map[string][]string{}
	for _, b := range w.Blocks {
		h := Clock(b.Start) + "-" + Clock(b.Start+b.Length)
		if b.Band > 0 {
			h += " (start up to " + Clock(b.Start+b.Band) + ")"
		}
		if days[h] == nil {
			order = append(order, h)
		}
		days[h] = append(days[h], DayName(b.Day))
	}
	for i, h := range order {
		order[i] = strings.Join(days[h], " ") + " " + h
	}
	return strings.Join(order, ", ")
}

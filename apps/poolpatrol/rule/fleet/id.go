package fleet

import (
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// An EmployeeID is how people name somebody in the staff records: EMP-1006.
type EmployeeID string

// A VanpoolID is a van's: VP-101.
type VanpoolID string

// A ShiftID is a shift's: SHIFT_DAY.
type ShiftID string

// A SiteID is a workplace's: PLANT-1.
type SiteID string

// A RunID is an audit run's: RUN-1F00A3BC. Like the ids below it is a prefix and
// eight hexadecimal digits in capitals. Four billion are few: at 77,000 ids half
// of all installations have seen one twice, so whoever stores one has a unique
// constraint and tries again.
type RunID string

// A CaseID is the reference people know a case by: CASE-A3F8B291.
type CaseID string

// A ThreadID is one conversation's: THREAD-A3F8B291.
type ThreadID string

// A MessageID is one mail's: MSG-12345678.
type MessageID string

var (
	shiftForm = regexp.MustCompile(`^SHIFT_[A-Z0-9_]{1,40}$`)
	siteForm  = regexp.MustCompile(`^[A-Z][A-Z0-9_-]{0,39}$`)
	hexForm   = regexp.MustCompile(`^[0-9A-F]{8}$`)
)

// ParseEmployee checks the form of an employee's id.
func ParseEmployee(s string) (EmployeeID, error) {
	return EmployeeID(s), form(numbered(s, "EMP-", 4), s, "employee", "EMP- and four digits or more")
}

// ParseVanpool checks the form of a vanpool's id.
func ParseVanpool(s string) (VanpoolID, error) {
	return VanpoolID(s), form(numbered(s, "VP-", 3), s, "vanpool", "VP- and three digits or more")
}

// ParseShift checks the form of a shift's id.
func ParseShift(s string) (ShiftID, error) {
	return ShiftID(s), form(shiftForm.MatchString(s), s, "shift", "SHIFT_ and capitals, digits or _")
}

// ParseSite checks the form of a site's id.
func ParseSite(s string) (SiteID, error) {
	return SiteID(s), form(siteForm.MatchString(s), s, "site", "capitals, digits, _ or -, a letter first")
}

// ParseCase checks the form of a case's reference.
func ParseCase(s string) (CaseID, error) {
	rest, ok := strings.CutPrefix(s, "CASE-")
	if !ok || !hexForm.MatchString(rest) {
		return "", fault.New(fault.Invalid, "case %.60q: use CASE- and eight of 0-9 and A-F", s)
	}
	return CaseID(s), nil
}

func form(ok bool, s, what, use string) error {
	if !ok {
		return fault.New(fault.Invalid, "%s %.60q: use %s", what, s, use)
	}
	return nil
}

// numbered reports whether an id is a prefix and digits, so many at least and twelve
// at most. A pass asks it of everybody, so it is no pattern.
func numbered(s, prefix string, least int) bool {
	digits, ok := strings.CutPrefix(s, prefix)
	if !ok || len(digits) < least || len(digits) > 12 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// NewCase is the reference of a case made of four random bytes.
func NewCase(random [4]byte) CaseID { return CaseID("CASE-" + capitals(random)) }

func capitals(b [4]byte) string { return strings.ToUpper(hex.EncodeToString(b[:])) }

// Package programme says what the application is called, and what there is to be
// allowed in it.
package programme

import "github.com/gavelhq/gavel/platform/policy"

// Name is the application's: its addresses, its task queue, the log.
const Name = "poolpatrol"

// The acts of the application.
const (
	ActRead   = "poolpatrol.records.read"
	ActChange = "poolpatrol.records.change"
	ActAudit  = "poolpatrol.audit.run"
	ActTry    = "poolpatrol.policy.try"

	ActSettings = "poolpatrol.settings.change"
	ActStaff    = "poolpatrol.staff.read"
)

// Acts lists them in words.
func Acts() []policy.Act {
	return []policy.Act{
		{Name: ActRead, Words: "read the records of the vanpool programme", Reads: true},
		{Name: ActChange, Words: "import or change the records of the vanpool programme"},
		{Name: ActAudit, Words: "have the vanpools audited", Persons: true},
		{Name: ActTry, Words: "try other rules on the vanpools", Persons: true, Reads: true},
		{Name: ActStaff, Words: "read the staff records of the vanpool programme back, by SCIM", Reads: true},
		{Name: ActSettings, Words: "set up the vanpool programme and when it audits by itself", Persons: true},
	}
}

package poolpatrol

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
)

// TestTheDemonstrationsFilesAreTaken promises that no line of them is refused.
func TestTheDemonstrationsFilesAreTaken(t *testing.T) {
	taken(t, intake.SiteTable(), "demo/sites.csv")
	taken(t, intake.ShiftTable(), "demo/shifts.csv")
	taken(t, intake.EmployeeTable(), "demo/employees.csv")
	taken(t, intake.VanpoolTable(), "demo/vanpools.csv")
	taken(t, intake.RiderTable(), "demo/riders.csv")
}

func taken[T any](t *testing.T, table intake.Table[T], name string) {
	t.Helper()
	text, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := intake.Read(table, text)
	if err != nil || file.Count > 0 {
		t.Errorf("%s: %v, %+v", name, err, file.Refusals)
	}
}

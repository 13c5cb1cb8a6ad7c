package roster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
)

var (
	kolkata = time.FixedZone("IST", 5*3600+1800)
	now     = time.Date(2026, 11, 18, 9, 0, 0, 0, kolkata)
)

// TestAPastedListBecomesDrafts promises that cells of a spreadsheet and of a CSV file are read alike, times are the site's, and
// further lines of a person add things.
func TestAPastedListBecomesDrafts(t *testing.T) {
	const list = "Name,Purpose,Comes_back,employee,back_by,item,quantity,serial,item_back\n" +
		"Asha Rao,To the bank,yes,E-7,15:30,Laptop,1,L-2207,yes\nAsha Rao,To the bank,yes,E-7,15:30,Charger,2,,\nआर. देवी,Home,नहीं,,,,,,\n"
	for _, text := range []string{list, strings.ReplaceAll(list, ",", "\t"), strings.ReplaceAll(list, "\n", "\r\n")} {
		f, err := Read(text, now, kolkata)
		if err != nil || f.Count != 0 || len(f.Rows) != 2 {
			t.Fatalf("%d rows, %+v, %v", len(f.Rows), f.Refusals, err)
		}
		d := f.Rows[0].Value.Draft("main")
		if d.PersonName != "Asha Rao" || !*d.IsReturnable || d.SiteID != "main" || len(d.Items) != 2 || d.Items[1].Quantity != 2*item.One ||
			!d.Items[0].Returnable || !d.ExpectedReturnAt.Equal(time.Date(2026, 11, 18, 15, 30, 0, 0, kolkata)) {
			t.Errorf("got %+v", d)
		}
		if *f.Rows[1].Value.Draft("").IsReturnable {
			t.Error("who does not come back is expected")
		}
	}
}

// TestALineThatCannotBecomeAPassIsNamed promises the number of the line and the reason, and that nobody guesses whether somebody
// comes back.
func TestALineThatCannotBecomeAPassIsNamed(t *testing.T) {
	for line, reason := range map[string]string{
		"Asha,Bank,,":             "comes_back: say yes or no",
		"Asha,Bank,perhaps,":      "comes_back: say yes or no",
		"Asha,,yes,":              "description: required",
		"Asha,Bank,yes,8:99":      "15:30",
		"Asha,Bank,yes,08:30":     "expected_return_at",
		"Asha,Bank,no,15:30":      "expected_return_at: not returnable",
		",Bank,yes,":              "name",
		"Asha,Bank,yes,25-1-2026": "15:30",
	} {
		f, err := Read("name,purpose,comes_back,back_by\n"+line+"\n", now, kolkata)
		if err != nil || f.Count != 1 || f.List[0].Line != 2 || !strings.Contains(f.List[0].Reason, reason) {
			t.Errorf("%q: got %+v, %v; want %q of line 2", line, f.Refusals, err, reason)
		}
	}
}

// TestAListThatIsTooLongIsRefused promises a bound on what one form makes.
func TestAListThatIsTooLongIsRefused(t *testing.T) {
	list := func(n int) string {
		var b strings.Builder
		b.WriteString("name,purpose,comes_back\n")
		for i := range n {
			fmt.Fprintf(&b, "Person %d,Bank,yes\n", i)
		}
		return b.String()
	}
	if _, err := Read(list(Most), now, kolkata); err != nil {
		t.Errorf("%d people: %v", Most, err)
	}
	if _, err := Read(list(Most+1), now, kolkata); err == nil {
		t.Errorf("%d people were taken", Most+1)
	}
}

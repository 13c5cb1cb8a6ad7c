package paper_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/paper"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestAPassOnPaperSaysWhatItIsAndRunsNothing promises on every size its own sheet, what a guard needs in both languages, and nothing that
// somebody wrote into a name as a part of the page.
func TestAPassOnPaperSaysWhatItIsAndRunsNothing(t *testing.T) {
	at := time.Date(2026, 12, 31, 20, 0, 0, 0, time.UTC)
	p := pass.Pass{Number: "GP-2026-0001", Code: "ABC234", PersonName: `<script>alert("x")</script>`, Description: "a & b",
		IsReturnable: true,
		Status:       pass.Approved,
		ValidFrom:    at, ValidUntil: at.Add(time.Hour), Items: []item.Item{{Name: "<b>Cable", Quantity: 2500, Unit: "m", Serial: "S-1"}}}
	for size, sheet := range map[paper.Size]string{paper.A4: "210mm 297mm", paper.A6: "105mm 148mm", paper.Strip: "80mm 160mm"} {
		page := string(paper.Sheet{Pass: p, Site: "Main", Zone: time.FixedZone("IST", 5*3600+1800), Size: size,
			Code: `<svg class="qr"></svg>`}.HTML())
		for _, want := range []string{"size:" + sheet, "GP-2026-0001", "&lt;script&gt;", "a &amp; b", "1 Jan 2027 01:30", "गेट पास",
			"2.5 m &lt;b&gt;Cable", `<svg class="qr">`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %s", size, want)
			}
		}
		if beside := strings.Contains(page, "dl{display:grid"); beside != (size != paper.A4) {
			t.Errorf("%s has its labels beside what they name: %v", size, beside)
		}
		if strings.Contains(page, "<script") || strings.Contains(page, "http") {
			t.Errorf("%s runs or fetches something", size)
		}
	}
	if page := string(paper.Sheet{Pass: p, Zone: time.UTC, Size: paper.A6}.HTML()); !strings.Contains(page, "has no code") {
		t.Error("a pass without a code does not say so")
	}
	if s, err := paper.ParseSize(""); err != nil || s != paper.A4 {
		t.Errorf("none said: %s, %v", s, err)
	}
	if _, err := paper.ParseSize("A3"); !fault.Is(err, fault.Invalid) {
		t.Errorf("A3: %v", err)
	}
}

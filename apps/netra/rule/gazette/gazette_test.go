package gazette_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

const head = "lgd,name,state,valid_from,valid_to,tags,reviewed_by,reviewed_on\n"

// TestADistrictIsFoundByCodeOrName promises that sources may write names as they do, and that a split has a date.
func TestADistrictIsFoundByCodeOrName(t *testing.T) {
	all, err := gazette.Read([]byte(head +
		"1,Old Hill,Made-up,2016-01-01,2022-04-04,,,\n2,New Hill,Made-up,2022-04-04,,border capital,A. Officer,2026-01-31\n"))
	if err != nil {
		t.Fatal(err)
	}
	book, err := gazette.NewBook(all)
	if err != nil {
		t.Fatal(err)
	}
	split := time.Date(2022, 4, 4, 0, 0, 0, 0, signal.India())
	if e, ok := book.Named("OLD  hill District", "made-up state", split.Add(-1)); !ok || e.LGD != 1 {
		t.Errorf("before: got %+v", e)
	}
	if _, ok := book.Named("Old Hill", "Made-up", split); ok {
		t.Error("after the split there is no old one")
	}
	if codes := book.Codes(split); len(codes) != 1 || codes[0] != 2 {
		t.Errorf("got %v", codes)
	}
	if m, why := book.Table().Multiplier(2, split); m != 1.5 || why != signal.Reviewed {
		t.Errorf("got %v, %v", m, why)
	}
	if m, why := book.Table().Multiplier(1, split.Add(-1)); m != 1 || why != signal.Unknown {
		t.Errorf("nobody has signed: got %v, %v", m, why)
	}
}

func TestAFileOfDistrictsIsReadWholeOrNotAtAll(t *testing.T) {
	for name, text := range map[string]string{
		"no code":         head + "x,A,B,2020-01-01,,,,\n",
		"no name":         head + "1,,B,2020-01-01,,,,\n",
		"no day":          head + "1,A,B,soon,,,,\n",
		"ends first":      head + "1,A,B,2020-01-01,2019-01-01,,,\n",
		"no such tag":     head + "1,A,B,2020-01-01,,hilly,A. Officer,2026-01-31\n",
		"nobody signed":   head + "1,A,B,2020-01-01,,border,,2026-01-31\n",
		"signed when":     head + "1,A,B,2020-01-01,,border,A. Officer,\n",
		"two at one time": head + "1,A,B,2020-01-01,,,,\n1,C,B,2021-01-01,,,,\n",
		"none":            head,
		"no columns":      "a,b\n1,2\n",
	} {
		if all, err := gazette.Read([]byte(text)); err == nil {
			t.Errorf("%s: got %+v", name, all)
		} else if strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	}
}

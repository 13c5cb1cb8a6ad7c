package summary_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

var tokenForm = regexp.MustCompile(`\{\{(F\d+)(\|abs)?\}\}`)

// shown is an insight as people would read it.
func shown(book *fact.Book, i summary.Insight) string {
	return i.Rule + " " + tokenForm.ReplaceAllStringFunc(i.Template, func(tok string) string {
		m := tokenForm.FindStringSubmatch(tok)
		f, _ := book.Latest(fact.ID(m[1]))
		return strings.ReplaceAll(fact.Style{}.Show(f, fact.Options{Abs: m[2] != ""}), "\u00a0", " ")
	})
}

// TestEachRuleSpeaksWhereItHolds promises the sentences of K1 to K8, in the order of their weight, and their silence where a
// rule does not hold.
func TestEachRuleSpeaksWhereItHolds(t *testing.T) {
	wide, long := "scen,fuel,unit,2025,2030,2050\n", "sector,val,measure,scen\n"
	spec := `{"title": "x", "category": "a", "groupby": [], "extra_points": {"Goal": {"2030": 7.5, "2040": 1}}}`
	for _, tt := range []struct {
		name, csv, spec string
		want            []string
	}{
		{"one scenario, nothing to compare", wide + "A,Gas,PJ,5,5,5\nA,Oil,PJ,5,5,5\n", "", nil},
		{"a common start and an end apart", wide + "A,Gas,PJ,10,9,8\nB,Gas,PJ,10,10,10\n", "",
			[]string{"K1 In all scenarios, Gas starts from 10 PJ in 2025.", "K3 Of all scenarios, Gas falls most in A, by 2 PJ.",
				"K6 In 2050, Gas is 2 PJ higher in B than in A."}},
		{"starts that differ", wide + "A,Gas,PJ,10,9,8\nB,Gas,PJ,10.01,10,10\n", "",
			[]string{"K3 Of all scenarios, Gas falls most in A, by 2.00 PJ.", "K6 In 2050, Gas is 2.00 PJ higher in B than in A."}},
		{"the same series falls most", long + "Gas,-3,relative,A\nOil,-1,relative,A\nGas,-2,relative,B\nOil,-1,relative,B\n", "",
			[]string{"K3 Of all scenarios, the total falls most in A, by 4.",
				"K2 Gas has the largest reduction in all scenarios, between 2 and 3."}},
		{"another series falls most", long + "Gas,-3,relative,A\nOil,-1,relative,A\nGas,-1,relative,B\nOil,-2,relative,B\n", "",
			[]string{"K3 Of all scenarios, the total falls most in A, by 4."}},
		{"two series fall most", long + "Gas,-3,relative,A\nOil,-3,relative,A\nGas,-1,relative,B\nOil,0,relative,B\n", "",
			[]string{"K3 Of all scenarios, the total falls most in A, by 6."}},
		{"an increase and a net below zero", long + "Net 2025,4,relative,A\nGas,-6,relative,A\nOil,1,relative,A\n", "",
			[]string{"K5 In A, the total falls from 4 to −1.", "K7 In A, the total falls by 125.0 %.", "K4 In A, Oil increases by 1."}},
		{"through zero, upwards", wide + "A,Gas,PJ,-2,3,4\n", "",
			[]string{"K5 In A, Gas rises from −2 PJ in 2025 to 3 PJ in 2030."}},
		{"nearly all of it", wide + "A,Gas,PJ,100,50,9\nA,Oil,PJ,100,50,10\n", "",
			[]string{"K7 In A, the total falls by 90.5 % between 2025 and 2050.", "K7 In A, Gas falls by 91.0 % between 2025 and 2050."}},
		{"a target in its year", wide + "A,Gas,PJ,10,9,8\nB,Gas,PJ,10,7,8\n", spec,
			[]string{"K1 In all scenarios, Gas starts from 10 PJ in 2025.", "K8 In 2030, Gas in A is 1.5 PJ above the target Goal.",
				"K8 In 2030, Gas in B is 0.5 PJ below the target Goal."}},
	} {
		book, s := one(t, tt.csv, tt.spec)
		var got []string
		for _, i := range s.Body.Insights {
			got = append(got, shown(book, i))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// TestNoMoreThanEightAreSaid promises the bound, and that the weightiest are kept.
func TestNoMoreThanEightAreSaid(t *testing.T) {
	csv := "sector,val,measure,scen\n"
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		csv += "S" + n + "," + n + ",relative,A\n"
	}
	book, s := one(t, csv, "")
	if n := len(s.Body.Insights); n != summary.MaxInsights || shown(book, s.Body.Insights[0]) != "K4 In A, S10 increases by 10." ||
		shown(book, s.Body.Insights[7]) != "K4 In A, S3 increases by 3." {
		t.Errorf("got %d: %+v", n, s.Body.Insights)
	}
}

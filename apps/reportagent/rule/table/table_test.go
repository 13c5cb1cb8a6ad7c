package table_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
)

func read(t testing.TB, file string, hints table.Hints) (*table.Table, diagnostic.List) {
	t.Helper()
	got, told, err := table.Read([]byte(file), hints)
	if err != nil {
		t.Fatal(err)
	}
	return got, told
}

// say is a table in one line per series.
func say(t *table.Table) string {
	var b strings.Builder
	for _, s := range t.Series {
		b.WriteString(s.Scenario + "/" + s.Label() + " [" + s.Unit.String() + "]")
		for _, c := range s.Cells {
			b.WriteString(" ")
			if c.Year > 0 {
				b.WriteString(big.NewInt(int64(c.Year)).String() + "=")
			}
			b.WriteString(c.Text + "@" + big.NewInt(int64(c.Record)).String() + c.Column)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestEveryFormIsRead promises what each form of table is read as, with the place of every value.
func TestEveryFormIsRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		file  string
		hints table.Hints
		form  table.Form
		dims  string
		want  string
	}{
		{"wide", "scen,fuel,unit,2025,2040\nA,\"Coal, black\",PJ,1.5,2\nB,Gas,PJ,,-0.25\n", table.Hints{}, table.Wide, "fuel",
			"A/Coal, black [PJ] 2025=1.5@12025 2040=2@12040\nB/Gas [PJ] 2025=@22025 2040=-0.25@22040\n"},
		{"long", "process_sector0,val,measure,scen\nNet 2025,401.05,relative,A\nPower,-1e2,relative,A\n", table.Hints{Unit: "Mt"},
			table.Long,
			"process_sector0", "A/Net 2025 [Mt] 401.05@1val\nA/Power [Mt] -1e2@2val\n"},
		{"no scenario", "\xef\xbb\xbfkind,unit,2025\r\nX,PJ,1\r\n", table.Hints{}, table.Wide, "kind", "all/X [PJ] 2025=1@12025\n"},
		{"IAMC wide",
			"Model,Scenario,Region,Variable,Unit,2005,2010\nm,A,World,E|Gas,EJ/yr,1,2\n",
			table.Hints{}, table.IAMCWide, "Model Region Variable",
			"A/m, World, E|Gas [EJ/yr] 2005=1@12005 2010=2@12010\n"},
		{"IAMC long", "model,scenario,region,variable,unit,year,value\nm,A,World,E,EJ/yr,2010,2\nm,A,World,E,EJ/yr,2005,1\n",
			table.Hints{}, table.IAMCLong,
			"model region variable", "A/m, World, E [EJ/yr] 2005=1@2value 2010=2@1value\n"},
		{"project view", "scenario,variable,process,unit,state,year,val\n" +
			"A,capacity,P1,GW,N,2025,1\nA,capacity,P1,GW,S,2025,2\nA,capacity,P1,GW,N,2030,3\n",
			table.Hints{}, table.View, "variable process state",
			"A/capacity, P1, N [GW] 2025=1@1val 2030=3@3val\nA/capacity, P1, S [GW] 2025=2@2val\n"},
		{"with what the chart was grouped by", "scen,fuel,note,unit,2025\nA,Gas,x,PJ,1\n",
			table.Hints{Dimensions: []string{"scen", "fuel", "commodity_fuel0"}},
			table.Wide, "fuel", "A/Gas [PJ] 2025=1@12025\n"},
	} {
		got, _ := read(t, tt.file, tt.hints)
		if got.Form != tt.form || strings.Join(got.Dimensions, " ") != tt.dims || say(got) != tt.want {
			t.Errorf("%s: got %s by %v\n%swant %s by %s\n%s", tt.name, got.Form, got.Dimensions, say(got), tt.form, tt.dims, tt.want)
		}
	}
}

// TestWhatIsWrongWithATableIsTold promises a word for each fault, and that nothing is made up in its place.
func TestWhatIsWrongWithATableIsTold(t *testing.T) {
	for _, tt := range []struct{ code, file, want string }{
		{"D002", "scen,k,unit,2025\nA,x,PJ\nA,y,PJ,1\n", "A/y [PJ] 2025=1@22025\n"},
		{"D003", "scen,k,unit,2025\nA,x,PJ,\"1,234\"\n", "A/x [PJ] 2025=@12025\n"},
		{"D003", "scenario,k,unit,year,val\nA,x,PJ,soon,1\nA,x,PJ,2030,2\n", "A/x [PJ] 2030=2@2val\n"},
		{"D004", "scen,k,unit,2025\nA,x,fraction,37.87\nA,y,fraction,1\n", "A/x [%] 2025=37.87@12025\nA/y [%] 2025=1@22025\n"},
		{"D005", "scen,k,unit,2025\nA,x,PJ,1\nA,x,PJ,2\nA,y,PJ,3\n", "A/y [PJ] 2025=3@32025\n"},
		{"D005", "scenario,k,unit,year,val\nA,x,PJ,2030,1\nA,x,PJ,2030,2\nA,x,PJ,2031,3\n", "A/x [PJ] 2031=3@3val\n"},
		{"D006", "scen,k,unit,2025\nA,x,['TWh' 'Mt CO₂-e'],1\n", "A/x [TWh or Mt CO₂-e] 2025=1@12025\n"},
		{"D006", "scen,k,unit,2025\nA,x,PJ,1\nA,x,Mt,1\n", "A/x [PJ] 2025=1@12025\nA/x [Mt] 2025=1@22025\n"},
		{"D007", "scen,k,unit,2025\nA,x,PJ,\nA,y,PJ,NaN\n", "A/x [PJ] 2025=@12025\nA/y [PJ] 2025=@22025\n"},
		{"D008", "k,unit,2025\nx,PJ,1\n", "all/x [PJ] 2025=1@12025\n"},
		{"D009", "scen,k,2025\nA,x,1\n", "A/x [] 2025=1@12025\n"},
		{"", "scen,k,unit,2025\nA,x,fraction,0.3787\n", "A/x [fraction] 2025=0.3787@12025\n"},
	} {
		got, told := read(t, tt.file, table.Hints{})
		codes := slices.Compact(told.Codes())
		if say(got) != tt.want || strings.Join(codes, " ") != tt.code {
			t.Errorf("%s: got %v and\n%swant\n%s", tt.code, told, say(got), tt.want)
		}
	}
}

func TestWhatIsNoTableIsRefused(t *testing.T) {
	for _, file := range []string{
		"", "a;b;2025\n1;2;3\n", "a,b\n1,2\n", "a,2025,2025\nx,1,2\n", "a,,2025\n", "a,2025\n\"x,1\n", "a,2025\n\xff,1\n",
	} {
		if got, _, err := table.Read([]byte(file), table.Hints{}); err == nil {
			t.Errorf("%q was read: %+v", file, got)
		}
	}
}

func TestOnlyWhatMayBeAddedIsAdded(t *testing.T) {
	for unit, want := range map[string]bool{
		"PJ": true, "%": false, "Percent": false, "fraction": false, "['TWh' 'PJ']": false, "['TWh']": true, "": true,
	} {
		got, _ := read(t, "scen,k,unit,2025\nA,x,"+unit+",0.5\n", table.Hints{})
		if got.Summable() != want {
			t.Errorf("%q: got %v, want %v", unit, got.Summable(), want)
		}
	}
}

// TestComponentsAddUpToTheirVariable promises that an IAMC table which contradicts itself is told of, and rounding is not.
func TestComponentsAddUpToTheirVariable(t *testing.T) {
	head := "model,scenario,region,variable,unit,2005,2010\n"
	right := head + "m,A,W,E,EJ,3.00,5.01\nm,A,W,E|Coal,EJ,1.00,2.50\nm,A,W,E|Gas,EJ,2.00,2.50\n"
	got, _ := read(t, right, table.Hints{})
	if told := got.CheckHierarchy(); len(told) != 0 {
		t.Errorf("got %v for what rounding explains", told)
	}
	got, _ = read(t, strings.Replace(right, "5.01", "5.02", 1), table.Hints{})
	if told := got.CheckHierarchy(); len(told) != 1 || told[0].Code != "D011" || !strings.Contains(told[0].Message, "2010") {
		t.Errorf("got %v", told)
	}
	got, _ = read(t, strings.Replace(right, "2.50\n", "\n", 1), table.Hints{})
	if told := got.CheckHierarchy(); len(told) != 0 {
		t.Errorf("got %v where a component has no value", told)
	}
}

func TestTheViewIsCalledByItsPublishedNames(t *testing.T) {
	for column, want := range map[string]string{
		"scen": "scenario", "varbl": "variable", "process_sector0": "sector0", "commodity_fuel1": "fuel1", "state": "state",
	} {
		if got := table.Published(column); got != want {
			t.Errorf("%s: got %s, want %s", column, got, want)
		}
	}
}

// FuzzRead looks for a table whose values do not stand where it says.
func FuzzRead(f *testing.F) {
	f.Add([]byte("scen,fuel,unit,2025,2040\nA,\"Coal, black\",PJ,1.5,2\nA,\"Coal, black\",['TWh' 'PJ'],1.5,\n"))
	f.Add([]byte("model,scenario,region,variable,unit,year,value\nm,A,World,E,share,2010,2\n"))
	f.Add([]byte("*ImportID- Scenario:A;\n*Dimensions- Attribute;Commodity;Process;Period;Region;PV\n\"C\",\"E\",\"P\",\"2030\",\"R\",\"1E-2\"\n"))
	f.Add([]byte("k,val,measure,scen\nNet 2025,401.05,relative,A\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, _, err := table.Read(file, table.Hints{})
		if err != nil {
			return
		}
		for _, s := range got.Series {
			if len(s.Labels) != len(got.Dimensions) {
				t.Fatalf("%v by %v", s.Labels, got.Dimensions)
			}
			for _, c := range s.Cells {
				if c.Record < 1 || c.Record > got.Records || !slices.Contains(got.Columns, c.Column) {
					t.Fatalf("%+v in %d records of %v", c, got.Records, got.Columns)
				}
			}
		}
		got.CheckHierarchy()
	})
}

package madeup

import (
	"fmt"
	"strconv"
	"strings"
)

// A VedaRow is one value of a run of TIMES, before it became a file.
type VedaRow struct {
	Attribute, Commodity, Process, Region, Vintage, TimeSlice string
	Period                                                    int   // 0: the row has none
	Cents                                                     int64 // of the value, in hundredths
	Small                                                     bool  // it is a ten-thousandth of that, with a power of ten
}

// A VedaRun is what VEDA exports of one scenario. Some rows have no period, vintages part series that are alike otherwise, and some
// values are written as 1.25E-03.
type VedaRun struct {
	Scenario string
	Rows     []VedaRow
}

// Veda draws one attribute of a run: VAR_FOut, VAR_Cap or another.
func Veda(seed uint64, attribute string) VedaRun {
	v := VedaRun{Scenario: Deep}
	d := cast(seed, 41)
	for p := range 6 {
		for _, region := range states[:2] {
			for _, vintage := range []string{"2020", "2030"} {
				for _, period := range []int{2025, 2030, 2040, 2050} {
					row := VedaRow{Attribute: attribute, Commodity: "ELC", Process: fmt.Sprintf("P_%02d", p), Region: region,
						Vintage: vintage, TimeSlice: "ANNUAL", Period: period, Cents: d.below(900_00) - 50_00, Small: p == 5}
					v.Rows = append(v.Rows, row)
				}
			}
		}
	}
	v.Rows = append(v.Rows, VedaRow{Attribute: attribute, Commodity: "ELC", Process: "P_00", Region: states[0], Vintage: "2020",
		TimeSlice: "ANNUAL", Cents: 1_00})
	return v
}

// Text is the value of a row as the file writes it.
func (r VedaRow) Text() string {
	if r.Small {
		return Decimal(r.Cents) + "E-04"
	}
	return Decimal(r.Cents)
}

// vedaColumns are the dimensions of a file of VEDA, in their order.
var vedaColumns = []string{"Attribute", "Commodity", "Process", "Period", "Region", "Vintage", "TimeSlice", "UserConstraint", "PV"}

func (r VedaRow) fields() []string {
	period := "-"
	if r.Period > 0 {
		period = strconv.Itoa(r.Period)
	}
	return []string{r.Attribute, r.Commodity, r.Process, period, r.Region, r.Vintage, r.TimeSlice, "-", r.Text()}
}

// VD is the file as the solver leaves it: a preamble with asterisks, and no line that names the columns.
func (v VedaRun) VD() []byte {
	var b strings.Builder
	b.WriteString("*ImportID- Scenario:" + v.Scenario + ";\n*DataBaseName- MADEUP;\n*Dimensions- " + strings.Join(vedaColumns, ";") +
		"\n*DefaultValueDim- PV\n*FieldSeparator-,\n*TextDelim-\"\n")
	for _, r := range v.Rows {
		b.WriteString("\"" + strings.Join(r.fields(), "\",\"") + "\"\n")
	}
	return []byte(b.String())
}

// Batch is the file as a batch export of VEDA leaves it: a header, the scenario in each row, and a column of denominators.
func (v VedaRun) Batch() []byte {
	rows := [][]string{append(append([]string{"Scenario"}, vedaColumns...), "Pv~den")}
	for _, r := range v.Rows {
		rows = append(rows, append(append([]string{v.Scenario}, r.fields()...), "1"))
	}
	return write(rows)
}

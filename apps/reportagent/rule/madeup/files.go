package madeup

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"
)

// Files are the files of the run, by path, as a plotting program leaves them.
func (r Run) Files() map[string][]byte {
	out := map[string][]byte{
		"plot_specs.json":                 r.specs(),
		"project_view_harbour.csv":        r.view(),
		"project_view_harbour.schema.csv": []byte(dictionary),
	}
	for i, c := range r.Charts {
		at := c.Category + "/" + c.ID
		out[at+".csv"] = r.csv(c)
		out[at+".json"] = r.figure(c, i%17 == 5)
		out[at+".png"] = picture(c)
		if i%10 == 0 {
			out[at+".html"] = []byte("<!doctype html><title>" + c.Title + "</title>\n")
		}
	}
	return out
}

// Decimal is hundredths as a plotting program writes them: 12.0, 12.5, 12.55.
func Decimal(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	s := fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
	return strings.TrimSuffix(s, "0")
}

// text is a value as it stands in a cell.
func (v Value) text() string {
	if v.Empty {
		return ""
	}
	return Decimal(v.Cents)
}

// csv is the table of a chart.
func (r Run) csv(c Chart) []byte {
	var rows [][]string
	switch {
	case c.Long:
		rows = append(rows, []string{c.Column, "val", "measure", "scen"})
		for _, s := range c.Series {
			rows = append(rows, []string{s.Label, s.Values[0].text(), "relative", s.Written})
		}
	default:
		head := []string{"scen", c.Column, "unit"}
		if c.NoScen {
			head = head[1:]
		}
		for _, y := range r.Years {
			head = append(head, strconv.Itoa(y))
		}
		rows = append(rows, head)
		for _, s := range c.Series {
			row := []string{s.Written, s.Label, c.Unit}
			if c.NoScen {
				row = row[1:]
			}
			for _, v := range s.Values {
				row = append(row, v.text())
			}
			rows = append(rows, row)
		}
	}
	return write(rows)
}

func write(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		panic("madeup: memory cannot be written: " + err.Error())
	}
	return b.Bytes()
}

// picture is a small image with a bar for each series. Nobody reads numbers from it.
func picture(c Chart) []byte {
	img := image.NewGray(image.Rect(0, 0, 4*len(c.Series)+2, 20))
	for i, s := range c.Series {
		height := int(min(18, max(1, s.Values[0].Cents/500)))
		for y := 20 - height; y < 20; y++ {
			img.SetGray(4*i+2, y, color.Gray{Y: 200})
			img.SetGray(4*i+3, y, color.Gray{Y: 200})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("madeup: memory cannot be written: " + err.Error())
	}
	return b.Bytes()
}

// dictionary says what the columns of the raw view mean.
const dictionary = `column,dtype,description,unique_values,example_values
scenario,str,name of the scenario,3,Harbour-1p5DS
variable,str,what is counted,2,"production, capacity"
process,str,code of the process,8,P_COAL_1
unit,str,unit of val,2,PJ
sector0,str,sector,2,Power Generation
fuel1,str,fuel,4,Black Coal
state,str,state,2,Northhaven
year,int,year of the value,3,2025
val,float,value,144,12.55
`

// view is the raw table behind the charts, a small part of one. Two of its columns still have the model's own names.
func (r Run) view() []byte {
	rows := [][]string{{"scen", "varbl", "process", "process_desc", "commodity", "unit", "sector0", "sector1", "sector2", "technology0",
		"technology1", "technology2", "end_use", "fuel0", "fuel1", "commodity_type", "state", "jurisdiction", "source", "year", "val"}}
	d := cast(23, 1)
	for _, scenario := range r.Scenarios {
		for i := range 8 {
			for _, state := range states[:2] {
				for _, y := range []int{2025, 2030, 2050} {
					fuel := fuels[i%4]
					rows = append(rows, []string{scenario, "production", fmt.Sprintf("P_%02d", i), "Made-up process " + strconv.Itoa(i),
						"ELC", "PJ",
						sectors[i/4], "", "", fuel, "", "", "", "Fossil", fuel, "energy", state, state, "model", strconv.Itoa(y),
						Decimal(d.below(90_00))})
				}
			}
		}
	}
	return write(rows)
}

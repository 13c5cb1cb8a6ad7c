package program

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/platform/identity"
)

// reportMakers are how an organisation gets what the Report Agent's addresses name.
func (e *estate) reportMakers() map[string]func() string {
	return map[string]func() string{
		"reports/{id}":       e.report,
		"sections/{section}": func() string { return "all" }, // every report has it
	}
}

// reportTwin is an id of the same form that is nobody's; empty where it is no report's.
func reportTwin(id string) string {
	if strings.HasPrefix(id, "RPT-") {
		return poolID("RPT-")
	}
	return ""
}

// report is one of a section and a chart, that an analyst brought in.
func (e *estate) report() string {
	e.t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("energy/use.csv")
	e.must(err)
	_, err = w.Write([]byte("scen,fuel,unit,2025,2030\nDeep,Gas,PJ,100.0,80.0\nMild,Gas,PJ,100.0,90.0\n"))
	e.must(err)
	e.must(z.Close())
	body, err := json.Marshal(map[string]any{"title": e.rare, "outline": "# " + e.rare + " {#all}\n\n", "name": e.rare,
		"zip": packed.Bytes()})
	e.must(err)
	made := e.send(question{method: http.MethodPost, path: rest.Base, as: asker{token: devTokenOf(e.t, e.org, identity.Analyst)},
		body: string(body)})
	var one rest.DraftedReportBody
	if err := json.Unmarshal([]byte(made.body), &one); err != nil || made.status != http.StatusCreated {
		e.t.Fatalf("make a report: %d %s", made.status, made.body)
	}
	wrote := e.send(question{method: http.MethodPut, path: rest.Base + "/" + one.ID + "/sections/all", body: `{"was":"` + noText +
		`","text":"Words."}`, as: asker{token: devTokenOf(e.t, e.org, identity.Analyst)}})
	if wrote.status != http.StatusOK {
		e.t.Fatalf("write a section: %d %s", wrote.status, wrote.body)
	}
	e.made = append(e.made, one.Case)
	return one.ID
}

// The hashes of no text, and of that of the section.
const (
	noText  = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	itsText = "44dcebcdcc564a642123c985ea211a70d843bbb02df908a1a46172c4ca15c11f"
)

// reportInstead are bodies where the API's own example cannot know what a section says.
func reportInstead() map[string]string {
	return map[string]string{"PUT " + rest.Base + "/{id}/sections/{section}": `{"was":"` + itsText + `","text":"Others."}`}
}

// reportTools are the arguments of the Report Agent's tools.
func reportTools(of namer) map[string]string {
	all := map[string]string{}
	for name, args := range map[string]string{"get_section_context": `"section_id":"all"`, "get_section_charts": `"section_id":"all"`,
		"write_section_draft": `"section_id":"all","content":"x"`, "list_charts": `"section_id":"all"`, "list_chart_categories": "",
		"get_chart_data": `"chart_id":"energy/use"`, "get_chart_image": `"chart_id":"energy/use"`,
		"get_plot_spec":     `"chart_id":"energy/use"`,
		"compare_scenarios": `"chart_id":"energy/use"`, "trend_summary": `"chart_id":"energy/use","scenario":"Deep"`,
		"derive": `"op":"sum","fact_ids":["F1"]`, "sign_off_section": `"section_id":"all","version":"1","hash":"` + itsText + `"`} {
		if args != "" {
			args += ","
		}
		all["reportagent_"+name] = "{" + args + `"on_case":"` + of("reports/{id}") + `"}`
	}
	return all
}

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
		"drafts/{id}":        e.reportDraft,
		"sections/{section}": func() string { return "all" }, // every report has it
	}
}

// reportTwin is an id of the same form that is nobody's; empty where it is no report's.
func reportTwin(id string) string {
	for _, prefix := range []string{"RPT-", "DRAFT-"} {
		if strings.HasPrefix(id, prefix) {
			return poolID(prefix)
		}
	}
	return ""
}

// report is one of a section and a chart, that an analyst brought in.
func (e *estate) report() string {
	e.t.Helper()
	body, err := json.Marshal(map[string]any{"title": e.rare, "outline": "# " + e.rare + " {#all}\n\n", "name": e.rare,
		"zip": e.reportRun()})
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

// reportRun is the files of a run, as they are sent.
func (e *estate) reportRun() []byte {
	e.t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("energy/use.csv")
	e.must(err)
	_, err = w.Write([]byte("scen,fuel,unit,2025,2030\nDeep,Gas,PJ,100.0,80.0\nMild,Gas,PJ,100.0,90.0\n"))
	e.must(err)
	e.must(z.Close())
	return packed.Bytes()
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
		"derive":    `"op":"sum","fact_ids":["F1"]`,
		"sql_query": `"view":"x","sql":"select 1"`, "sign_off_section": `"section_id":"all","version":"1","hash":"` + itsText + `"`} {
		if args != "" {
			args += ","
		}
		all["reportagent_"+name] = "{" + args + `"on_case":"` + of("reports/{id}") + `"}`
	}
	return all
}

// reportDraft is a drafting of a report that was refused.
func (e *estate) reportDraft() string {
	e.t.Helper()
	id := poolID("DRAFT-")
	e.admin(`insert into gavel.job (org, kind, id, key, about, asked_by, state, reason, began_at, ended_at)
		values ($1, 'reportagent.draft', $2, $2, $3, $4, 'refused', $4, now(), now())`, e.org, id, e.report(), e.rare)
	return id
}

// reportBodies are the forms of the Report Agent's pages.
func (e *estate) reportBodies() map[string]string {
	e.t.Helper()
	file := func(name string, body []byte) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"x\"\r\n\r\n" + string(body) + "\r\n"
	}
	run := file("zip", e.reportRun())
	one := "POST /reportagent/reports/{id}"
	section := one + "/sections/{section}"
	return map[string]string{
		"POST /reportagent/reports": file("outline", []byte("# "+e.rare+"\n")) + run + "--b--\r\n",
		one + "/data":               run + "--b--\r\n",
		one + "/drafts":             "after=none",
		section + "/text":           "was=" + itsText + "&text=Others.",
		section + "/unsent":         "was=" + itsText + "&rev=0&text=x",
		section + "/unsent/rebase":  "was=" + itsText + "&rev=0&text=x",
		section + "/unsent/discard": "",
		section + "/read":           "version=1",
		section + "/rating":         "version=1&accuracy=5&completeness=5&clarity=5&data_use=5",
		section + "/notes":          "version=1&text=x",
		section + "/notes/answer":   "note=1&became=done",
		section + "/notes/verdict":  "note=1&verdict=accepted",
		section + "/checks":         "note=1&phrase=land+use",
		section + "/checks/end":     "check=1",
		section + "/sign-off":       "",
	}
}

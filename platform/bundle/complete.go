package bundle

import (
	"slices"

	"github.com/gavelhq/gavel/platform/audit"
)

// checkComplete asks whether something was left out as a whole: a section that every
// bundle has, or one that a record of the log is about. A bundle of the former form
// did not promise to have them, so what it lacks stays open.
func checkComplete(rep *Report, o *opened, known []Section) {
	c := rep.Check("no section was left out", "every section is there that each bundle has, and each that a record in it is about",
		"that there are no other records about this case, nor that a section has every line; the sections check theirs")
	missing := c.Found
	if o.manifest.Format == formerFormat {
		missing = c.Leave
	}
	there := func(name string) bool {
		return slices.ContainsFunc(o.manifest.Sections, func(p Part) bool { return p.Name == name })
	}
	for _, name := range Mandatory() {
		if !there(name) {
			missing(name, "Section %s, which every bundle of the form %s has, is not there.", name, Format)
		}
	}
	about := untold(o, known, there)
	for _, s := range known {
		if p, ok := about[s.Name]; ok && !slices.Contains(Mandatory(), s.Name) {
			missing(s.Name, "Section %s, which tells of records like %s (%s), is not there.", s.Name, p.ID, p.Record.Kind)
		}
	}
	c.Saw("%s, %s", count(len(o.manifest.Sections), "section"), o.manifest.Format)
}

// untold are, by section that is not there, the first proven record it would tell of.
func untold(o *opened, known []Section, there func(string) bool) map[string]Proven {
	of := map[audit.Kind][]string{}
	for _, s := range known {
		for _, k := range s.Kinds {
			if !there(s.Name) {
				of[k] = append(of[k], s.Name)
			}
		}
	}
	found := map[string]Proven{}
	for _, p := range o.log().proven {
		for _, name := range of[p.Record.Kind] {
			if _, have := found[name]; !have {
				found[name] = p
			}
		}
	}
	return found
}

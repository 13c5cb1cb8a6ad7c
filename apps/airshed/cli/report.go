package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pdf"
)

func (c terminal) reportCommand() *cobra.Command {
	var o offline
	var into, organisation string
	var onPaper bool
	cmd := &cobra.Command{
		Use:   "report <key>",
		Short: "Write the draft of a report on one surge",
		Long: `Write the draft of a report on one surge. The JSON has the first design's
form with ours beside it. The pages to print are in English and Hindi. Every number in it
is a fact of the analysis. The certificate at its end is filled in and unsigned. With
--pdf the pages are printed too, by the Chromium of this machine.

It is a draft: nobody has decided to file it, and nothing leaves this machine. The
last three digits of its number are 000, which no filed report has.`,
		Example: `  gavel airshed report site_5024@2026-11-12T14:30Z --data november.json --into drafts
  gavel airshed report site_5024@2026-11-12T14:30Z --data november.json --into drafts --organisation "Clean Air Cell" --pdf`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var paper *pdf.Printer
			if onPaper {
				if paper, err = c.Printer(cmd); err != nil {
					return err
				}
			}
			r, err := o.report(args[0], organisation)
			if err != nil {
				return err
			}
			files, err := writeReport(cmd.Context(), r, into, paper)
			if err != nil {
				return err
			}
			return c.written(r, files)
		},
	}
	cmd.Flags().StringVar(&into, "into", ".", "folder to write to; it is made where it is not there")
	cmd.Flags().BoolVar(&onPaper, "pdf", false, "write the pages as PDFs as well; needs Chromium")
	cmd.Flags().StringVar(&organisation, "organisation", "not named", "who makes the report")
	_ = cmd.MarkFlagDirname("into")
	cmd.AddCommand(c.filedCommands()...)
	return answers(cmd, &o)
}

// report is the draft on one episode of the files.
func (o offline) report(key, organisation string) (report.Report, error) {
	a, _, err := o.analyse(key)
	if err != nil {
		return report.Report{}, err
	}
	received, err := o.received()
	if err != nil {
		return report.Report{}, err
	}
	return report.Unfiled(a, organisation, received)
}

// writeReport writes the JSON of a report and its pages, and says which files these
// are. Their names have the episode's key in them: one file of the lake has many. With
// nobody who prints there are no PDFs among them.
func writeReport(ctx context.Context, r report.Report, into string, paper *pdf.Printer) ([]string, error) {
	if err := os.MkdirAll(into, 0o750); err != nil {
		return nil, fault.From(fault.Invalid, err, "%s cannot be made: %v", into, platform.Nameless(err))
	}
	body, err := r.JSON()
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(report.FileName(r.Time), ".json") + "_" + strings.NewReplacer("@", "_", ":", "").
		Replace(string(r.Episode.Key)) + ".json"
	bodies := map[string][]byte{name: body}
	names := []string{name}
	for _, lang := range report.Langs() {
		page := strings.TrimSuffix(name, ".json") + "_" + string(lang)
		if bodies[page+".html"], err = report.HTML(r, lang); err != nil {
			return nil, err
		}
		names = append(names, page+".html")
		if !paper.Available() {
			continue
		}
		if bodies[page+".pdf"], err = paper.Print(ctx, pdf.Page{HTML: bodies[page+".html"], Made: r.Time}); err != nil {
			return nil, err
		}
		names = append(names, page+".pdf")
	}
	for i, name := range names {
		names[i] = filepath.Join(into, name)
		if err := os.WriteFile(names[i], bodies[name], 0o600); err != nil {
			return nil, fault.From(fault.Invalid, err, "%s cannot be written: %v", names[i], platform.Nameless(err))
		}
	}
	return names, nil
}

// written prints what a report says in short, and where it lies.
func (c terminal) written(r report.Report, files []string) error {
	item, err := json.Marshal(map[string]any{"report_id": r.ID, "status": r.Status, "conclusive": r.Attribution.Conclusive,
		"executive_summary": r.Summary, "files": files})
	if err != nil {
		return err
	}
	if err := c.One(item, platform.Column{Head: "REPORT", Field: "report_id"}, platform.Column{Head: "STATUS", Field: "status"},
		platform.Column{Head: "CONCLUSIVE", Field: "conclusive"}); err != nil {
		return err
	}
	c.Say("%s", r.Summary)
	for _, name := range files {
		c.Say("written to %s", name)
	}
	return nil
}

package cli

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/pdf"
)

// A form is one way in which a report is handed out, in a file beside it.
type form struct {
	ending string
	make   func(document []byte, l *report.Ledger, cat *catalogue.Catalogue) ([]byte, error)
}

// forms are those that are asked for.
func (c terminal) forms(cmd *cobra.Command, m making) ([]form, error) {
	var out []form
	if m.page {
		out = append(out, form{".html", paper.HTML})
	}
	if m.word {
		out = append(out, form{".docx", paper.Word})
	}
	if !m.sheets {
		return out, nil
	}
	printer, err := c.Printer(cmd)
	if err != nil {
		return nil, err
	}
	return append(out, form{".pdf", func(document []byte, l *report.Ledger, cat *catalogue.Catalogue) ([]byte, error) {
		page, err := paper.Sheets(document, l, cat)
		if err != nil {
			return nil, err
		}
		c.Progress("printing")
		return printer.Print(cmd.Context(), pdf.Page{HTML: page, Made: l.Meta.Generated})
	}}), nil
}

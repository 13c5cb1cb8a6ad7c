package program

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/program/config"
)

// openPrinter is who makes PDFs; nil where there is no browser, which is said where
// one was named.
func (c *cli) openPrinter(log *slog.Logger) *pdf.Printer {
	path, err := pdf.Find(c.cfg.Browser)
	if err == nil {
		return pdf.New(pdf.Config{Browser: path})
	}
	if c.cfg.Browser != "" {
		log.Warn("no PDF can be made: reports are pages to print", slog.Any("error", err))
	}
	return nil
}

// printerFor is who makes PDFs for a command, which may use no other setting.
func (c *cli) printerFor(cmd *cobra.Command) (*pdf.Printer, error) {
	if c.cfg == nil {
		if err := c.load(cmd); err != nil {
			return nil, err
		}
	}
	for _, p := range c.cfg.Problems() {
		if p.Name == config.NameBrowser {
			return nil, fault.New(fault.Invalid, "GAVEL_BROWSER: %s", p.Detail).WithNext("gavel config list")
		}
	}
	path, err := pdf.Find(c.cfg.Browser)
	if err != nil {
		return nil, err
	}
	return pdf.New(pdf.Config{Browser: path}), nil
}

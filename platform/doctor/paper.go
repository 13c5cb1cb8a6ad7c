package doctor

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pdf"
)

// Paper checks that PDFs can be made, by making one. A machine without a browser is
// well: its reports are pages that people print.
func Paper(named string) Check {
	return Check{"Machine", "PDFs can be made", func(ctx context.Context) Result {
		path, err := pdf.Find(named)
		if err != nil && named == "" {
			return Result{OK, "no: there is no browser, and reports are pages to print; for PDFs " + pdf.Cure, ""}
		}
		if err == nil {
			_, err = pdf.New(pdf.Config{Browser: path}).
				Print(ctx, pdf.Page{HTML: []byte("<!doctype html><title>gavel doctor</title><p>नमस्ते"), Made: time.Now()})
		}
		if err != nil {
			text, next := fault.Words(err)
			if next == "" || next == "gavel doctor" {
				next = "start " + path + " by hand and see what it says, or name another browser with GAVEL_BROWSER"
			}
			return Result{Warn, text, next}
		}
		return Result{OK, "with " + path, ""}
	}}
}

package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of what is sent.
const (
	maxFile      = 2 << 30
	maxDistricts = 2 << 20
	partBytes    = 8 << 20 // of one request
)

func districtColumns() []platform.Column {
	return []platform.Column{{Head: "CODE", Field: "lgd"}, {Head: "NAME", Field: "name"}, {Head: "STATE", Field: "state"},
		{Head: "FROM", Field: "valid_from"},
		{Head: "TO", Field: "valid_to"}, {Head: "TAGS", Field: "tags"}, {Head: "SIGNED BY", Field: "reviewed_by"}}
}

func (c terminal) districtsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "districts [file]",
		Short: "Import districts, or list those that are known",
		Long: `Import districts from a CSV file. Its columns are lgd, name, state, valid_from,
valid_to, tags, reviewed_by and reviewed_on. The code lgd is that of the local
government directory, for as long as it is a district. Tags (border, market, highway,
capital, sensitive_zone) make its signals weigh more. Somebody must have signed for them.
Without a file the command lists what is known.`,
		Example: `  gavel netra districts districts.csv
  gavel netra districts`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.ListAt(cmd.Context(), rest.DistrictsAddress, nil, limit, "no district is known yet", districtColumns())
			}
			file, err := platform.ReadInput(args[0], maxDistricts)
			if err != nil {
				return err
			}
			return c.PostAt(cmd.Context(), rest.DistrictsAddress, rest.ImportBody{File: string(file)},
				[]platform.Column{{Head: "IMPORTED", Field: "imported"}, {Head: "KNOWN", Field: "known"}})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 1000, "list at most so many")
	return c.Uses(cmd)
}

func ingestColumns() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "NAME", Field: "name"}, {Head: "FORMAT", Field: "format"},
		{Head: "LINES", Field: "lines"},
		{Head: "TAKEN", Field: "taken"}, {Head: "KNOWN", Field: "known"}, {Head: "REFUSED", Field: "refused"},
		{Head: "STOPPED", Field: "quarantined"},
		{Head: "BEGAN", Field: "began_at", Time: true}}
}

func (c terminal) ingestCommand() *cobra.Command {
	var format, mapping string
	var limit int
	cmd := &cobra.Command{
		Use:   "ingest [file]",
		Short: "Bring signals in, or list what brought some",
		Long: `Bring signals in from a file, part after part, and say how far it is. Every line is
taken, known already, refused with a reason, or stopped because it holds personal
data. Of that only the kind is kept. If a file broke off, send it again from its
beginning: what is there already changes nothing.

Formats are ndjson and csv (our own fields), and acled, ucdp and gdelt as published.
The format mapped is any table, with a file that says which column is what.
Without a file the command lists what brought signals in.`,
		Example: `  gavel netra ingest signals.ndjson
  gavel netra ingest export.csv --format acled
  gavel netra ingest desk.csv --format mapped --mapping desk.json
  gavel netra ingest`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.ListAt(cmd.Context(), rest.IngestsAddress, nil, limit, "no signals were brought in yet", ingestColumns())
			}
			return c.bring(cmd.Context(), args[0], feed.Format(format), mapping)
		},
	}
	cmd.Flags().StringVar(&format, "format", string(feed.NDJSON), "form of the file: ndjson, csv, acled, ucdp, gdelt or mapped")
	cmd.Flags().StringVar(&mapping, "mapping", "", "JSON file that says which column is what, with the format mapped")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many")
	_ = cmd.MarkFlagFilename("mapping", "json")
	return c.Uses(cmd)
}

// bring sends a file in parts, each once the one before is kept.
func (c terminal) bring(ctx context.Context, name string, format feed.Format, mapping string) error {
	body := rest.BringBody{Name: filepath.Base(name), Format: format}
	if mapping != "" {
		text, err := platform.ReadInput(mapping, maxDistricts)
		if err != nil {
			return err
		}
		body.Mapping = text
	}
	file, err := platform.ReadInput(name, maxFile)
	if err != nil {
		return err
	}
	var last rest.SignalIngestBody
	err = parts(file, tabular(body), partBytes, func(part []byte, before, sent int) error {
		body.Ingest, body.Lines, body.Before = last.ID, string(part), before
		if err := c.send(ctx, body, &last); err != nil {
			return err
		}
		c.Progress("%d lines, %d %% of the file: %d taken, %d known, %d refused, %d stopped", last.Lines, 100*sent/max(len(file), 1),
			last.Taken, last.Known,
			last.Refused, last.Quarantined)
		return nil
	})
	if err != nil {
		if last.ID != "" {
			c.Say("%d lines are kept; send the file again, and they change nothing", last.Taken+last.Known)
		}
		return err
	}
	for why, n := range last.Reasons {
		c.Say("refused %d: %s", n, why)
	}
	item, err := json.Marshal(last)
	if err != nil {
		return err
	}
	return c.One(item, ingestColumns()...)
}

// send sends a part, again as long as others are at it.
func (c terminal) send(ctx context.Context, body rest.BringBody, last *rest.SignalIngestBody) error {
	for {
		err := c.Call(ctx, http.MethodPost, rest.IngestsAddress, body, last)
		if !fault.Is(err, fault.TooMany) {
			return err
		}
		if err := c.Wait(ctx); err != nil {
			return err
		}
	}
}

// tabular is what stands between the cells of a table whose first line each part needs; 0 where lines stand alone, and where
// the file is one answer.
func tabular(b rest.BringBody) rune {
	switch b.Format {
	case feed.CSV, feed.ACLED, feed.UCDP:
		return ','
	case feed.Mapped:
		var m feed.Mapping
		_ = json.Unmarshal(b.Mapping, &m) // the server says what is wrong with it
		return map[string]rune{"csv": ',', "tsv": '\t'}[m.Format]
	}
	return 0
}

// parts shows a file in parts of about so many bytes, cut between lines; those of a table have its first line, too. Before is how
// many lines came earlier, sent how many bytes have come with this one.
func parts(file []byte, comma rune, most int, show func(part []byte, before, sent int) error) error {
	if comma != 0 && !bytes.HasPrefix(bytes.TrimSpace(file), []byte("{")) {
		return tableParts(file, comma, most, show)
	}
	before := 0
	for at := 0; at < len(file); {
		end := len(file)
		if at+most < end {
			cut := bytes.LastIndexByte(file[at:at+most], '\n')
			if cut < 0 {
				return fault.New(fault.Invalid, "a line has more than %d MB", most>>20)
			}
			end = at + cut + 1
		}
		if err := show(file[at:end], before, end); err != nil {
			return err
		}
		before += bytes.Count(file[at:end], []byte("\n"))
		at = end
	}
	return nil
}

// tableParts cuts a table between its records, which may have several lines.
func tableParts(file []byte, comma rune, most int, show func(part []byte, before, sent int) error) error {
	r := csv.NewReader(bytes.NewReader(file))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	_, err := r.Read()
	if err != nil {
		return fault.From(fault.Invalid, err, "the file has no line that names its columns")
	}
	head := int(r.InputOffset())
	before, at, end := 0, head, head
	for {
		_, err := r.Read()
		over := errors.Is(err, io.EOF)
		if err != nil && !over {
			return fault.From(fault.Invalid, err, "the table cannot be read: %v", err)
		}
		next := int(r.InputOffset())
		if end > at && (over || next-at > most-head) {
			if err := show(append(bytes.Clone(file[:head]), file[at:end]...), before, end); err != nil {
				return err
			}
			before += bytes.Count(file[at:end], []byte("\n"))
			at = end
		}
		if over {
			return nil
		}
		end = next
	}
}

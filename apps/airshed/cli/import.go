package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func (c terminal) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Import boundaries, stations, static sources and citations, or enter the forecast's share",
		Example: `  gavel airshed import boundaries districts.geojson --licence "GODL-India" --as-of 2026-01-31
  gavel airshed import stations stations.csv
  gavel airshed import static kilns.csv --licence "CC BY 4.0" --as-of 2026-01-31
  gavel airshed import citations citations.json
  gavel airshed import dss --percent 22 --valid 2026-11-14 --issued 2026-11-13T12:00:00Z --url https://ews.tropmet.res.in/dss/ --capture page.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.boundariesCommand(), c.stationsCommand(), c.staticCommand(), c.citationsCommand(), c.shareCommand())
	return cmd
}

func boundaryColumnsShown() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "NAME", Field: "name"}, {Head: "AS OF", Field: "as_of"},
		{Head: "GIVES", Field: "gives"}, {Head: "HOW MANY", Field: "districts"}, {Head: "LICENCE", Field: "licence"},
		{Head: "SHA256", Field: "sha256"}, {Head: "IMPORTED", Field: "imported_at", Time: true}}
}

func (c terminal) boundariesCommand() *cobra.Command {
	var b rest.NewBoundaryBody
	cmd := &cobra.Command{
		Use:   "boundaries [file]",
		Short: "Import boundaries of districts or states, or list those that were",
		Long: `Import a file of districts, with its licence and the day it is of. It is GeoJSON, or a
shapefile as a zip archive. From then on analyses name districts by it and say so. The
same file with --districts gives the same bytes offline. Without a file the command
lists what was imported.

With --gives states it is a file of states. Analyses then name these, and none of those
that come with the program. Points in it are stations, with site_id, name, agency, city
and kind (border or interior). If it has any, only these stations are checked. Offline
it is --states.`,
		Example: `  gavel airshed import boundaries districts.geojson --licence "GODL-India" --as-of 2026-01-31
  gavel airshed import boundaries districts.geojson --licence "CC BY 4.0" --as-of 2026-01-31 --district-property dtname --state-property stname
  gavel airshed import boundaries districts.zip --licence "GODL-India" --as-of 2026-01-31 --district-property DIST_NAME --state-property ST_NAME
  gavel airshed import boundaries states.geojson --gives states --licence "CC BY 4.0" --as-of 2026-01-31
  gavel airshed import boundaries`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.ListAt(cmd.Context(), rest.BoundariesAddress, nil, 50, "no boundaries were imported, and no district is named",
					boundaryColumnsShown())
			}
			if b.Licence == "" || b.AsOf == "" {
				return fault.New(fault.Invalid, "boundaries need a licence and a date").
					WithNext("add --licence \"…\" and --as-of 2026-01-31")
			}
			file, err := platform.ReadInput(args[0], region.MaxFile)
			if err != nil {
				return err
			}
			if b.Name = filepath.Base(args[0]); bytes.HasPrefix(file, []byte("PK")) {
				b.Archive = file
			} else {
				b.File = string(file)
			}
			return c.PostAt(cmd.Context(), rest.BoundariesAddress, b, boundaryColumnsShown())
		},
	}
	cmd.Flags().StringVar((*string)(&b.Gives), "gives", "", "what the file is of: districts or states; districts where it is left out")
	cmd.Flags().StringVar(&b.Licence, "licence", "", "licence of the file")
	cmd.Flags().StringVar(&b.AsOf, "as-of", "", "day whose boundaries it shows, as 2026-01-31")
	cmd.Flags().StringVar(&b.District, "district-property", "", "property with a district's name; district where it is left out")
	cmd.Flags().StringVar(&b.State, "state-property", "", "property with its state's name; state where it is left out")
	return c.Uses(cmd)
}

func referredColumnsShown() []platform.Column {
	return []platform.Column{{Head: "KIND", Field: "kind"}, {Head: "ROWS", Field: "rows"}, {Head: "ADDED", Field: "added"},
		{Head: "SHA256", Field: "sha256"}}
}

func (c terminal) stationsCommand() *cobra.Command {
	return c.referCommand("stations", rest.StationsAddress, "Import stations, or list those that are known",
		`Import stations from a CSV file with the heading
site_id,name,agency,latitude,longitude,kind,valid_from. Add a column city where it is
not Delhi. They count for every organisation, and only the one whose data lake it is may
import them. Ingest asks about them, and scans look at them, each from its day on. Kind
other takes a station out. Offline the file is --stations. Without a file the command
lists what is known.`,
		platform.Column{Head: "SITE", Field: "site_id"}, platform.Column{Head: "NAME", Field: "name"}, platform.Column{Head: "AGENCY",
			Field: "agency"},
		platform.Column{Head: "KIND", Field: "kind"}, platform.Column{Head: "FROM", Field: "valid_from"})
}

func (c terminal) citationsCommand() *cobra.Command {
	return c.referCommand("citations", rest.CitationsAddress, "Import provisions, or list those that are known",
		`Import a book of law from a JSON file in the form of the program's own. A provision
that was looked at again is a later row; none is changed. They count for every
organisation, and only the one whose data lake it is may import them. Without a
file the command lists what is known.`,
		platform.Column{Head: "ID", Field: "id"}, platform.Column{Head: "DATE", Field: "date"}, platform.Column{Head: "TITLE",
			Field: "title"},
		platform.Column{Head: "CERTAINTY", Field: "certainty"}, platform.Column{Head: "VERIFIED", Field: "verified_on"})
}

// referCommand imports a file of reference data, or lists what there is.
func (c terminal) referCommand(kind, address, short, long string, columns ...platform.Column) *cobra.Command {
	cmd := &cobra.Command{
		Use: kind + " [file]", Short: short, Long: long,
		Example: fmt.Sprintf("  gavel airshed import %s %s.%s\n  gavel airshed import %s -o json", kind, kind,
			map[string]string{"stations": "csv", "citations": "json"}[kind], kind),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.ListAt(cmd.Context(), address, nil, 1000, "none is known yet: the first ingest writes the program's own", columns)
			}
			file, err := platform.ReadInput(args[0], surge.MaxStationFile)
			if err != nil {
				return err
			}
			return c.PostAt(cmd.Context(), address, rest.NewReferenceBody{File: string(file), Name: filepath.Base(args[0])},
				referredColumnsShown())
		},
	}
	return c.Uses(cmd)
}

func shareColumnsShown() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "PERCENT", Field: "stubble_percent"}, {Head: "FOR", Field: "valid_date"},
		{Head: "ISSUED", Field: "issued_at", Time: true},
		{Head: "CAPTURE", Field: "captured_bytes_sha256"}, {Head: "BY", Field: "captured_by"}, {Head: "ENTERED", Field: "entered_at",
			Time: true}}
}

// entering is a share as it is entered at a terminal.
type entering struct {
	percent                float64
	valid, issued, url, of string
}

func (c terminal) shareCommand() *cobra.Command {
	var e entering
	cmd := &cobra.Command{
		Use:   "dss",
		Short: "Enter the forecast's share of stubble burning, or list what was entered",
		Long: `Enter the share of stubble burning in Delhi's PM2.5, as the forecast's page shows it.
Add the page or a picture of it. Both are kept, with your name. A correction is another
entry for the same day. Without --percent the command lists what was entered.`,
		Example: `  gavel airshed import dss --percent 22 --valid 2026-11-14 --issued 2026-11-13T12:00:00Z --url https://ews.tropmet.res.in/dss/ --capture page.png
  gavel airshed import dss`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("percent") {
				return c.ListAt(cmd.Context(), rest.SharesAddress, nil, 50, "nothing was entered yet", shareColumnsShown())
			}
			return c.enter(cmd.Context(), e)
		},
	}
	cmd.Flags().Float64Var(&e.percent, "percent", 0, "the share, 0 to 100")
	cmd.Flags().StringVar(&e.valid, "valid", "", "day in India it is for, as 2026-11-14")
	cmd.Flags().StringVar(&e.issued, "issued", "", "when the forecast was issued, as 2026-11-13T12:00:00Z")
	cmd.Flags().StringVar(&e.url, "url", "", "where it was read")
	cmd.Flags().StringVar(&e.of, "capture", "", "file of the page or picture it was read from")
	_ = cmd.MarkFlagFilename("capture")
	return c.Uses(cmd)
}

// enter sends an entry, prints it and says what is odd about it.
func (c terminal) enter(ctx context.Context, e entering) error {
	issued, err := time.Parse(time.RFC3339, e.issued)
	if err != nil || e.valid == "" || e.url == "" || e.of == "" {
		return fault.New(fault.Invalid, "an entry needs its day, its forecast, its address and what it was read from").
			WithNext("add --valid 2026-11-14, --issued 2026-11-13T12:00:00Z, --url and --capture")
	}
	capture, err := platform.ReadInput(e.of, origin.Named(origin.Stubble).MaxBytes)
	if err != nil {
		return err
	}
	body := rest.NewShareBody{Percent: e.percent, Valid: e.valid, IssuedAt: issued, URL: e.url, Capture: capture,
		ContentType: mime.TypeByExtension(filepath.Ext(e.of))}
	var item json.RawMessage
	if err := c.Call(ctx, http.MethodPost, rest.SharesAddress, body, &item); err != nil {
		return err
	}
	var entered rest.ShareBody
	if err := json.Unmarshal(item, &entered); err != nil {
		return fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	for _, w := range entered.Warnings {
		c.Say("look at this: %s", strings.ReplaceAll(w, "_", " "))
	}
	return c.One(item, shareColumnsShown()...)
}

// ageWords is how old something is, behind what it is.
func ageWords(minutes int) string {
	if minutes < 120 {
		return fmt.Sprintf(", %d minutes old", minutes)
	}
	return fmt.Sprintf(", %d hours old", minutes/60)
}

package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func staticColumnsShown() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "NAME", Field: "name"}, {Head: "AS OF", Field: "as_of"},
		{Head: "SITES", Field: "sites"}, {Head: "LICENCE", Field: "licence"}, {Head: "SHA256", Field: "sha256"},
		{Head: "IMPORTED", Field: "imported_at", Time: true}}
}

func (c terminal) staticCommand() *cobra.Command {
	var b rest.NewStaticBody
	var preview bool
	cmd := &cobra.Command{
		Use:   "static [file]",
		Short: "Import static sources of heat, or list the lists that were",
		Long: `Import a CSV file of kilns, works and power stations, with the heading
name,kind,latitude,longitude,radius_km,source. Satellites see their heat, and no field
burns there. Scans from then on leave out what was seen of them, and say how many.

The file is the whole list. --preview says what it would change, and imports nothing.
Offline the file is --static. Without a file the command lists what was imported.`,
		Example: `  gavel airshed import static kilns.csv --preview
  gavel airshed import static kilns.csv --licence "CC BY 4.0" --as-of 2026-01-31
  gavel airshed import static`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.ListAt(cmd.Context(), rest.StaticAddress, nil, 50, "no static sources were imported, and none is left out",
					staticColumnsShown())
			}
			file, err := platform.ReadInput(args[0], fire.MaxMaskFile)
			if err != nil {
				return err
			}
			b.File, b.Name = string(file), filepath.Base(args[0])
			if preview {
				return c.PostAt(cmd.Context(), rest.StaticAddress+"/preview", b, []platform.Column{{Head: "ADDED", Field: "added"},
					{Head: "CHANGED", Field: "changed"}, {Head: "UNCHANGED", Field: "unchanged"}, {Head: "GONE", Field: "gone"},
					{Head: "REFUSED", Field: "refused"}, {Head: "SHA256", Field: "sha256"}})
			}
			if b.Licence == "" || b.AsOf == "" {
				return fault.New(fault.Invalid, "static sources need a licence and a date").
					WithNext("add --licence \"…\" and --as-of 2026-01-31")
			}
			return c.PostAt(cmd.Context(), rest.StaticAddress, b, staticColumnsShown())
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.Licence, "licence", "", "licence of the file")
	f.StringVar(&b.AsOf, "as-of", "", "day whose sources it lists, as 2026-01-31")
	f.BoolVar(&preview, "preview", false, "say what it would change, and import nothing")
	f.StringVar(&b.SHA256, "sha256", "", "sha256 of the preview you have seen; another file or list is refused")
	f.BoolVar(&b.MayShrink, "may-shrink", false, "more than a fifth of the last list may be missing from it")
	return c.Uses(cmd)
}

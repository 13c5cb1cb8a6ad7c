// Package cli is Airshed's commands. Most are clients of the API like any other; with --data
// one computes on this machine alone, from files.
package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// Commands are the commands of the application.
func Commands(t platform.Terminal) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "airshed",
		Short: "Find surges of pollution at Delhi's border, and whose smoke it was",
		Long: `Find surges of pollution at Delhi's border stations, and say whose smoke it was. The
answer uses the wind of the days before and the fires that satellites saw. It has
ranges, and is "inconclusive" where the data don't settle it.

With --data everything is computed here from one file of the data lake, without a
server. The same file gives the same bytes, whoever runs it.`,
		Example: `  gavel airshed scan --wait
  gavel airshed scan --data november.json
  gavel airshed episode site_5024@2026-11-12T14:30Z --data november.json
  gavel airshed report site_5024@2026-11-12T14:30Z --data november.json --into drafts
  gavel airshed replay analysis.json --data november.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c := terminal{t}
	cmd.AddCommand(c.ingestCommand(), c.importCommand(), c.scanCommand(), c.episodeCommand(), c.reportCommand(), c.replayCommand(),
		c.scheduleCommand(), c.officeCommand())
	return []*cobra.Command{cmd}
}

// terminal is the program's, with what several commands need.
type terminal struct{ platform.Terminal }

// files are the flags that name what is analysed.
func files(cmd *cobra.Command, o *offline) *cobra.Command {
	f := cmd.Flags()
	f.StringVar(&o.Data, "data", "", "file of the data lake to look at; - reads standard input")
	f.StringVar(&o.Districts, "districts", "", "GeoJSON or zipped shapefile of district boundaries; without one no district is named")
	f.StringVar(&o.States, "states", "", "GeoJSON file of states, and of stations where it has any, in place of the program's")
	f.StringVar(&o.Licence, "licence", "", "licence of that file")
	f.StringVar(&o.AsOf, "as-of", "", "day whose boundaries it shows, as 2026-01-31")
	f.StringVar(&o.Stations, "stations", "", "CSV file of stations, laid over the program's own")
	f.StringVar(&o.Static, "static", "", "CSV file of static sources of heat; without one none is left out")
	f.StringVar(&o.StaticBy, "static-licence", "", "licence of that file")
	f.StringVar(&o.StaticOf, "static-as-of", "", "day whose sources it lists, as 2026-01-31")
	f.StringVar(&o.Set, "thresholds", "", "JSON file of thresholds; one that is left out is the usual")
	f.Int64Var(&o.SetBy, "thresholds-version", 1, "which version of the organisation's they are")
	cmd.MarkFlagsMutuallyExclusive("districts", "states")
	_ = cmd.MarkFlagFilename("data", "json")
	_ = cmd.MarkFlagFilename("districts", "json", "geojson")
	_ = cmd.MarkFlagFilename("states", "json", "geojson")
	_ = cmd.MarkFlagFilename("stations", "csv")
	_ = cmd.MarkFlagFilename("static", "csv")
	return cmd
}

// answers are the same, and the flag that says by which method an episode is answered.
func answers(cmd *cobra.Command, o *offline) *cobra.Command {
	cmd.Flags().StringVar(&o.Method, "method", "", "version of the verdict, plume-2026-1 or plume-2027-1")
	return files(cmd, o)
}

func (c terminal) scanCommand() *cobra.Command {
	var o offline
	var ask onServer
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "Look for surges: in the data lake, or in a file",
		Long: `Find surges: every episode at a border station, how bad it was, and how it compares
with inside the city. Stations without fresh data are left out and counted.

The server reads the newest object of the data lake. --object names another one, and
--file uploads a file. --wait waits for the result. With --data this program
reads a file itself, and nothing is kept.`,
		Example: `  gavel airshed scan --wait
  gavel airshed scan --file november.json --wait
  gavel airshed scan --data november.json
  gavel airshed scan --data november.json --jq '.[].episode.key'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Data == "" {
				return c.ask(cmd.Context(), ask)
			}
			d, err := o.dataset()
			if err != nil {
				return err
			}
			return c.board(d.Board())
		},
	}
	f := cmd.Flags()
	f.StringVar(&ask.object, "object", "", "object of the data lake to look at; the newest where none is named")
	f.StringVar(&ask.file, "file", "", "file to hand in and have looked at; - reads standard input")
	f.BoolVar(&ask.wait, "wait", false, "wait for its end and print what it found")
	_ = cmd.MarkFlagFilename("file", "json")
	files(cmd, &o)
	cmd.MarkFlagsMutuallyExclusive("object", "file", "data")
	return c.Uses(cmd, "data")
}

// board prints the episodes, and says what else there is to know.
func (c terminal) board(b analysis.Board) error {
	items := make([]json.RawMessage, len(b.Episodes))
	for i, e := range b.Episodes {
		var err error
		if items[i], err = json.Marshal(e); err != nil {
			return err
		}
	}
	err := c.List(items, "no station is in a surge",
		platform.Column{Head: "EPISODE", Field: "episode.key"}, platform.Column{Head: "STATION", Field: "station"},
		platform.Column{Head: "LAST HOUR", Field: "episode.last"}, platform.Column{Head: "OVER", Field: "episode.closed"},
		platform.Column{Head: "PEAK AQI", Field: "episode.peak_index"}, platform.Column{Head: "PEAK PM2.5", Field: "episode.peak_pm25"},
		platform.Column{Head: "BESIDE THE CITY", Field: "control.verdict"})
	if err != nil {
		return err
	}
	c.Say("%d border and %d interior stations were looked at, as of %s", b.Border, b.Interior, b.At.Format("2006-01-02 15:04 MST"))
	if len(b.Left) > 0 {
		c.Say("%d stations were left out: %s", len(b.Left), leftOut(b.Left))
	}
	for _, d := range b.Doubts {
		c.Say("look at the readings of %s: %s", d.Station, doubtWords(d.Doubt))
	}
	for _, g := range b.Gaps {
		c.Say("missing: %s; %s", g.Text, g.Costs)
	}
	for _, w := range b.Warnings {
		c.Say("look at this: %s", w.Text)
	}
	return nil
}

// doubtWords say which hours are doubted, and what they read.
func doubtWords(d analysis.Doubt) string {
	from := d.From.Format("2006-01-02 15:04 MST")
	switch d.Flag {
	case quality.Reversed:
		return fmt.Sprintf("PM2.5 above PM10 in %d hours from %s, at worst %g against %g µg/m³", d.Hours, from, d.Value, *d.Beside)
	case quality.Stuck:
		return fmt.Sprintf("PM2.5 stood at %g µg/m³ for %d hours from %s", d.Value, d.Hours, from)
	}
	return fmt.Sprintf("PM2.5 jumped from %g to %g µg/m³ at %s, and no station around it rose", *d.Beside, d.Value, from)
}

// mostLeft bounds how many stations that were left out are named.
const mostLeft = 8

func leftOut(all []analysis.Left) string {
	var names []string
	for _, l := range all[:min(len(all), mostLeft)] {
		names = append(names, fmt.Sprintf("%s (%s)", l.Name, strings.ReplaceAll(string(l.Why), "_", " ")))
	}
	text := strings.Join(names, "; ")
	if more := len(all) - mostLeft; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (c terminal) episodeCommand() *cobra.Command {
	var o offline
	var out string
	var limit int
	cmd := &cobra.Command{
		Use:   "episode [key]",
		Short: "List surges, or say whose smoke one was and how sure that is",
		Long: `List the surges that scans have found, or say of one whose smoke it was and how sure
that is. The key is what scan and this list print.

A share is one of the influence of the fires that satellites saw upwind. It is not a
share of the particles in the air, and counts of fires are a lower bound.`,
		Example: `  gavel airshed episode
  gavel airshed episode site_5024@2026-11-12T14:30Z --out analysis.json
  gavel airshed episode site_5024@2026-11-12T14:30Z --data november.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if o.Data != "" || out != "" {
					return fault.New(fault.Invalid, "which episode?").WithNext("gavel airshed scan")
				}
				return c.ListAt(cmd.Context(), rest.EpisodesAddress, nil, limit, "no surge has been found yet", episodeColumnsShown())
			}
			return c.one(cmd.Context(), o, args[0], out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the analysis, byte for byte as it is kept, to this file as well")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many")
	return c.Uses(answers(cmd, &o), "data")
}

// one answers one episode, from a file or from what the server has kept.
func (c terminal) one(ctx context.Context, o offline, key, out string) error {
	answer := o.analyse
	if o.Data == "" {
		answer = func(key string) (analysis.Analysis, []byte, error) { return c.kept(ctx, key) }
	}
	a, body, err := answer(key)
	if err != nil {
		return err
	}
	if out != "" {
		if err := os.WriteFile(filepath.Clean(out), body, 0o600); err != nil {
			return fault.From(fault.Invalid, err, "%s cannot be written: %v", out, platform.Nameless(err))
		}
		c.Say("written to %s", out)
	}
	return c.found(a, body)
}

// analyse answers one episode, and gives the canonical bytes too.
func (o offline) analyse(key string) (a analysis.Analysis, body []byte, err error) {
	if _, _, err := surge.ParseKey(key); err != nil {
		return a, nil, fault.From(fault.Invalid, err, "%.60q is no key of an episode", key).WithNext("gavel airshed scan --data %s", o.Data)
	}
	d, err := o.dataset()
	if err != nil {
		return a, nil, err
	}
	by, err := analysis.MethodOf(o.Method)
	if err != nil {
		return a, nil, err
	}
	if a, err = d.Analyse(surge.Key(key), by); err != nil {
		return a, nil, err
	}
	body, err = a.JSON()
	return a, body, err
}

// stated is the three statements of the second version of the verdict in a line.
func stated(a analysis.Analysis) string {
	w := a.Whose
	who := "whose smoke it was is not determined"
	if a.Attribution.Names() {
		who = fmt.Sprintf("it is %s (%.2f) that most of the smoke from fires came from %s", w.Word, w.P, w.State)
	}
	matter := "whether smoke mattered is not determined"
	if w.Smoke != likelihood.NotDetermined {
		matter = fmt.Sprintf("that smoke mattered is %s (%.2f)", w.Smoke, w.Matter.M)
	}
	return fmt.Sprintf("%s; %s; data: %s", who, matter, w.Data.Grade)
}

// found prints an analysis.
func (c terminal) found(a analysis.Analysis, body []byte) error {
	err := c.One(body, platform.Column{Head: "EPISODE", Field: "key"}, platform.Column{Head: "STATION", Field: "station.name"},
		platform.Column{Head: "VERDICT", Field: "attribution.verdict"}, platform.Column{Head: "FIRST", Field: "attribution.first"},
		platform.Column{Head: "PEAK AQI", Field: "episode.peak_index"}, platform.Column{Head: "PEAK PM2.5", Field: "episode.peak_pm25"},
		platform.Column{Head: "BESIDE THE CITY", Field: "control.verdict"}, platform.Column{Head: "FIRES IN TIME", Field: "fires.in_time"},
		platform.Column{Head: "COMPLETENESS", Field: "score.completeness_score"}, platform.Column{Head: "CONFIDENCE (FIRST DESIGN)",
			Field: "score.confidence_score"})
	if err != nil {
		return err
	}
	if a.Whose != nil {
		c.Say("%s", stated(a))
	}
	for _, s := range a.Attribution.States {
		c.Say("%s: %.1f %% of the influence of the fires seen upwind (%.1f to %.1f)", s.State, s.Median, s.Low, s.High)
	}
	for _, r := range a.Attribution.Reasons {
		c.Say("because: %s", r.Text)
	}
	if a.Fires.Statement != "" {
		c.Say("%s", a.Fires.Statement)
	}
	for _, g := range a.Gaps {
		c.Say("missing: %s; %s", g.Text, g.Costs)
	}
	for _, w := range a.Warnings {
		c.Say("look at this: %s", w.Text)
	}
	return nil
}

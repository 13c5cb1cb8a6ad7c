package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func reportColumnsShown() []platform.Column {
	return []platform.Column{{Head: "REPORT", Field: "report_id"}, {Head: "STATUS", Field: "status"}, {Head: "STATION", Field: "station"},
		{Head: "AQI", Field: "aqi"}, {Head: "SURGE", Field: "timestamp", Time: true},
		{Head: "MADE", Field: "generated_at", Time: true}, {Head: "VERDICT", Field: "verdict"}, {Head: "RECEIPT", Field: "receipt"},
		{Head: "MOCK", Field: "mock"}}
}

// filedCommands are the commands about reports that the server has.
func (c terminal) filedCommands() []*cobra.Command {
	return []*cobra.Command{c.logCommand(), c.getCommand(), c.askCommand()}
}

func (c terminal) logCommand() *cobra.Command {
	return c.Uses(&cobra.Command{
		Use:   "log",
		Short: "List the reports that were made",
		Long: `List the reports that were made, the newest last, one for each surge. As JSON it has
the first design's form: an object with the list under "reports".`,
		Example: `  gavel airshed report log
  gavel airshed report log -o json --jq '.reports[].report_id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := c.AllAt(cmd.Context(), rest.ReportsAddress, nil)
			if err != nil {
				return err
			}
			if !c.JSON() {
				return c.List(all, "no report was made yet", reportColumnsShown()...)
			}
			log := report.Log{Reports: []report.Entry{}}
			for i := len(all) - 1; i >= 0; i-- {
				var e report.Entry
				if err := json.Unmarshal(all[i], &e); err != nil {
					return fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
				}
				log.Reports = append(log.Reports, e)
			}
			body, err := json.Marshal(log)
			if err != nil {
				return err
			}
			return c.One(body)
		},
	})
}

func (c terminal) getCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "get <report>",
		Short: "Show what became of a report, or write it to a file",
		Long: `Show what became of a report: whether it was filed, under which receipt, and its
digest. With --out the report itself is written to a file, as it was kept.`,
		Example: `  gavel airshed report get CAQM-2026-11-14-001
  gavel airshed report get CAQM-2026-11-14-001 --out report.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := rest.ReportsAddress + "/" + url.PathEscape(args[0])
			if out != "" {
				var body json.RawMessage
				if err := c.Call(cmd.Context(), http.MethodGet, at+"/file", nil, &body); err != nil {
					return err
				}
				if err := os.WriteFile(out, asKept(body), 0o600); err != nil {
					return fault.From(fault.Invalid, err, "%s cannot be written: %v", out, platform.Nameless(err))
				}
				c.Say("written to %s", out)
			}
			return c.ShowAt(cmd.Context(), at, reportColumnsShown())
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "file to write the report to")
	_ = cmd.MarkFlagFilename("out", "json")
	return c.Uses(cmd)
}

// asKept is a report as it was kept, to the byte: an answer leaves out the space in it,
// without which nobody would know it again by its digest.
func asKept(answer []byte) []byte {
	var wide bytes.Buffer
	if err := json.Indent(&wide, bytes.TrimSpace(answer), "", "  "); err != nil {
		return answer
	}
	return append(wide.Bytes(), '\n')
}

func (c terminal) askCommand() *cobra.Command {
	var renew bool
	cmd := &cobra.Command{
		Use:   "ask <report>",
		Short: "Put a report before the officers again",
		Long: `Put a report before the officers again that was sent back, undone or not submitted.
With --renew it is drafted anew first, from the newest data.`,
		Example: `  gavel airshed report ask CAQM-2026-11-14-001
  gavel airshed report ask CAQM-2026-11-14-001 --renew`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := rest.ReportsAddress + "/" + url.PathEscape(args[0]) + "/ask"
			return c.PostAt(cmd.Context(), at, map[string]bool{"renew": renew}, reportColumnsShown())
		},
	}
	cmd.Flags().BoolVar(&renew, "renew", false, "draft it anew first, from the newest data")
	return c.Uses(cmd)
}

func officeColumnsShown() []platform.Column {
	return []platform.Column{{Head: "STATE", Field: "state"}, {Head: "OFFICE", Field: "name"}, {Head: "MAILBOX", Field: "mailbox"},
		{Head: "LANGUAGE", Field: "language"}, {Head: "SET BY", Field: "set_by"}, {Head: "SET", Field: "set_at", Time: true}}
}

func (c terminal) officeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "office",
		Short: "Say where notices to states go",
		Long: `Say where notices to states go. Once a report that names a state is filed, officers
decide whether its office gets a notice. A state without an office
is not written to.`,
		Example: `  gavel airshed office list
  gavel airshed office set Punjab --name "Pollution Control Board" --mailbox board@state.example --language en`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var name, mailbox, language string
	set := &cobra.Command{Use: "set <state>", Short: "Say where notices to a state go",
		Example: `  gavel airshed office set Punjab --name "Pollution Control Board" --mailbox board@state.example`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.PutAt(cmd.Context(), rest.OfficesAddress, map[string]string{"state": args[0], "name": name, "mailbox": mailbox,
				"language": language}, officeColumnsShown())
		}}
	set.Flags().StringVar(&name, "name", "", "what the office is called")
	set.Flags().StringVar(&mailbox, "mailbox", "", "its mail address")
	set.Flags().StringVar(&language, "language", "en", "language it is written to in: en or hi")
	list := &cobra.Command{Use: "list", Short: "List where notices go", Example: "  gavel airshed office list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.ListAt(cmd.Context(), rest.OfficesAddress, nil, rest.MostOffices, "no office is known, and no state is written to",
				officeColumnsShown())
		}}
	remove := &cobra.Command{Use: "remove <state>", Short: "Write to a state no more", Example: "  gavel airshed office remove Punjab",
		Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.Call(cmd.Context(), http.MethodDelete, rest.OfficesAddress+"/"+url.PathEscape(args[0]), nil, nil); err != nil {
				return err
			}
			c.Say("%s is not written to any more", args[0])
			return nil
		}}
	cmd.AddCommand(c.Uses(list), c.Uses(set), c.Silent(c.Uses(remove)))
	return cmd
}

package program

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
)

const settingsAddress = "/v1/settings"

func (c *cli) settingCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setting",
		Short: "See and change what the organisation sets for its applications",
		Long: `See and change what the organisation sets for its applications. Every version is
kept, with who changed it. A setting that people decide becomes a proposal, and
changes when somebody else approves it. What the installation is told at start is
shown by gavel config.`,
		Example: `  gavel setting list
  gavel setting show poolpatrol office
  gavel setting set poolpatrol office --put manual_minutes=30
  gavel setting history poolpatrol office`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.settingListCommand(), c.settingShowCommand(), c.settingHistoryCommand(), c.settingDiffCommand(),
		c.settingSetCommand(), c.settingRemoveCommand())
	return cmd
}

func (c *cli) settingListCommand() *cobra.Command {
	return c.forApps().ListCommand(platform.Listing{Short: "List what can be set", Example: `  gavel setting list
  gavel setting list --app airshed`, Address: settingsAddress, None: "nothing can be set that you may read",
		Columns: []platform.Column{{Head: "NAME", Field: "name"}, {Head: "APPLICATION", Field: "app"}, {Head: "WHAT", Field: "title"},
			{Head: "PEOPLE DECIDE", Field: "gated"}, {Head: "YOU MAY", Field: "may_change"}, {Head: "PAGE", Field: "links.page"}},
		Flags: []platform.Flag{{Name: "app", Query: "app", Help: "only those of one application"}}})
}

func settingColumns() []platform.Column {
	return []platform.Column{{Head: "VERSION", Field: "version"}, {Head: "NAME", Field: "name"}, {Head: "ITEM", Field: "item"},
		{Head: "VALUE", Field: "value"},
		{Head: "CHANGED BY", Field: "changed_by"}, {Head: "CHANGED", Field: "changed_at", Time: true},
		{Head: "PROPOSAL", Field: "proposal"}}
}

// settingAt is the address of a setting, or what lies under it.
func settingAt(args []string, under string, query url.Values) string {
	at := settingsAddress + "/" + url.PathEscape(args[0]) + "/" + url.PathEscape(args[1]) + under
	if q := query.Encode(); q != "" {
		at += "?" + q
	}
	return at
}

func itemFlag(cmd *cobra.Command, item *string) {
	cmd.Flags().StringVar(item, "item", "", "which one, where there are several")
}

func ofItem(item string) url.Values {
	if item == "" {
		return url.Values{}
	}
	return url.Values{"item": {item}}
}

func (c *cli) settingShowCommand() *cobra.Command {
	var item string
	cmd := &cobra.Command{
		Use:   "show <application> <setting>",
		Short: "Show what is in force",
		Long: `Show what is in force. Of a setting of which there are several, without --item, all
of them.`,
		Example: `  gavel setting show poolpatrol office
  gavel setting show airshed office --item Punjab -o json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if item == "" {
				return c.forApps().ListAt(cmd.Context(), settingAt(args, "/items", nil), nil, 1000, "there is none", settingColumns())
			}
			return c.forApps().ShowAt(cmd.Context(), settingAt(args, "", ofItem(item)), settingColumns())
		},
	}
	itemFlag(cmd, &item)
	return c.talksToServer(cmd)
}

func (c *cli) settingHistoryCommand() *cobra.Command {
	var item string
	var limit int
	cmd := &cobra.Command{
		Use:     "history <application> <setting>",
		Short:   "List the versions, newest first",
		Example: `  gavel setting history poolpatrol office`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.forApps().ListAt(cmd.Context(), settingAt(args, "/versions", nil), ofItem(item), limit, "nobody has changed it",
				settingColumns())
		},
	}
	itemFlag(cmd, &item)
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	return c.talksToServer(cmd)
}

func (c *cli) settingDiffCommand() *cobra.Command {
	var item string
	cmd := &cobra.Command{
		Use:   "diff <application> <setting> <from> <to>",
		Short: "Show what changed between two versions",
		Example: `  gavel setting diff poolpatrol office 1 2
  gavel setting diff poolpatrol office 0 2     since the application's default`,
		Args: cobra.ExactArgs(4),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := ofItem(item)
			query.Set("from", args[2])
			query.Set("to", args[3])
			var diff struct {
				Changes []json.RawMessage `json:"changes"`
			}
			t := c.forApps()
			if err := t.Call(cmd.Context(), "GET", settingAt(args, "/diff", query), nil, &diff); err != nil {
				return err
			}
			return t.List(diff.Changes, "nothing differs between them", platform.Column{Head: "WHERE", Field: "where"},
				platform.Column{Head: "WAS", Field: "was"}, platform.Column{Head: "NOW", Field: "now"})
		},
	}
	itemFlag(cmd, &item)
	return c.talksToServer(cmd)
}

func (c *cli) settingSetCommand() *cobra.Command {
	var item, file string
	var puts []string
	cmd := &cobra.Command{
		Use:   "set <application> <setting> --put <name>=<value>",
		Short: "Change a setting, or propose to",
		Long: `Change a setting, or propose to where people decide. What is not named stays as it
is. A value is JSON, or a text; --file takes the whole value as JSON, - for what is
piped in. It is refused where somebody has changed the setting in between.`,
		Example: `  gavel setting set poolpatrol office --put manual_minutes=30 --put contact=vanpools@example.org
  gavel setting set airshed office --item Punjab --file office.json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.setSetting(cmd.Context(), client.SettingName{App: args[0], Name: args[1], Item: item}, file, puts)
		},
	}
	itemFlag(cmd, &item)
	cmd.Flags().StringVar(&file, "file", "", "file of the whole value, as JSON")
	cmd.Flags().StringArrayVar(&puts, "put", nil, "a member and its value; may be given several times")
	return c.talksToServer(cmd)
}

func (c *cli) setSetting(ctx context.Context, name client.SettingName, file string, puts []string) error {
	if (file == "") == (len(puts) == 0) {
		return fault.New(fault.Invalid, "give --put or --file").WithNext("gavel setting set --help")
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	now, err := server.Setting(ctx, name)
	if err != nil && (!fault.Is(err, fault.NotFound) || name.Item == "") {
		return err
	}
	value, err := c.settingValue(now.Value, file, puts)
	if err != nil {
		return err
	}
	saved, err := server.PutSetting(ctx, name, now.Version, value)
	if err != nil {
		return err
	}
	c.print.Zone = server.Zone()
	if saved.Asked != nil {
		c.print.Say("people are asked: %s; nothing has changed yet", saved.Asked.Proposal)
	}
	return c.forApps().One(saved.Raw, settingColumns()...)
}

// maxSettingFile is the most that a file of a value may have, in bytes.
const maxSettingFile = 64 << 10

// settingValue is the value that a command means: a file, or what is in force with some
// members put.
func (c *cli) settingValue(now json.RawMessage, file string, puts []string) (json.RawMessage, error) {
	if file != "" {
		in := c.in
		if file != "-" {
			opened, err := os.Open(file)
			if err != nil {
				return nil, fault.From(fault.Invalid, err, "%s cannot be read", file)
			}
			defer opened.Close()
			in = opened
		}
		text, err := io.ReadAll(io.LimitReader(in, maxSettingFile+1))
		if err == nil && !json.Valid(text) {
			err = fault.New(fault.Invalid, "%s is no JSON of at most %d bytes", file, maxSettingFile)
		}
		return text, err
	}
	members := map[string]json.RawMessage{}
	if now != nil {
		if err := json.Unmarshal(now, &members); err != nil {
			return nil, err
		}
	}
	for _, put := range puts {
		name, value, ok := strings.Cut(put, "=")
		if !ok {
			return nil, fault.New(fault.Invalid, "--put is name=value, not %.40q", put)
		}
		if !json.Valid([]byte(value)) {
			value = strconv.Quote(value)
		}
		members[name] = json.RawMessage(value)
	}
	return json.Marshal(members)
}

func (c *cli) settingRemoveCommand() *cobra.Command {
	var item string
	cmd := &cobra.Command{
		Use:     "remove <application> <setting> --item <item>",
		Short:   "Remove one of several; its versions stay",
		Example: `  gavel setting remove airshed office --item Punjab`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			name := client.SettingName{App: args[0], Name: args[1], Item: item}
			now, err := server.Setting(cmd.Context(), name)
			if err != nil {
				return err
			}
			if err := server.RemoveSetting(cmd.Context(), name, now.Version); err != nil {
				return err
			}
			c.print.Say("%s is removed", item)
			return nil
		},
	}
	itemFlag(cmd, &item)
	return c.printsNothing(c.talksToServer(cmd))
}

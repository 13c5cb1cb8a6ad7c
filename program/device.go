package program

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) deviceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "device",
		Short: "Pair, list and revoke shared devices at gates",
		Long: `Pair, list and revoke shared devices at gates. Guards sign in on a device with the
number of their shift. A supervisor opens shifts on the page of shifts.`,
		Example: `  gavel device pair "Gate 2"
  gavel device list
  gavel device revoke dev_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.devicePairCommand(), c.deviceListCommand(), c.deviceRevokeCommand())
	return cmd
}

func (c *cli) devicePairCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pair <name>",
		Short: "Make a code that is typed on the device, once, within ten minutes",
		Example: `  gavel device pair "Gate 2"
  gavel device pair "Gate 2" -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			p, err := server.PairDevice(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			c.print.Say("open %s/pair on the device and type the code there", c.cfg.Server)
			return output.One(c.print, p, []output.Column[client.Pairing]{
				{Head: "DEVICE", Field: "name", Value: func(p client.Pairing) any { return p.Name }},
				{Head: "CODE", Field: "code", Value: func(p client.Pairing) any { return p.Code }},
				{Head: "UNTIL", Field: "expires_at", Value: func(p client.Pairing) any { return p.ExpiresAt }, Time: true},
			})
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) deviceListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the organisation's devices, those in use first",
		Example: `  gavel device list
  gavel device list -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			all, err := server.Devices(cmd.Context())
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.List(c.print, all, "no devices", []output.Column[client.Device]{
				{Head: "ID", Field: "id", Value: func(d client.Device) any { return d.ID }},
				{Head: "NAME", Field: "name", Value: func(d client.Device) any { return d.Name }},
				{Head: "PAIRED", Field: "paired_at", Value: func(d client.Device) any { return d.PairedAt }, Time: true},
				{Head: "BY", Field: "paired_by", Value: func(d client.Device) any { return d.PairedBy }},
				{Head: "LAST SEEN", Field: "seen_at", Value: func(d client.Device) any { return d.SeenAt }, Time: true},
				{Head: "REVOKED", Field: "revoked_at", Value: func(d client.Device) any { return d.RevokedAt }, Time: true},
			})
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) deviceRevokeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "revoke <device>",
		Short:   "Make a device a stranger again; a guard on it is signed out",
		Example: "  gavel device revoke dev_01K5ZJ3W8Q6X9V2T4N7M1B0CDE",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.RevokeDevice(cmd.Context(), args[0]); err != nil {
				return err
			}
			c.print.Say("%s is a stranger again", args[0])
			return nil
		},
	}
	return c.talksToServer(cmd)
}

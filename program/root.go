package program

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

// A cli is one run of the program: where it reads and writes, what the flags
// said, and the settings once they are read.
type cli struct {
	apps     applications
	in       io.Reader
	out      io.Writer
	talk     io.Writer
	environ  []string
	terminal bool                    // a person sits there and can be asked
	browse   func(page string) error // opens a browser; nil where there is none
	answers  *bufio.Reader           // what the person answers

	configFile string
	format     string
	asJSON     bool
	fields     string
	jq         string
	template   string
	quiet      bool
	noInput    bool

	completing bool // a shell asks what could come next
	jsonErrors bool // errors are for a program
	began      bool // the command itself has begun: its errors are not usage
	needs      map[*cobra.Command][]config.Need
	alone      map[*cobra.Command][]string               // flags with which a command needs none of them
	silent     map[*cobra.Command]bool                   // those of applications that print no data
	settings   map[*cobra.Command]map[config.Name]string // flags that stand for settings
	cfg        *config.Config
	print      *output.Printer
}

// run is the whole program: it builds the tree, runs one command and returns
// the exit code.
func (c *cli) run(ctx context.Context, args []string) int {
	c.completing = len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	root := c.tree()
	root.SetArgs(args)
	c.jsonErrors = asksForJSON(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if !c.began {
		err = usage(cmd, err)
	}
	if errors.Is(err, context.Canceled) && context.Cause(ctx) != nil {
		err = context.Cause(ctx) // whatever broke off, it broke off because we were told to end
	}
	c.report(cmd, cmd.Flags().Args(), err)
	return exitCode(err)
}

// tree is every command there is.
func (c *cli) tree() *cobra.Command {
	c.needs = map[*cobra.Command][]config.Need{}
	c.alone = map[*cobra.Command][]string{}
	c.silent = map[*cobra.Command]bool{}
	c.settings = map[*cobra.Command]map[config.Name]string{}
	root := &cobra.Command{
		Use:   "gavel",
		Short: "Agents do the casework; people hold the gavel",
		Example: `  gavel inbox                                     what needs you
  gavel approve P-881                             read it, and decide
  gavel case open --title "Smoke over Jind"       open a case and print its page
  gavel case list -o json                         the same for programs
  gavel doctor                                    is everything well?`,
		Args:              cobra.NoArgs,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: c.prepare,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.talk)
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(helpTemplate)
	root.SetFlagErrorFunc(usage)
	c.globalFlags(root)
	root.AddCommand(c.inboxCommand(), c.showCommand(), c.approveCommand(), c.rejectCommand(), c.sendBackCommand(), c.undoCommand(),
		c.openCommand(), c.statusCommand(),
		c.proposalCommand(), c.delegationCommand(), c.pauseCommand(), c.jobCommand(), c.webhookCommand(), c.settingCommand(),
		c.apiCommand())
	root.AddCommand(c.demoCommand(), c.setupCommand(), c.serveCommand(), c.workerCommand(), c.migrateCommand(), c.doctorCommand(),
		c.configCommand(),
		c.caseCommand(), c.runCommand(), c.subjectCommand(), c.keyCommand(), c.bundleCommand(), c.verifyCommand(), c.reperformCommand(),
		c.evalCommand(), c.auditCommand(), c.recoverCommand(), c.policyCommand(), c.mcpCommand(), c.loginCommand(), c.logoutCommand(),
		c.whoamiCommand(), c.orgCommand(), c.peopleCommand(), c.tokenCommand(), c.deviceCommand(), c.newCommand(), c.manCommand(),
		c.versionCommand(), exitCodesTopic())
	root.AddCommand(c.appCommands()...)
	c.dataFlags(root)
	return root
}

func (c *cli) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&c.configFile, "config", "", "file of KEY=VALUE settings (default: GAVEL_CONFIG)")
	f.StringVarP(&c.format, "output", "o", string(output.Table), "form of output: "+strings.Join(output.Formats(), ", "))
	f.BoolVar(&c.asJSON, "json", false, "the same as -o json")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "print data and errors only")
	f.BoolVar(&c.noInput, "no-input", false, "never ask, even on a terminal")
	c.completesFlag(root, "output", cobra.FixedCompletions(output.Formats(), cobra.ShellCompDirectiveNoFileComp))
	_ = root.MarkPersistentFlagFilename("config")
}

// prepare runs before every command: it settles the form of output, reads the
// settings where the command uses any, and refuses to go on without the ones
// it needs.
func (c *cli) prepare(cmd *cobra.Command, _ []string) error {
	var err error
	if c.print, err = c.form(cmd); err != nil {
		return err
	}
	c.jsonErrors = c.print.Format.ForPrograms()
	if needs, uses := c.needs[cmd]; uses && !slices.ContainsFunc(c.alone[cmd], cmd.Flags().Changed) {
		if err := c.load(cmd); err != nil {
			return err
		}
		if err := c.cfg.Require(needs...); len(needs) > 0 && err != nil {
			return err
		}
	}
	if err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()); err != nil {
		return err // cobra would say it only after this, as if the command itself had failed
	}
	c.began = true
	return nil
}

func (c *cli) load(cmd *cobra.Command) (err error) {
	flags := map[config.Name]string{}
	for name, flag := range c.settings[cmd] {
		if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
			flags[name] = f.Value.String()
		}
	}
	logins, err := config.ReadLogins(c.environ)
	if err != nil {
		return err
	}
	c.cfg, err = config.Load(config.Sources{Flags: flags, File: c.configFile, Environ: c.environ, Logins: logins, Apps: c.apps.settings()})
	return err
}

// progress says how far a long command has come, to a person who is looking.
func (c *cli) progress(format string, args ...any) {
	if c.terminal {
		c.print.Say(format, args...)
	}
}

// uses declares that a command reads the settings, and which it cannot do
// without. A command that names none also runs when some values are refused;
// it looks at them itself.
func (c *cli) uses(cmd *cobra.Command, needs ...config.Need) *cobra.Command {
	c.needs[cmd] = needs
	var names []string
	for _, n := range needs {
		alternatives := make([]string, len(n))
		for i, name := range n {
			alternatives[i] = string(name)
		}
		names = append(names, strings.Join(alternatives, " or "))
	}
	if len(names) > 0 {
		cmd.Annotations = map[string]string{"settings": strings.Join(names, "\n  ")}
	}
	return cmd
}

// settingFlag gives a command a flag that stands for a setting.
func (c *cli) settingFlag(cmd *cobra.Command, name config.Name, flag string) {
	help := ""
	for _, s := range config.Settings() {
		if s.Name == name {
			help = s.Help
		}
	}
	cmd.Flags().String(flag, "", help+" (default: "+string(name)+")")
	c.settings[cmd] = map[config.Name]string{name: flag}
}

// asksForJSON looks for JSON output in arguments that may not parse, so that
// even an error about a flag comes in the form that was asked for.
func asksForJSON(args []string) bool {
	wanted := false
	for i, a := range args {
		switch {
		case a == "--":
			return wanted
		case a == "--json", a == "--json=true", a == "--jq", a == "--template", strings.HasPrefix(a, "--jq="),
			strings.HasPrefix(a, "--template="):
			wanted = true
		case (a == "-o" || a == "--output" || a == "--"+formatFlag) && i+1 < len(args):
			wanted = output.Format(args[i+1]).ForPrograms()
		case strings.HasPrefix(a, "--output="):
			wanted = output.Format(strings.TrimPrefix(a, "--output=")).ForPrograms()
		case strings.HasPrefix(a, "-o"):
			wanted = output.Format(strings.TrimPrefix(strings.TrimPrefix(a, "-o"), "=")).ForPrograms()
		}
	}
	return wanted
}

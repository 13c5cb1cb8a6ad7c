package program

import (
	"context"
	"os/user"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) recoverCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "Begin again after a restore or a failover, with nothing done twice",
		Long: `Begin again after a restore, or after a replica that lagged took over, with nothing done
twice. What this database has as planned, queued or begun may have been done in the time
that was lost. It works on the database itself, for whoever runs the installation.
docs/runbook/restore.md has the order of things.`,
		Example: `  gavel recover begin --engine same --reason "the disk of 3 May; restored to 2 May, 23:00"
  gavel recover show
  gavel recover end --reason "mail server and commission were looked at"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.recoverBeginCommand(), c.recoverShowCommand(), c.recoverEndCommand(), c.recoverCasesCommand(), c.recoverFreeCommand())
	return cmd
}

// An operatorsWord is what each of these commands puts on record.
type operatorsWord struct{ by, reason string }

func (w *operatorsWord) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.reason, "reason", "", "why, for the log (needed)")
	cmd.Flags().StringVar(&w.by, "by", "", "who does it, for the log; left out, your account on this machine")
	_ = cmd.MarkFlagRequired("reason")
}

// notInWho is what cannot stand in the id of an account.
var notInWho = regexp.MustCompile(`[^A-Za-z0-9._:@+-]+`)

// account is who is at this machine.
func account() string {
	u, err := user.Current()
	if err != nil {
		return "operator"
	}
	return notInWho.ReplaceAllString(u.Username, "-")
}

// recovering hands what a recovery goes through to f, and what the operator says.
func (c *cli) recovering(ctx context.Context, w operatorsWord, f func(recovery.Config, recovery.Word) error) error {
	clock, err := durable.NewClock(c.cfg.ClockEpoch, c.cfg.ClockSpeed, c.cfg.Mode != config.Production)
	if err != nil {
		return err
	}
	if w.by == "" {
		w.by = account()
	}
	cases := casefile.NewStore(casefile.Config{Clock: clock, Kinds: c.apps.caseKinds()})
	return c.withSystem(ctx, func(sys *postgres.System) error {
		return f(recovery.Config{System: sys, Cases: cases, Wake: agent.WakeHeld(cases)}, recovery.Word{By: w.by, Reason: w.reason,
			At: clock.Now()})
	})
}

func (c *cli) recoverBeginCommand() *cobra.Command {
	var w operatorsWord
	var engine string
	cmd := &cobra.Command{
		Use:   "begin --engine same|ahead --reason <why>",
		Short: "Hold everything outside, and doubt what was open when the copy was made",
		Long: `Hold everything that goes outside, in every organisation. What was planned, queued or
begun when the copy was made now counts as something that may have happened. It is
one transaction, and on record. Run it on the restored database before any server or
worker is started: it refuses while one is connected. Then start them. Cases come to
where they were, people can read and decide, and nothing leaves.

--engine says what the engine has. same: its databases were restored together with this
one, to the same moment. ahead: it was not restored, was to another moment, or is empty.
Then every open case begins anew from the record.

Beginning again while a recovery is on changes nothing.`,
		Example: `  gavel recover begin --engine same --reason "the disk of 3 May; restored to 2 May, 23:00"
  gavel recover begin --engine ahead --reason "failover of 3 May to a replica that lagged"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.recovering(cmd.Context(), w, func(on recovery.Config, word recovery.Word) error {
				r, fresh, err := recovery.Begin(cmd.Context(), on, recovery.Engine(engine), word)
				if err != nil {
					return err
				}
				if !fresh {
					c.print.Say("a recovery is on already")
				}
				return output.One(c.print, r, recoveryColumns())
			})
		},
	}
	w.flags(cmd)
	cmd.Flags().StringVar(&engine, "engine", "", "same or ahead: what the engine has (needed)")
	_ = cmd.MarkFlagRequired("engine")
	_ = cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions([]cobra.Completion{string(recovery.Same), string(recovery.Ahead)},
		cobra.ShellCompDirectiveNoFileComp))
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

func recoveryColumns() []output.Column[recovery.Recovery] {
	return []output.Column[recovery.Recovery]{
		{Head: "RECOVERY", Field: "id", Value: func(r recovery.Recovery) any { return r.ID }},
		{Head: "SINCE", Field: "at", Value: func(r recovery.Recovery) any { return r.At }, Time: true},
		{Head: "BY", Field: "by", Value: func(r recovery.Recovery) any { return r.By }},
		{Head: "ENGINE", Field: "engine", Value: func(r recovery.Recovery) any { return string(r.Engine) }},
		{Head: "ACTS IN DOUBT", Field: "acts", Value: func(r recovery.Recovery) any { return r.Acts }},
		{Head: "LETTERS", Field: "letters", Value: func(r recovery.Recovery) any { return r.Letters }},
		{Head: "MAILS TO STAFF", Field: "word", Value: func(r recovery.Recovery) any { return r.Word }},
		{Head: "BEGUN ANEW", Field: "anew", Value: func(r recovery.Recovery) any { return r.Anew }},
		{Head: "ENDED", Field: "ended_at", Value: func(r recovery.Recovery) any { return r.EndedAt }, Time: true},
		{Head: "CASES IN DOUBT", Field: "cases", Value: func(r recovery.Recovery) any { return r.Cases }},
	}
}

func (c *cli) recoverShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show",
		Short:   "Show the newest recovery, on or over",
		Example: `  gavel recover show -o json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.recovering(cmd.Context(), operatorsWord{}, func(on recovery.Config, _ recovery.Word) error {
				r, err := recovery.Show(cmd.Context(), on)
				if err != nil {
					return err
				}
				return output.One(c.print, r, recoveryColumns())
			})
		},
	}
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

func (c *cli) recoverEndCommand() *cobra.Command {
	var w operatorsWord
	var settle time.Duration
	cmd := &cobra.Command{
		Use:   "end --reason <why>",
		Short: "Let go what was held; what may have happened is asked about",
		Long: `Release what a recovery held. What may have happened in the lost time is asked about. The
other side is asked by the effect's own key, where it can be, and otherwise a person.
Cases in the middle of something are in doubt from now on. Whatever they send is asked
about first, until somebody has looked (gavel recover cases, gavel recover free).

It refuses until servers and workers had time to bring cases to where they were. It also
refuses while the outbox is not empty.`,
		Example: `  gavel recover end --reason "mail server and commission were looked at"`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.recovering(cmd.Context(), w, func(on recovery.Config, word recovery.Word) error {
				r, err := recovery.End(cmd.Context(), on, settle, word)
				if err != nil {
					return err
				}
				return output.One(c.print, r, recoveryColumns())
			})
		},
	}
	w.flags(cmd)
	cmd.Flags().DurationVar(&settle, "settle", recovery.Settle,
		"how long it must have been on; less only where no agent works and nothing is tried again")
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

func (c *cli) recoverCasesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cases",
		Short:   "List the cases that are in doubt after a recovery",
		Example: `  gavel recover cases -o csv`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.recovering(cmd.Context(), operatorsWord{}, func(on recovery.Config, _ recovery.Word) error {
				all, err := recovery.Cases(cmd.Context(), on)
				if err != nil {
					return err
				}
				return output.List(c.print, all, "no case is in doubt", []output.Column[recovery.Doubtful]{
					{Head: "ORGANISATION", Field: "org", Value: func(d recovery.Doubtful) any { return string(d.Org) }},
					{Head: "CASE", Field: "ref", Value: func(d recovery.Doubtful) any { return d.Ref }},
					{Head: "ID", Field: "case", Value: func(d recovery.Doubtful) any { return string(d.Case) }},
					{Head: "SINCE", Field: "since", Value: func(d recovery.Doubtful) any { return d.Since }, Time: true},
					{Head: "QUESTIONS", Field: "asked", Value: func(d recovery.Doubtful) any { return d.Asked }},
				})
			})
		},
	}
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

// A freed case as programs read it.
type freed struct {
	Org  identity.Org `json:"org"`
	Case string       `json:"case"`
}

func (c *cli) recoverFreeCommand() *cobra.Command {
	var w operatorsWord
	var org string
	cmd := &cobra.Command{
		Use:   "free <case> --org <organisation> --reason <why>",
		Short: "End the doubt about a case; what it sends goes out as ever",
		Long: `End the doubt about a case: somebody has looked. Nothing of it left in the time that was
lost, or what did is known. It is on record with the case. What it has left to send goes
out as ever; what became a question stays one.`,
		Example: `  gavel recover free CASE-A3F8B291 --org north --reason "the mail server's log of that night has none of its letters"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := identity.ParseOrg(org)
			if err != nil {
				return err
			}
			return c.recovering(cmd.Context(), w, func(on recovery.Config, word recovery.Word) error {
				id, err := recovery.Free(cmd.Context(), on, of, args[0], word)
				if err != nil {
					return err
				}
				return output.One(c.print, freed{of, id}, []output.Column[freed]{
					{Head: "ORGANISATION", Field: "org", Value: func(f freed) any { return string(f.Org) }},
					{Head: "CASE", Field: "case", Value: func(f freed) any { return f.Case }},
				})
			})
		},
	}
	w.flags(cmd)
	cmd.Flags().StringVar(&org, "org", "", "the organisation whose case it is (needed)")
	_ = cmd.MarkFlagRequired("org")
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

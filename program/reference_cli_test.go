package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/program/config"
)

// writeCommands lists every command: what it is for, how it is called, its flags.
func writeCommands(_ *testing.T, p *refPage) {
	root := (&cli{apps: builtIn()}).tree()
	p.line("# Commands")
	p.line("")
	p.line("Every command of `gavel`, as `gavel help <command>` prints it. How they end is in [exit codes](exit-codes.md), what they " +
		"are told in")
	p.line("[settings](settings.md).")
	p.line("")
	p.table("command", "what it does")
	commands := commandsOf(root)
	for _, cmd := range commands {
		p.row(fmt.Sprintf("[`%s`](#%s)", cmd.CommandPath(), anchor(cmd.CommandPath())), cmd.Short)
	}
	p.heading(2, "Flags of every command")
	writeFlags(p, root.PersistentFlags(), nil)
	for _, cmd := range commands {
		writeCommand(p, cmd)
	}
}

// commandsOf is a command with all below it that a person may call, in the order of
// their names.
func commandsOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			all = append(all, commandsOf(sub)...)
		}
	}
	return all
}

// anchor is the name of a heading as Markdown readers make it.
func anchor(heading string) string { return strings.ReplaceAll(heading, " ", "-") }

func writeCommand(p *refPage, cmd *cobra.Command) {
	p.heading(2, cmd.CommandPath())
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	writeProse(p, long)
	if cmd.HasExample() {
		p.line("")
		p.block("console", unindent(cmd.Example))
	}
	if len(cmd.Aliases) > 0 {
		p.line("")
		p.line("Also `%s`.", strings.Join(cmd.Aliases, "`, `"))
	}
	if needs := cmd.Annotations["settings"]; needs != "" {
		p.line("")
		p.line("Needs the settings %s.", strings.Join(strings.Fields(strings.ReplaceAll(needs, " or ", "/")), ", "))
	}
	if !cmd.HasSubCommands() || cmd.HasExample() {
		p.line("")
		p.line("Usage: `%s`", cmd.UseLine())
	}
	if cmd.LocalNonPersistentFlags().HasAvailableFlags() {
		p.line("")
		writeFlags(p, cmd.LocalNonPersistentFlags(), cmd.Root().PersistentFlags())
	}
}

// writeProse writes help as text. What is set in by two columns there is a list or
// a table that would not survive being filled.
func writeProse(p *refPage, text string) {
	for i, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.line("")
		}
		if strings.HasPrefix(part, "  ") {
			p.block("text", unindent(part))
			continue
		}
		p.line("%s", unmarked(part))
	}
}

// unindent takes away the two columns that help is set in by.
func unindent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(l, "  "), " ")
	}
	return strings.Join(lines, "\n")
}

// writeFlags is a table of flags without those of others, and without help, which
// every command has.
func writeFlags(p *refPage, flags, others *pflag.FlagSet) {
	var all []*pflag.Flag
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && (others == nil || others.Lookup(f.Name) == nil) {
			all = append(all, f)
		}
	})
	if len(all) == 0 {
		return
	}
	p.table("flag", "what it does", "default")
	for _, f := range all {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, words := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + kind
		}
		value := f.DefValue
		if slices.Contains([]string{"false", "[]", "0", "0s"}, value) {
			value = ""
		}
		p.row(code(name), unmarked(words), code(value))
	}
}

// writeExitCodes lists what a command may end with.
func writeExitCodes(_ *testing.T, p *refPage) {
	p.line("# Exit codes")
	p.line("")
	p.line("What a command of `gavel` ends with, the same in every form of output; `gavel help exit-codes` prints it.")
	p.line("")
	p.table("code", "means")
	for _, e := range exitCodes() {
		p.row(fmt.Sprint(e.code), e.meaning)
	}
}

// writeSettings lists every setting, the applications' apart.
func writeSettings(_ *testing.T, p *refPage) {
	p.line("# Settings")
	p.line("")
	p.line("Every setting there is. Flags win over the environment, the environment over the file that `--config` or `GAVEL_CONFIG` " +
		"names, the file over the")
	p.line("default. A name that is not here, and a value that is not as expected, is refused at start. A secret is never shown. `gavel " +
		"config list` says what")
	p.line("each is here and where that comes from; [the operator's guide](../guide/operator.md) says which to set first.")
	brought := map[config.Name]bool{}
	for _, app := range builtIn() {
		for _, s := range app.Settings {
			brought[config.Name(s.Name)] = true
		}
	}
	p.heading(2, "Of the platform")
	var own []config.Setting
	for _, s := range config.Settings() {
		if !brought[s.Name] {
			own = append(own, s)
		}
	}
	writeSettingTable(p, own)
	for _, app := range builtIn() {
		if len(app.Settings) > 0 {
			p.heading(2, "Of "+app.Title)
			writeSettingTable(p, settingsOf(app))
		}
	}
}

// settingsOf is an application's settings as the table has them.
func settingsOf(app platform.App) []config.Setting {
	own := config.Settings()
	var all []config.Setting
	for _, s := range config.Settings(app.Settings...) {
		if !slices.ContainsFunc(own, func(o config.Setting) bool { return o.Name == s.Name }) {
			all = append(all, s)
		}
	}
	return all
}

func writeSettingTable(p *refPage, settings []config.Setting) {
	p.table("name", "meaning", "expected", "default", "secret")
	for _, s := range settings {
		p.row(code(string(s.Name)), unmarked(s.Help), unmarked(s.Expect), code(s.Default), map[bool]string{true: "yes"}[s.Secret])
	}
}

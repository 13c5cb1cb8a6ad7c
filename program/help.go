package program

import "github.com/spf13/cobra"

// helpTemplate shows examples before anything that has to be studied.
const helpTemplate = `{{with or .Long .Short}}{{. | trimTrailingWhitespaces}}{{end}}
{{- if .HasExample}}

Examples
{{.Example | trimTrailingWhitespaces}}{{end}}
{{- if .Runnable}}

Usage
  {{.UseLine}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}
{{- if and .Runnable .HasAvailableLocalFlags}}

Flags
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- if and .Runnable .HasAvailableInheritedFlags}}

Flags of every command
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- with index .Annotations "settings"}}

Settings it needs
  {{.}}{{end}}
{{- if .HasHelpSubCommands}}

Further topics{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}
  gavel help {{.Name}}   {{.Short}}{{end}}{{end}}{{end}}
`

func exitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesHelp()}
}

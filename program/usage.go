package program

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gavelhq/gavel/platform/fault"
)

// usage makes an error of the command line's own parser one that people can
// use. Errors that have a kind already pass.
func usage(cmd *cobra.Command, err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), "\n") // the rest is cobra's own advice
	help := cmd.CommandPath() + " --help"
	if near := meant(cmd, text); near != "" {
		return fault.New(fault.Invalid, "%s", text).WithNext("did you mean %s? %s lists what there is", near, help)
	}
	if counted := wordsOfCount(cmd, text); counted != "" {
		return fault.New(fault.Invalid, "%s", counted).WithNext("%s", help)
	}
	if value := wordsOfValue(err); value != "" {
		return fault.New(fault.Invalid, "%s", value).WithNext("%s", help)
	}
	return fault.New(fault.Invalid, "%s", text).WithNext("%s", help)
}

var unknownForm = regexp.MustCompile(`^unknown command "([^"]{1,60})" for `)

// meant is the command that a mistyped one was probably meant to be, as it is typed.
func meant(cmd *cobra.Command, text string) string {
	typed := unknownForm.FindStringSubmatch(text)
	if typed == nil {
		return ""
	}
	cmd.SuggestionsMinimumDistance = 2 // slips, as cobra counts them where it suggests by itself
	near := cmd.SuggestionsFor(typed[1])
	for i, name := range near {
		near[i] = cmd.CommandPath() + " " + name
	}
	return strings.Join(near, " or ")
}

// countForm is what cobra says of too few or too many arguments.
var countForm = regexp.MustCompile(`^(?:accepts|requires) (?:(between \d+ and \d+|at least \d+|at most \d+|\d+)) arg\(s\), (?:only )?received (\d+)$`)

// wordsOfCount names what is missing, or says that there is too much, and shows the line
// as it is typed.
func wordsOfCount(cmd *cobra.Command, text string) string {
	found := countForm.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	given, _ := strconv.Atoi(found[2]) // the form has digits there
	if names := argumentNames(cmd.Use); given < len(names) {
		return fmt.Sprintf("missing %s: type %s", names[given], cmd.UseLine())
	}
	return fmt.Sprintf("too many arguments, %d in all: type %s", given, cmd.UseLine())
}

// argumentForm is how the line of a command names what it cannot do without.
var argumentForm = regexp.MustCompile(`<([^>]+)>|\b([A-Z]{2,})\b`)

// optionalForm is what a line names and may be left out: options and flags.
var optionalForm = regexp.MustCompile(`\[[^\]]*\]| --.*`)

// argumentNames are the things that follow a command, as people call them.
func argumentNames(use string) []string {
	var names []string
	for _, m := range argumentForm.FindAllStringSubmatch(optionalForm.ReplaceAllString(use, ""), -1) {
		name := m[1] + m[2]
		if slices.Contains([]string{"proposal", "run", "job", "delegation", "webhook", "message", "pause", "hold", "device", "person"},
			name) {
			name += " id"
		}
		names = append(names, name)
	}
	return names
}

// kinds are what a flag takes, by the function of the library that read it.
var kinds = map[string]string{
	"ParseFloat": "a number", "ParseInt": "a whole number", "ParseUint": "a whole number from 0", "Atoi": "a whole number",
	"ParseBool": "true or false",
}

// wordsOfValue says what a flag takes where its value could not be read.
func wordsOfValue(err error) string {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return ""
	}
	what := ""
	if number, ok := errors.AsType[*strconv.NumError](err); ok {
		what = kinds[number.Func]
		if errors.Is(number, strconv.ErrRange) {
			what += " that is not so large"
		}
	} else if bad.GetFlag().Value.Type() == "duration" {
		what = "a time such as 90s, 15m or 2h"
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf("--%s takes %s, and not %.60q", bad.GetFlag().Name, what, bad.GetValue())
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gavelhq/gavel/devstack"
)

// printStack prints what up promises: addresses and development tokens.
func printStack(w io.Writer, s *devstack.Stack, output string) error {
	if output == "json" {
		return printJSON(w, map[string]any{
			"dir":           s.Dir(),
			"settings_file": s.SettingsFile(),
			"parts":         s.Status(),
			"tokens":        s.Tokens(),
		})
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, st := range s.Status() {
		if st.Alive {
			fmt.Fprintf(t, "%s\t%s\n", st.Part, where(s, st))
		}
	}
	fmt.Fprintf(t, "settings\t%s\n", s.SettingsFile())
	fmt.Fprintf(t, "logs\t%s\n", filepath.Join(s.Dir(), "log"))
	if s.Addresses(devstack.OIDC) != nil {
		fmt.Fprintf(t, "people\t%d to sign in as, such as %s, password %s\n",
			len(devstack.People()), devstack.People()[0].Email, devstack.DemoPassword)
	}
	fmt.Fprintln(t)
	fmt.Fprintf(t, "development tokens (refused in production)\n")
	for _, token := range s.Tokens() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", token.Org, token.Role, token.Token)
	}
	return t.Flush()
}

// where is how a part is reached; one without an address is shown by its pid.
func where(s *devstack.Stack, st devstack.Status) string {
	if all := s.Endpoints(st.Part); len(all) > 0 {
		return strings.Join(all, "  ")
	}
	return fmt.Sprintf("pid %d", st.PID)
}

func printStatus(w io.Writer, s *devstack.Stack, output string) error {
	all := s.Status()
	if output == "json" {
		return printJSON(w, map[string]any{"dir": s.Dir(), "parts": all})
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "part\tstate\tpid\taddress\tlog\n")
	for _, st := range all {
		state := "stopped"
		if st.Alive {
			state = "running"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", st.Part, state, st.PID, strings.Join(s.Endpoints(st.Part), " "), st.Log)
	}
	return t.Flush()
}

func printSettings(w io.Writer, s *devstack.Stack, export bool) {
	all := s.Settings()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if export {
			// None of the values holds a single quote: they are URLs, names and base64.
			fmt.Fprintf(w, "export %s='%s'\n", key, all[key])
		} else {
			fmt.Fprintf(w, "%s=%s\n", key, all[key])
		}
	}
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

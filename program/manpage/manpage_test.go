package manpage_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/manpage"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tree is a command with everything that man could take for something else.
func tree() *cobra.Command {
	root := &cobra.Command{Use: "gavel", Short: "Agents do the casework; people hold the gavel"}
	root.PersistentFlags().StringP("output", "o", "table", "form of output")
	open := &cobra.Command{
		Use:   "open <organisation>/<role> --title <title>",
		Short: `Open a case in C:\cases`,
		Long: `Open a case in C:\cases. Groups are gavel/<organisation>/<role>.
.it is no order, and *this* is _not_ set.

  a list    that keeps its columns
  'another  line

The end…`,
		Example: `  gavel open north/officer --title "Smoke"     its page is printed
  gavel open -o json`,
		Annotations: map[string]string{"settings": "GAVEL_SERVER\n  GAVEL_TOKEN"},
		Run:         func(*cobra.Command, []string) {},
	}
	open.Flags().StringP("title", "t", "", "what people call it; `words` are as they stand")
	open.Flags().Bool("hidden", false, "nobody is told")
	_ = open.Flags().MarkHidden("hidden")
	root.AddCommand(open, &cobra.Command{Use: "gone", Short: "Is hidden", Hidden: true, Run: func(*cobra.Command, []string) {}})
	return root
}

func TestAPageSaysWhatHelpSays(t *testing.T) {
	root := tree()
	for _, cmd := range []*cobra.Command{root, root.Commands()[1]} {
		got := manpage.Write(cmd, manpage.Header{Program: "gavel v0.1.0", Date: "2026-11-14"})
		path := filepath.Join("testdata", manpage.Name(cmd))
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
		}
	}
}

// TestAPageReadsAsItWasWritten has the reader of manual pages set one, where there is one.
func TestAPageReadsAsItWasWritten(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("there is no groff")
	}
	cmd := exec.CommandContext(t.Context(), "groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=78n")
	page := manpage.Write(tree().Commands()[1], manpage.Header{Program: "gavel v0.1.0"})
	cmd.Stdin = strings.NewReader(string(page))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.String() != "" {
		t.Fatalf("groff: %v: %s", err, complaints.String())
	}
	if filled := strings.Join(strings.Fields(string(out)), " "); !strings.Contains(filled, `Open a case in C:\cases. Groups are `+
		`gavel/<organisation>/<role>. .it is no order, and *this* is _not_ set.`) {
		t.Errorf("got %s, want the words as they were written", out)
	}
	for _, want := range []string{"a list    that keeps its columns", "'another  line", "-t, --title words", "-o, --output string",
		`gavel open north/officer --title "Smoke"     its page is printed`, "GAVEL_TOKEN", "The end…", "gavel(1)"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	for _, not := range []string{"hidden", "gone"} {
		if strings.Contains(string(out), not) {
			t.Errorf("got %s, and %q is hidden", out, not)
		}
	}
}

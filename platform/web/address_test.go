package web_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

func TestALinkToAProposalLeadsToItsPage(t *testing.T) {
	for _, tt := range []struct{ public, id, want string }{
		{"https://gavel.example", "P-881", "https://gavel.example/proposals/P-881"},
		{"https://gavel.example/", "P-881", "https://gavel.example/proposals/P-881"},
		{"http://127.0.0.1:8080", "../P 1?x", "http://127.0.0.1:8080/proposals/..%2FP%201%3Fx"},
	} {
		if got := web.ProposalLink(tt.public, tt.id); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

var (
	proposalAddress = regexp.MustCompile(`(/v1)?/proposals\b(.)?`)
	routePattern    = regexp.MustCompile(`"(GET|POST) /proposals/\{id\}[a-z/]*"`)
)

// buildsLink reports whether a line of a program makes the address of a
// proposal's page by itself. The API's own addresses and the patterns of the
// routes are no links to the page.
func buildsLink(line string) bool {
	if strings.HasPrefix(strings.TrimSpace(line), "//") {
		return false
	}
	for _, m := range proposalAddress.FindAllStringSubmatch(routePattern.ReplaceAllString(line, ""), -1) {
		if m[1] == "" && (m[2] == "/" || m[2] == `"` || m[2] == "`" || m[2] == "%") {
			return true
		}
	}
	return false
}

// TestOneFunctionBuildsLinksToProposals promises that mails, MCP, the API and the
// command line lead to the page that never decides by being opened, because one
// function builds the address. A fix in five places is forgotten in the sixth.
func TestOneFunctionBuildsLinksToProposals(t *testing.T) {
	for line, want := range map[string]bool{
		`return public + "/proposals/" + id`:                         true,
		"link := fmt.Sprintf(`%s/proposals/%s`, base, id)":           true,
		`url.JoinPath(base, "/proposals", id)`:                       true,
		`m.Handle("GET /proposals/{id}/edit", c.editProposal)`:       false,
		`Location: "/v1/proposals/" + p.ID`:                          false,
		`// The page /proposals/{id} shows and never decides.`:       false,
		`"/v1/proposals/" + id, "https://x.example/proposals/" + id`: true,
	} {
		if got := buildsLink(line); got != want {
			t.Errorf("%s: got %t, want %t", line, got, want)
		}
	}
	root := filepath.Join("..", "..")
	looked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "docs"):
			return fs.SkipDir
		case d.IsDir(), !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".templ") && !strings.HasSuffix(name, ".js"),
			strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, "_templ.go"),
			path == filepath.Join(root, "platform", "web", "address.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		for i, line := range strings.Split(string(text), "\n") {
			if buildsLink(line) {
				t.Errorf("%s:%d builds a link to a proposal; use web.ProposalPath or web.ProposalLink: %s", path, i+1,
					strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if looked < 200 {
		t.Errorf("only %d files were looked at", looked)
	}
}

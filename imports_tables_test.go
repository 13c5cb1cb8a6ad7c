package gavel_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// ownTables is the rule about whose tables an application asks.
var ownTables = rule{"own-tables", "an application has no statement on a table of the platform",
	"ask the package that owns the table: review.Questions, notify.OfCaseIn, inbound.OfCase, casefile.Lock, postgres.OrganisationIn"}

// platformTable is how a statement names one.
var platformTable = regexp.MustCompile(`(?i)\b(?:from|join|into|update|using|only|table)\s+gavel(?:_sys)?\.[a-z_]+`)

// TestApplicationsAskTheirOwnTables promises that a column of the platform can change without
// an application: none of them has SQL on a table that is not its own.
func TestApplicationsAskTheirOwnTables(t *testing.T) {
	found, err := checkTables(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestEachStatementOnAPlatformTableIsFound promises that the rule refuses what it is for,
// and lets the nearest honest thing pass.
func TestEachStatementOnAPlatformTableIsFound(t *testing.T) {
	for _, tt := range []struct {
		at, body string
		want     int
	}{
		{"apps/netra/store", "\nconst q = `select id from gavel.proposal p`\n", 1},
		{"apps/netra/casework", "\nconst q = `select exists (select from gavel.act a join\n\t\tgavel.decision d on true)`\n", 2},
		{"apps/netra/casework", "\nconst q = `update gavel.case set state = ''`\n", 1},
		{"apps/netra/store", "\nconst q = `select title from netra.office join gavel_sys.organisation g using (org)`\n", 1},
		{"apps/netra/store", "\nconst q = `select id from netra.score where org = current_setting('gavel.org')`\n", 0},
		{"apps/netra/store", "\n// It was read from gavel.proposal before.\nconst q = `select 1`\n", 0},
		{"apps/netra/store/store_test.go", "\nconst q = `select id from gavel.proposal`\n", 0},
		{"platform/review", "\nconst q = `select id from gavel.proposal`\n", 0},
	} {
		found, err := checkTables(fakes(pkg(tt.at).does(tt.body)))
		if err != nil || len(found) != tt.want {
			t.Errorf("%s: got %v (%v), want %d findings for %s", tt.at, found, err, tt.want, tt.body)
		}
	}
}

// checkTables reads the module under fsys and finds statements of applications on tables of
// the platform. Migrations may refer to them.
func checkTables(fsys fs.FS) ([]finding, error) {
	t, err := readTree(fsys, module)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, f := range t.files {
		if f.at.layer != apps || f.test || f.at.helper {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			for _, m := range platformTable.FindAllString(text, -1) {
				found = append(found, finding{f.path + ":" + strconv.Itoa(t.fset.Position(lit.Pos()).Line), "asks " + m, ownTables})
			}
			return true
		})
	}
	return found, nil
}

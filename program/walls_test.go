package program

import (
	"testing"

	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// The tables are those of the whole program, applications and all, as the
// catalogue lists them: a new table cannot escape by being forgotten here.
func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) {
	postgrestest.Walls(t, builtIn().migrations()...)
}

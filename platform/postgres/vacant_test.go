package postgres_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestADatabaseThatIsInUseIsNotVacant(t *testing.T) {
	migrated, empty := postgrestest.New(t), postgrestest.Empty(t)
	if err := postgres.Unused(t.Context(), migrated.OwnerURL); !fault.Is(err, fault.Conflict) {
		t.Errorf("a migrated one: got %v", err)
	}
	if err := postgres.Unused(t.Context(), empty.OwnerURL); err != nil {
		t.Errorf("an empty one: got %v", err)
	}
	// The cluster of tests is full of databases of ours.
	err := postgres.Vacant(t.Context(), empty.AdminURL, "gavel_of_somebody_new")
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "lock its servers out") {
		t.Errorf("beside others: got %v", err)
	}
}

package model_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
)

// TestOrganisationsTakeTurnsAtARoute promises that who has many waiting keeps nobody else
// waiting longer than for one, and that never more are under way than may be.
func TestOrganisationsTakeTurnsAtARoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := model.NewSlots(1, time.Now)
		first, err := s.Take(t.Context(), "north")
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		wait := func(org identity.Org) {
			go func() {
				leave, err := s.Take(t.Context(), org)
				if err != nil {
					t.Error(err)
					return
				}
				if n := s.Load().Busy; n != 1 {
					t.Errorf("%d under way, want 1", n)
				}
				order = append(order, string(org))
				time.Sleep(time.Second)
				leave()
				leave() // twice is once
			}()
			synctest.Wait()
		}
		for range 4 {
			wait("north")
		}
		wait("south")
		wait("east")
		if l := s.Load(); l.Waiting != 6 || l.Busy != 1 {
			t.Errorf("load %+v, want 6 waiting and 1 busy", l)
		}
		first()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := strings.Join(order, " "); got != "north south east north north north" {
			t.Errorf("they went in the order %s", got)
		}
		if l := s.Load(); l.Waiting != 0 || l.Busy != 0 || l.Waited != 15*time.Second {
			t.Errorf("in the end %+v, want 15 seconds waited in all", l)
		}
	})
}

// TestWhoGoesAwayLosesNoSlot promises that one that is given up, or out of patience, leaves
// the slots as they are, also where it is given one in that moment.
func TestWhoGoesAwayLosesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := model.NewSlots(2, time.Now)
		var held []func()
		for i := range 2 {
			leave, err := s.Take(t.Context(), identity.Org(fmt.Sprint("org", i)))
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, leave)
		}
		gone := errors.New("the person stopped it")
		ctx, stop := context.WithCancelCause(t.Context())
		errs := make(chan error, 2)
		go func() { _, err := s.Take(ctx, "north"); errs <- err }()
		synctest.Wait()
		stop(gone)
		if err := <-errs; !errors.Is(err, gone) {
			t.Errorf("given up it returns %v", err)
		}
		go func() { _, err := s.Take(t.Context(), "north"); errs <- err }()
		if err := <-errs; !fault.Is(err, fault.TooMany) || !fault.KindOf(err).Retryable() {
			t.Errorf("out of patience it returns %v, want what is tried again", err)
		}
		for range 200 { // both at the same moment
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				leave, err := s.Take(ctx, "north")
				if err == nil {
					leave()
				}
				errs <- err
			}()
			synctest.Wait()
			go stop()
			held[0]()
			<-errs
			leave, err := s.Take(t.Context(), "south")
			if err != nil {
				t.Fatal(err)
			}
			held[0] = leave
		}
		held[0]()
		held[1]()
		if l := s.Load(); l.Busy != 0 || l.Waiting != 0 {
			t.Errorf("in the end %+v, want nothing", l)
		}
	})
}

func TestNoSlotsAreNoBound(t *testing.T) {
	var none *model.Slots
	all := model.NewSlots(0, time.Now)
	for range 1000 {
		if _, err := none.Take(t.Context(), "north"); err != nil {
			t.Fatal(err)
		}
		if _, err := all.Take(t.Context(), "north"); err != nil {
			t.Fatal(err)
		}
	}
	if n := all.Load().Busy; n != 1000 {
		t.Errorf("%d are counted, want 1000", n)
	}
}

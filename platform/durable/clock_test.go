package durable_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
)

var epoch = time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)

func TestAScaledClockIsRefusedOutsideDemoAndTest(t *testing.T) {
	for _, tt := range []struct {
		name     string
		epoch    time.Time
		speed    float64
		scalable bool
		ok       bool
	}{
		{"the wall clock in production", time.Time{}, 1, false, true},
		{"a scaled clock in production", epoch, 60, false, false},
		{"a scaled clock in a test", epoch, 43_200, true, true},
		{"a slow one", epoch, 0.5, true, true},
		{"without an epoch", time.Time{}, 60, true, false},
		{"standing still", epoch, 0, true, false},
		{"backwards", epoch, -1, true, false},
		{"not a number", epoch, math.NaN(), true, false},
		{"beyond the bound", epoch, 2e6, true, false},
	} {
		_, err := durable.NewClock(tt.epoch, tt.speed, tt.scalable)
		if ok := err == nil; ok != tt.ok {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", tt.name, err)
		}
	}
}

func TestTheZeroClockIsTheWallClock(t *testing.T) {
	var c durable.Clock
	if got := c.At(epoch); !got.Equal(epoch) || c.Real(time.Hour) != time.Hour || c.Scaled() {
		t.Errorf("got %v, %v, %v", got, c.Real(time.Hour), c.Scaled())
	}
	before := time.Now()
	if got := c.Now(); got.Before(before) || got.After(time.Now()) {
		t.Errorf("now is %v off", got.Sub(before))
	}
}

func TestADayPassesInTwoSeconds(t *testing.T) {
	c := durable.Clock{Epoch: epoch, Speed: 43_200}
	if got, want := c.At(epoch.Add(2*time.Second)), epoch.AddDate(0, 0, 1); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := c.Real(7*24*time.Hour), 14*time.Second; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestScaledTimeNeverRunsBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := durable.Clock{Epoch: epoch, Speed: rapid.Float64Range(0.001, durable.MaxSpeed).Draw(t, "speed")}
		a := rapid.Int64Range(0, int64(time.Hour)).Draw(t, "a")
		b := rapid.Int64Range(a, int64(time.Hour)).Draw(t, "b")
		early, late := c.At(epoch.Add(time.Duration(a))), c.At(epoch.Add(time.Duration(b)))
		if late.Before(early) {
			t.Fatalf("%v is before %v", late, early)
		}
	})
}

func TestAScaledClockLeftRunningNeitherWrapsNorBreaks(t *testing.T) {
	c := durable.Clock{Epoch: epoch, Speed: durable.MaxSpeed}
	last := c.At(epoch)
	for d := time.Hour; d < 20*365*24*time.Hour; d *= 2 {
		now := c.At(epoch.Add(d))
		if now.Before(last) || now.Year() > 9999 {
			t.Fatalf("after %v it is %v, and was %v before", d, now, last)
		}
		last = now
	}
}

func TestTheClockSurvivesAWorkflowsInput(t *testing.T) {
	want := durable.Clock{Epoch: epoch, Speed: 60}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got durable.Clock
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestATimerInAWorkflowWaitsScaledTime(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(epoch)
	clock := durable.Clock{Epoch: epoch, Speed: 3600}
	env.ExecuteWorkflow(func(ctx workflow.Context) (time.Duration, error) {
		start := workflow.Now(ctx)
		err := clock.Timer(ctx, epoch.Add(10*time.Hour)).Get(ctx, nil)
		return workflow.Now(ctx).Sub(start), err
	})
	var took time.Duration
	if err := env.GetWorkflowResult(&took); err != nil {
		t.Fatal(err)
	}
	if took != 10*time.Second {
		t.Errorf("ten scaled hours took %v, want 10s", took)
	}
}

package devstack

import (
	"fmt"
	"os"
	"testing"
)

// TestAProcessIsThereUntilItsLastThreadEnds: a part that was killed is started again on
// its port, which is free when the last of its threads has ended and not before.
func TestAProcessIsThereUntilItsLastThreadEnds(t *testing.T) {
	for _, tt := range []struct {
		state   string
		threads int
		dead    bool
	}{{"S", 9, false}, {"Z", 9, false}, {"Z", 2, false}, {"Z", 1, true}, {"Z", 0, true}, {"X", 0, true}} {
		line := fmt.Sprintf("7 (a) Z 1 (b) %s 1 7 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 %d 0 4242 0 0", tt.state, tt.threads)
		if got, err := parseStat(7, []byte(line)); err != nil || got.dead != tt.dead || got.born != 4242 {
			t.Errorf("%s with %d threads: %+v, %v", tt.state, tt.threads, got, err)
		}
	}
	if own, err := readStat(os.Getpid()); err != nil || own.dead || own.born == 0 {
		t.Errorf("this test: %+v, %v", own, err)
	}
}

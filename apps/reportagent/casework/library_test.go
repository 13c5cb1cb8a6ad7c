package casework

import (
	"strconv"
	"testing"
	"time"
)

// TestWhoAsksForAnotherRunDoesNotWait promises that a run which is being read keeps nobody from another one, of whatever organisation; that
// all who ask for one get the same place; and that the run nobody asked for longest makes room, and no other.
func TestWhoAsksForAnotherRunDoesNotWait(t *testing.T) {
	l := newLibrary(nil)
	slow := l.volume("north 1")
	slow.mu.Lock() // it is being read
	defer slow.mu.Unlock()
	got := make(chan *volume)
	go func() {
		v := l.volume("south 1")
		v.mu.Lock()
		defer v.mu.Unlock()
		got <- v
	}()
	select {
	case <-got:
	case <-time.After(time.Minute):
		t.Fatal("another organisation waits")
	}
	for i := range mostRead - 2 {
		l.volume("north " + strconv.Itoa(i+2))
	}
	if l.volume("north 1") != slow || len(l.shelf) != mostRead {
		t.Fatalf("%d runs are there", len(l.shelf))
	}
	l.volume("north 99")
	if l.shelf["south 1"] != nil || l.shelf["north 1"] != slow || len(l.shelf) != mostRead || len(l.order) != mostRead {
		t.Errorf("there are %v", l.order)
	}
}

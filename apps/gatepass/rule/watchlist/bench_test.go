package watchlist_test

import (
	"fmt"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
)

// BenchmarkScreen looks for one name on a list of a thousand.
func BenchmarkScreen(b *testing.B) {
	var rows []watchlist.Row
	for i := range 1000 {
		name := fmt.Sprintf("Ravindra Kumar %c%c", 'a'+i%26, 'a'+i/26%26)
		rows = append(rows, watchlist.Row{ID: fmt.Sprint(i), Name: name, Level: watchlist.Ask})
	}
	l := watchlist.New(watchlist.Standard(), rows, nil)
	for b.Loop() {
		l.Screen("Ravindra Kumar Sharma", now)
	}
}

package measure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

// A Cluster is a group of ways that are alike.
type Cluster struct {
	Medoid  int   // which way stands for it
	Members []int // all of them, in their order
	Sum     int   // edits from the medoid to all members
}

// Clusters groups ways whose edits are at most a third of the longer one away from the first
// of their group. Whatever is most frequent is looked at first; groups stand by their size.
func Clusters(paths [][]string) []Cluster {
	var leaders []int
	groups := map[int][]int{}
	for _, i := range byFrequency(paths) {
		at := slices.IndexFunc(leaders, func(l int) bool {
			return stat.Distance(paths[i], paths[l])*3 <= max(len(paths[i]), len(paths[l]))
		})
		if at < 0 {
			at = len(leaders)
			leaders = append(leaders, i)
		}
		groups[at] = append(groups[at], i)
	}
	out := make([]Cluster, 0, len(leaders))
	for g := range leaders {
		members := slices.Sorted(slices.Values(groups[g]))
		var ways [][]string
		for _, i := range members {
			ways = append(ways, paths[i])
		}
		at, sum := stat.Medoid(ways)
		out = append(out, Cluster{members[at], members, sum})
	}
	slices.SortStableFunc(out, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(len(b.Members), len(a.Members)), cmp.Compare(a.Medoid, b.Medoid))
	})
	return out
}

// byFrequency is the indexes of ways, those that are taken most often first.
func byFrequency(paths [][]string) []int {
	often := map[string]int{}
	key := func(p []string) string { return strings.Join(p, "\n") }
	order := make([]int, len(paths))
	for i, p := range paths {
		often[key(p)]++
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(often[key(paths[b])], often[key(paths[a])]) })
	return order
}

package chart_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/chart"
)

// square is a corner of a tile: its left and its top.
var square = regexp.MustCompile(`<rect x="([0-9.]+)" y="([0-9.]+)" width="34.0" height="31.0"`)

// TestEachTileHasItsOwnRoom promises that no two tiles lie on each other and none beyond the drawing, whatever stands where, and that
// words from outside stay words.
func TestEachTileHasItsOwnRoom(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var blocks []chart.TileBlock
		want := 0
		for range rapid.IntRange(0, 12).Draw(r, "blocks") {
			b := chart.TileBlock{Name: rapid.String().Draw(r, "name"), Band: rapid.IntRange(-2, 3).Draw(r, "band"),
				At: rapid.Float64Range(-1, 2).Draw(r, "at")}
			for range rapid.IntRange(0, 30).Draw(r, "tiles") {
				class := rapid.IntRange(-1, 7).Draw(r, "class")
				b.Tiles = append(b.Tiles, chart.Tile{Name: b.Name, Short: b.Name, Value: "7", Class: class})
				want++
			}
			blocks = append(blocks, b)
		}
		look := chart.Look{ID: "x", Width: rapid.SampledFrom([]int{chart.Phone, chart.Wide}).Draw(r, "width")}
		svg := chart.TileMap(look, "t", "d", blocks)
		ground := strings.NewReplacer("<defs>", "<g>", "</defs>", "</g>", "<pattern", "<g", "</pattern>", "</g>")
		sound(r, chart.SVG(ground.Replace(string(svg))))
		at := square.FindAllStringSubmatch(string(svg), -1)
		if len(at) != want {
			r.Fatalf("%d tiles are drawn, want %d", len(at), want)
		}
		var corners [][2]float64
		for _, m := range at {
			x, _ := strconv.ParseFloat(m[1], 64)
			y, _ := strconv.ParseFloat(m[2], 64)
			if x < -0.05 || x+34 > look.Breadth()+0.05 {
				r.Fatalf("a tile stands at %g, beyond %g", x, look.Breadth())
			}
			for _, c := range corners {
				if x < c[0]+34 && c[0] < x+34 && y < c[1]+31 && c[1] < y+31 {
					r.Fatalf("tiles lie on each other at %g, %g and %g, %g", x, y, c[0], c[1])
				}
			}
			corners = append(corners, [2]float64{x, y})
		}
	})
}

// TestBlocksStandAboutWhereTheyLie promises north above south and west left of east, and that each tile tells by more than its colour.
func TestBlocksStandAboutWhereTheyLie(t *testing.T) {
	one := func(name string, band int, at float64, class int) chart.TileBlock {
		return chart.TileBlock{Name: name, Band: band, At: at, Tiles: []chart.Tile{{Name: name + ": 12, <thin>", Short: "Aaa", Value: "12",
			Class: class, Thin: class == 2, Href: "/netra/" + name}}}
	}
	svg := string(chart.TileMap(chart.Look{ID: "m"}, "Map", "", []chart.TileBlock{one("South", 2, 0.5, 5), one("East", 1, 0.9, 2),
		one("West", 1, 0.1, 0)}))
	at := square.FindAllStringSubmatch(svg, -1)
	got := fmt.Sprint(at[0][1:], at[1][1:], at[2][1:])
	if want := "[51.0 17.0] [595.0 17.0] [322.8 79.0]"; got != want {
		t.Errorf("west, east and south stand at %s, want %s", got, want)
	}
	for _, want := range []string{`class="tile none"`, `fill="url(#ch-m-none)"`, `class="tile t2 thin"`,
		`<title>East: 12, &lt;thin&gt;</title>`,
		`role="group"`, `tabindex="-1"`, `href="/netra/South"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in %s", want, svg)
		}
	}
	if n := len(chart.TileLegend([5]string{"a", "b", "c", "d", "e"}, "none", "thin")); n != 7 {
		t.Errorf("the legend has %d entries, want 7", n)
	}
}

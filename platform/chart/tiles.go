package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// A Tile is one thing of a map of tiles: each has the same room, however large it is on the ground.
type Tile struct {
	Name  string // read aloud, with the value and what it means
	Short string // what stands on the tile, over the value
	Value string
	Class int    // 1 is the palest, TileClasses the darkest; anything else is hatched: nothing is known
	Thin  bool   // little is known: its edge is broken
	Href  string // where it leads; empty: nowhere
}

// TileClasses is how many shades tiles have.
const TileClasses = 5

// A TileBlock is tiles that stand together under a name, about where they lie.
type TileBlock struct {
	Name  string
	Band  int     // which row of blocks, from the north
	At    float64 // from 0 in the west to 1 in the east
	Tiles []Tile
}

// The room of a tile and of what is around it, in parts of the view box.
const (
	tileWide  = 34.0
	tileHigh  = 31.0
	tileGap   = 3.0
	blockHead = 17.0
	blockGap  = 14.0
	blockName = 10.5 // the size of its letters
)

// TileMap draws a map on which every tile counts alike. Blocks stand in bands from north to south, and in a band from west to east,
// each about where it lies as far as there is room. Tiles that lead somewhere are links which the keyboard passes over: the
// table beside the map, which whoever draws it writes, has the same links.
func TileMap(look Look, title, desc string, blocks []TileBlock) SVG {
	placed, high := placeBlocks(blocks, look.Breadth())
	c := look.beginAs("group", "tiles", max(high, tileHigh), title, desc)
	hatch := look.PartID("none")
	c.Start("defs")
	c.Hatch(hatch)
	c.End()
	for _, b := range placed {
		c.Text("tile-block", b.x, b.y+blockName, "", Short(b.Name, int(b.wide/(blockName*0.58))))
		for i, t := range b.Tiles {
			t.draw(c, b.x+float64(i%b.columns)*(tileWide+tileGap), b.y+blockHead+float64(i/b.columns)*(tileHigh+tileGap), hatch)
		}
	}
	return c.Done()
}

// draw draws one tile at its upper left corner.
func (t Tile) draw(c *Canvas, x, y float64, hatch string) {
	element, attrs := "g", []string{}
	if t.Href != "" {
		element, attrs = "a", []string{"href", t.Href, "tabindex", "-1"}
	}
	class, fill := "tile t"+strconv.Itoa(t.Class), ""
	if t.Class < 1 || t.Class > TileClasses {
		class, fill = "tile none", "url(#"+hatch+")"
	}
	if t.Thin {
		class += " thin"
	}
	c.Start(element, append(attrs, "class", class)...)
	c.Words("title", t.Name) // names the link, too
	c.Rect("", x, y, tileWide, tileHigh, "rx", "3", "fill", fill)
	c.Text("tile-s", x+tileWide/2, y+12.5, AtMiddle, Short(t.Short, 5))
	c.Text("tile-v", x+tileWide/2, y+25.5, AtMiddle, Short(t.Value, 4))
	c.End()
}

// A placedBlock is a block where it stands.
type placedBlock struct {
	TileBlock

	columns          int
	x, y, wide, high float64
}

// placeBlocks finds room for blocks, and says how high all of them are.
func placeBlocks(blocks []TileBlock, breadth float64) (out []placedBlock, high float64) {
	for _, b := range blocks {
		if len(b.Tiles) > 0 {
			out = append(out, shape(b, breadth))
		}
	}
	slices.SortStableFunc(out, func(a, b placedBlock) int { return cmp.Or(cmp.Compare(a.Band, b.Band), cmp.Compare(a.At, b.At)) })
	for from := 0; from < len(out); {
		to := lineEnd(out, from, breadth)
		high = placeLine(out[from:to], high, breadth) + blockGap
		from = to
	}
	return out, high - blockGap
}

// shape is how many columns a block has: a little wider than high, and never wider than the drawing.
func shape(b TileBlock, breadth float64) placedBlock {
	most := max(int((breadth+tileGap)/(tileWide+tileGap)), 1)
	columns := min(int(math.Ceil(math.Sqrt(1.4*float64(len(b.Tiles))))), len(b.Tiles), most)
	rows := (len(b.Tiles) + columns - 1) / columns
	wide := max(float64(columns)*(tileWide+tileGap)-tileGap, min(TextWidth(Short(b.Name, 22), blockName)+4, breadth))
	return placedBlock{TileBlock: b, columns: columns, wide: wide, high: blockHead + float64(rows)*(tileHigh+tileGap) - tileGap}
}

// lineEnd is where the line ends that begins with a block: at the end of its band, or where the drawing is full.
func lineEnd(all []placedBlock, from int, breadth float64) int {
	wide := all[from].wide
	for to := from + 1; to < len(all); to++ {
		wide += blockGap + all[to].wide
		if all[to].Band != all[from].Band || wide > breadth {
			return to
		}
	}
	return len(all)
}

// placeLine stands blocks side by side, each as near to where it lies as those beside it let it, and says where the line ends.
func placeLine(line []placedBlock, top, breadth float64) (foot float64) {
	free := 0.0
	for i := range line {
		b := &line[i]
		b.x, b.y = max(b.At*breadth-b.wide/2, free), top
		free = b.x + b.wide + blockGap
		foot = max(foot, top+b.high)
	}
	end := breadth
	for i := range slices.Backward(line) {
		b := &line[i]
		b.x = min(b.x, end-b.wide)
		end = b.x - blockGap
	}
	return foot
}

// TileLegend says what the shades of tiles are, and what a hatched and a broken one is.
func TileLegend(classes [TileClasses]string, none, thin string) (out []Entry) {
	swatch := func(class string) SVG {
		return Swatch(func(c *Canvas) {
			c.Start("g", "class", "tile "+class)
			c.Rect("", 1, 1, 14, 14, "rx", "2")
			if class == "none" {
				c.Line("hatch", "M1 11L11 1M5 15L15 5")
			}
			c.End()
		})
	}
	for i, words := range classes {
		out = append(out, Entry{swatch("t" + strconv.Itoa(i+1)), Plain(words)})
	}
	return append(out, Entry{swatch("none"), Plain(none)}, Entry{swatch("t1 thin"), Plain(thin)})
}

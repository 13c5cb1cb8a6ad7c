package chart

// A Spot is a part of the drawing that something stands on.
type Spot struct{ Left, Top, Right, Bottom float64 }

// Places are the spots that are taken, so that names do not lie on each other.
type Places struct {
	f     Frame
	taken []Spot
}

// NewPlaces is a drawing on which nothing stands yet.
func NewPlaces(f Frame) *Places { return &Places{f: f} }

// Take keeps a spot.
func (p *Places) Take(s Spot) { p.taken = append(p.taken, s) }

func (p *Places) free(s Spot) bool {
	if s.Left < 2 || s.Top < 2 || s.Right > p.f.Wide-2 || s.Bottom > p.f.High-18 {
		return false
	}
	for _, t := range p.taken {
		if s.Left < t.Right && t.Left < s.Right && s.Top < t.Bottom && t.Top < s.Bottom {
			return false
		}
	}
	return true
}

// Name finds room for words beside a mark of some size: to its right, left, above
// or below. Where there is none the words are left out; the tables have them.
func (p *Places) Name(c *Canvas, class string, x, y, gap, size float64, s string) {
	w := TextWidth(s, size)
	for _, try := range []struct {
		anchor string
		x, y   float64
		left   float64
	}{
		{"", x + gap, y + size*0.35, x + gap},
		{AtEnd, x - gap, y + size*0.35, x - gap - w},
		{AtMiddle, x, y - gap - 1, x - w/2},
		{AtMiddle, x, y + gap + size*0.8, x - w/2},
	} {
		room := Spot{try.left, try.y - size*0.85, try.left + w, try.y + size*0.25}
		if p.free(room) {
			p.Take(room)
			c.Text(class, try.x, try.y, try.anchor, s)
			return
		}
	}
}

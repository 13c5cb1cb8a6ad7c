package chart

// Swatch is a mark of a legend.
func Swatch(draw func(c *Canvas)) SVG {
	c := &Canvas{}
	c.Start("svg", "class", "swatch", "viewBox", "0 0 16 16", "aria-hidden", "true", "focusable", "false")
	draw(c)
	return c.Done()
}

// Counted is what a mark is, and how many there are of it.
func Counted(label string, n int) string { return Plain(label) + " (" + Count(n) + ")" }

// Hatch is a ground for what is not known, by its name.
func (c *Canvas) Hatch(id string) {
	c.Start("pattern", "id", id, "width", "5", "height", "5", "patternUnits", "userSpaceOnUse", "patternTransform", "rotate(45)")
	c.Void("rect", "class", "hx-bg", "width", "5", "height", "5")
	c.Line("hatch", "M0 0V5")
	c.End()
}

package web

import (
	"maps"
	"regexp"
	"slices"
)

// icons are the pictures that everybody has, by name: 16 px grid, 1.5 px line, round
// ends, drawn in the colour of the text beside them. The outline carries the
// state: circle done, octagon stop or late, triangle ask, dashed circle unknown,
// hourglass stale, slashed circle against or refused, pencil draft, padlock
// permanent or hidden.
var icons = map[string]string{
	"admin":   `<circle cx="8" cy="8" r="2.2"/><path d="M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4"/>`,
	"agent":   `<path d="M8 1.75 13.5 5v6L8 14.25 2.5 11V5Z"/><path d="M8 8 2.8 5.2M8 8l5.2-2.8M8 8v6"/>`,
	"audit":   `<circle cx="8" cy="6.6" r="4.6"/><path d="m6.2 6.6 1.3 1.3 2.3-2.6M5.3 10.6 4.2 14.5 8 12.8l3.8 1.7-1.1-3.9"/>`,
	"camera":  `<path d="M1.75 4.5h3L6 2.75h4l1.25 1.75h3v8.75H1.75Z"/><circle cx="8" cy="8.5" r="2.5"/>`,
	"case":    `<path d="M1.75 13.25V3.5h4l1.5 1.75h7v8Z"/><path d="M4.5 8.5h7"/>`,
	"chat":    `<path d="M1.75 2.75h12.5v8.5H7.5l-3.25 3v-3h-2.5Z"/>`,
	"check":   `<circle cx="8" cy="8" r="6.25"/><path d="m5.2 8.2 2 2 3.6-4.2"/>`,
	"clock":   `<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.4 1.6"/>`,
	"copy":    `<rect x="5.5" y="5.5" width="8.5" height="8.5" rx="1"/><path d="M10.5 5.5V2h-8.5v8.5h3.5"/>`,
	"dn":      `<path d="M8 3v9.5M4.2 8.8 8 12.6l3.8-3.8"/>`,
	"dot":     `<circle cx="8" cy="8" r="6.25"/><circle fill="currentColor" stroke="none" cx="8" cy="8" r="2.6"/>`,
	"down":    `<path d="M8 2v8.5M4.5 7.2 8 10.7l3.5-3.5M2.5 13.75h11"/>`,
	"draft":   `<path d="M9.8 3.2 12.8 6.2 6 13l-3.6.6L3 10Z"/><path d="m8.3 4.7 3 3"/>`,
	"eval":    `<path d="M2.5 13.5v-5M6.2 13.5V5M9.8 13.5v-7M13.5 13.5v-11"/>`,
	"eye":     `<path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Z"/><circle cx="8" cy="8" r="2"/>`,
	"flag":    `<path d="M3.5 14.5V2M3.5 2.5h9l-2 3.2 2 3.3h-9"/>`,
	"inbox":   `<path d="M1.75 9 4 2.75h8L14.25 9v4.25H1.75Z"/><path d="M1.75 9H5.5c0 1.4 1 2.3 2.5 2.3S10.5 10.4 10.5 9h3.75"/>`,
	"info":    `<rect x="2" y="2" width="12" height="12" rx="2"/><path d="M8 7.2v4M8 4.8v.1"/>`,
	"late":    `<path d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4Z"/><path d="M8 4.8V8l2.2 1.5"/>`,
	"left":    `<path d="M10 3 5 8l5 5"/>`,
	"link":    `<path d="M6.5 9.5 9.5 6.5M7.5 4.5l1.7-1.7a2.8 2.8 0 0 1 4 4L11.5 8.5M8.5 11.5l-1.7 1.7a2.8 2.8 0 0 1-4-4L4.5 7.5"/>`,
	"lock":    `<rect x="3" y="7" width="10" height="7" rx="1"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/>`,
	"mail":    `<rect x="1.75" y="3.25" width="12.5" height="9.5" rx="1"/><path d="m2 4 6 5 6-5"/>`,
	"model":   `<path d="M2 8h2.5l1.5-4 3 8 1.7-4H14"/>`,
	"more":    `<circle fill="currentColor" stroke="none" cx="3.5" cy="8" r="1.25"/><circle fill="currentColor" stroke="none" cx="8" cy="8" r="1.25"/><circle fill="currentColor" stroke="none" cx="12.5" cy="8" r="1.25"/>`,
	"pass":    `<rect x="1.75" y="3.25" width="12.5" height="9.5" rx="1"/><circle cx="5.5" cy="7" r="1.4"/><path d="M3.4 10.6c.3-1.2 1.1-1.7 2.1-1.7s1.8.5 2.1 1.7M9.7 6.5h2.8M9.7 9.5h2.8"/>`,
	"pause":   `<path d="M5.5 3v10M10.5 3v10"/>`,
	"phone":   `<path d="M3 2.5h3l1.2 3.3-1.7 1.3a9 9 0 0 0 3.4 3.4l1.3-1.7L13.5 10v3.2c0 .6-.5 1-1 1C7 14 2 9 1.9 3.5c0-.5.5-1 1.1-1Z"/>`,
	"print":   `<path d="M4.5 5.5V1.75h7V5.5M4.5 11.5H1.75v-6h12.5v6H11.5"/><path d="M4.5 9.5h7v4.75h-7Z"/>`,
	"report":  `<path d="M3.25 1.75h6.5l3 3v9.5h-9.5Z"/><path d="M9.5 2v3h3M5.5 8h5M5.5 11h3.5"/>`,
	"right":   `<path d="m6 3 5 5-5 5"/>`,
	"ring":    `<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 1.9"/>`,
	"risk":    `<path d="M2 2h4v4H2ZM10 2h4v4h-4ZM2 10h4v4H2ZM10 10h4v4h-4Z"/>`,
	"routine": `<path d="M3 5h10M3 8h10M3 11h6"/>`,
	"run":     `<path d="M2 3.5h6M5 8h7M8 12.5h6"/>`,
	"scales":  `<path d="M8 2v12M5 14h6M3 4.2h10M3 4.2 1.4 9h3.2Zm10 0L11.4 9h3.2Z"/><path d="M1.4 9a1.6 1.6 0 0 0 3.2 0M11.4 9a1.6 1.6 0 0 0 3.2 0"/>`,
	"search":  `<circle cx="7" cy="7" r="4.75"/><path d="m10.5 10.5 3.75 3.75"/>`,
	"send":    `<path d="M14.25 1.75 1.75 6.5l5 2.5 2.5 5.25Z"/><path d="M6.75 9l3.5-3.5"/>`,
	"slash":   `<circle cx="8" cy="8" r="6.25"/><path d="m3.7 12.3 8.6-8.6"/>`,
	"source":  `<ellipse cx="8" cy="3.75" rx="5.5" ry="2"/><path d="M2.5 3.75v8.5c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2v-8.5M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2"/>`,
	"stale":   `<path d="M4 1.75h8M4 14.25h8M5 1.75c0 3 2 4.3 3 6.25C7 9.9 5 11.2 5 14.25M11 1.75c0 3-2 4.3-3 6.25 1 1.9 3 3.2 3 6.25"/>`,
	"star":    `<path d="m8 1.9 1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.7l-3.8 2 .7-4.3-3.1-3 4.3-.6Z"/>`,
	"stop":    `<path d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4Z"/><path d="M8 4.9v3.6M8 11v.1"/>`,
	"tick":    `<path d="m3 8.5 3.2 3.2L13 4.5"/>`,
	"tool":    `<path d="M10 2a3.5 3.5 0 0 0-3 5.2l-5 5L3.8 14l5-5A3.5 3.5 0 0 0 14 5.5l-2.2 1.2-1.7-1.7L11.3 2.2A3 3 0 0 0 10 2Z"/>`,
	"torch":   `<path d="M5 1.75h6v2.5L9.5 6.5v7.75h-3V6.5L5 4.25ZM8 8.5v1.5"/>`,
	"undo":    `<path d="M2.5 6.5h7a4 4 0 0 1 0 8H6M5.5 3 2.2 6.5l3.3 3.3"/>`,
	"unknown": `<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 1.9"/><path d="M6.2 6.3c.1-1 .8-1.6 1.8-1.6s1.8.6 1.8 1.5c0 1.3-1.8 1.3-1.8 2.6M8 11.1v.1"/>`,
	"up":      `<path d="M8 13V3.5M4.2 7.2 8 3.4l3.8 3.8"/>`,
	"user":    `<circle cx="8" cy="5" r="2.75"/><path d="M2.5 14c.4-3.2 2.6-4.75 5.5-4.75S13.1 10.8 13.5 14"/>`,
	"warn":    `<path d="M8 2 14.5 13.5h-13Z"/><path d="M8 6.4v3.2M8 11.6v.1"/>`,
}

// drawing is what an icon may be drawn with: shapes, and what places and fills them.
var drawing = regexp.MustCompile(`^(?:<(?:circle|ellipse|path|rect)(?: (?:cx|cy|d|fill|height|r|rx|ry|stroke|stroke-dasharray|transform|width|x|y)="[^"<>]*")*/>\s*)+$`)

// drawingOf is the inside of an icon: that of a name, or the drawing itself, on the same
// grid as icons. Whatever else it is given is drawn as nothing.
func drawingOf(icon string) string {
	if known, ok := icons[icon]; ok {
		return known
	}
	if drawing.MatchString(icon) {
		return icon
	}
	return ""
}

// IconNames lists the icons there are, sorted.
func IconNames() []string { return slices.Sorted(maps.Keys(icons)) }

// seal is Gavel's mark: a beaded seal with a gavel on its block.
const seal = `<svg class="seal" viewBox="0 0 40 40" aria-hidden="true"><circle cx="20" cy="20" r="18.500" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="1.300 1.606" /><circle cx="20" cy="20" r="15.800" fill="none" stroke="currentColor" stroke-width="1.200"/><g fill="currentColor"><rect x="14.600" y="10.800" width="10.800" height="7" rx="1.200" transform="rotate(-40 20 14.300)"/><path d="m21.900 17.300 1.700-1.500 6.700 7.600-1.700 1.500Z"/><rect x="10" y="26.800" width="14" height="2.600" rx=".8"/></g></svg>`

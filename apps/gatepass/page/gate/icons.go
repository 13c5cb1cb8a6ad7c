package gate

import (
	"maps"
	"slices"
)

// icons are those of the app: the console's by their names, and two of its own.
var icons = map[string]string{
	"camera": "camera", "check": "check", "find": "search", "pass": "pass", "person": "user", "stop": "stop",
	"torch": "torch", "warn": "warn",
	"flip": `<path d="M2.5 6a6 6 0 0 1 10.5-1.5M13 1.75V4.75h-3M13.5 10A6 6 0 0 1 3 11.5M3 14.25v-3h3"/>`,
	"type": `<rect x="1.5" y="4" width="13" height="8.5" rx="1"/><path d="M4 7h.1M6.7 7h.1M9.3 7h.1M12 7h.1M5 10h6"/>`,
}

var iconNames = slices.Sorted(maps.Keys(icons))

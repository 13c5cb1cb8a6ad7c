package pii

import (
	"net/netip"
	"strings"
)

// networks are hosts whose addresses name their people; hosts below them count, too.
var networks = [...]string{"t.me", "telegram.me", "x.com", "twitter.com", "facebook.com", "fb.com", "instagram.com", "threads.net"}

// places are first parts of an address there that name nobody.
var places = set("home", "search", "hashtag", "i", "intent", "explore", "p", "reel", "reels", "tv", "watch", "events", "groups",
	"pages", "share", "sharer",
	"sharer.php", "login", "login.php", "settings", "help", "about", "privacy", "policies", "tos", "terms", "joinchat", "addstickers",
	"notifications", "messages", "compose", "marketplace",
	"gaming", "business", "legal", "photo", "photo.php", "story.php", "permalink.php", "hashtags", "directory", "developers",
	"accounts", "web")

// longestPath bounds an address, so that no text of many beginnings takes long.
const longestPath = 2048

// profile looks at a "/": whether the address of somebody's page goes on after it.
func (f *finder) profile(i int) {
	host := i
	for host > 0 && (f.is(host-1, letter|digit) || f.b[host-1] == '.' || f.b[host-1] == '-') {
		host--
	}
	if !network(strings.ToLower(f.b[host:i])) {
		return
	}
	end := i
	for end < len(f.b) && end-i < longestPath && strings.IndexByte(" \t\r\n\"'<>(),;|\\[]{}`\x81", f.b[end]) < 0 {
		end++
	}
	for end > i && strings.IndexByte(".:!?*", f.b[end-1]) >= 0 {
		end--
	}
	if !person(f.b[i:end]) {
		return
	}
	if rest, ok := strings.CutSuffix(f.b[:host], "://"); ok {
		for host = len(rest); host > 0 && f.is(host-1, letter); host-- {
		}
	}
	f.found(host, end, Handle)
}

func network(host string) bool {
	for _, n := range networks {
		if rest, ok := strings.CutSuffix(host, n); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}

// person reports whether a path on a network leads to somebody.
func person(path string) bool {
	path, query, _ := strings.Cut(path[1:], "?")
	path, _, _ = strings.Cut(path, "#")
	first, rest, _ := strings.Cut(path, "/")
	if first == "s" || first == "stories" || first == "people" {
		first, _, _ = strings.Cut(rest, "/")
	}
	first = strings.ToLower(strings.TrimPrefix(first, "@"))
	if first == "profile.php" {
		return strings.Contains(query, "id=")
	}
	return first != "" && !places[first] && strings.Trim(first, "._-+") != ""
}

// ipv4 notes the address of a machine that begins with the number at i. The numbers of versions and of
// sections look like it; a word before them, or small numbers alone, say so.
func (f *finder) ipv4(i int) bool {
	if i > 0 && (f.b[i-1] == '.' || f.b[i-1] == '-') {
		return false
	}
	at, long := i, false
	for part := range 4 {
		z := f.run(at, 4, digit)
		value := 0
		for _, c := range []byte(f.b[at:z]) {
			value = value*10 + int(c-'0')
		}
		if z == at || z > at+3 || value > 255 || z > at+1 && f.b[at] == '0' {
			return false
		}
		long = long || z > at+1
		at = z
		if part < 3 {
			if at >= len(f.b) || f.b[at] != '.' {
				return false
			}
			at++
		}
	}
	if f.is(at, wordy) || at+1 < len(f.b) && f.b[at] == '.' && f.is(at+1, digit) || f.says(i, 2, versionWord) || !long && !f.says(i, 2,
		addressWord) {
		return false
	}
	f.found(i, at, IP)
	return true
}

// ipv6 notes an address of the longer kind that begins at i.
func (f *finder) ipv6(i int) {
	if i < f.done || i > 0 && (f.b[i-1] == ':' || f.is(i-1, wordy)) {
		return
	}
	end, colons := i, 0
	for end < len(f.b) && end-i < 46 && (hexOf(f.b[end]) >= 0 || f.b[end] == ':' || f.b[end] == '.') {
		if f.b[end] == ':' {
			colons++
		}
		end++
	}
	t := strings.TrimRight(f.b[i:end], ".:")
	if colons < 2 || f.is(end, wordy) || len(t) < 6 {
		return
	}
	if a, err := netip.ParseAddr(t); err == nil && a.Is6() {
		f.found(i, i+len(t), IP)
	}
}

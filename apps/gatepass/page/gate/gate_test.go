package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheAppSaysOnlyWhatItHasWordsFor promises that every text which the app asks for is one of its keys, and that each key
// has words in both languages.
func TestTheAppSaysOnlyWhatItHasWordsFor(t *testing.T) {
	asked := regexp.MustCompile("\\b(?:T|other|say)\\([\"`]([a-z_.]+)[\"`$]|tool\\(\"([a-z_]+)\"")
	all, err := fs.Glob(files, "app/*.js")
	if err != nil || len(all) < 10 {
		t.Fatalf("%d modules, %v", len(all), err)
	}
	found := 0
	for _, name := range all {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			key := m[1] + m[2]
			starts := func(k string) bool { return strings.HasPrefix(k, key) }
			whole := !strings.HasSuffix(key, "_") && !strings.HasSuffix(key, ".")
			if found++; whole && !slices.Contains(Keys, key) || !whole && !slices.ContainsFunc(Keys, starts) {
				t.Errorf("%s says %q, which has no words", name, key)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d texts were found: the test does not see them", found)
	}
	for _, lang := range []string{"en", "hi"} {
		text, err := os.ReadFile("../messages/" + lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var words map[string]string
		if err := json.Unmarshal(text, &words); err != nil {
			t.Fatal(err)
		}
		for _, key := range Keys {
			if words["gatepass.gate."+key] == "" {
				t.Errorf("%s has no words in %s", key, lang)
			}
		}
	}
}

// TestVendoredFilesAreWhatTheManifestSays promises that what others wrote is exactly what they published, and named.
func TestVendoredFilesAreWhatTheManifestSays(t *testing.T) {
	var parts []struct {
		File, Package, Version, Licence, SHA256 string
		LicenceFile                             string `json:"licence_file"`
	}
	const dir = "app/vendor/"
	text, err := os.ReadFile(dir + "manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"manifest.json": true}
	for _, p := range parts {
		named[p.File], named[p.LicenceFile] = true, true
		body, err := os.ReadFile(dir + p.File)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != p.SHA256 || p.Package == "" || p.Licence == "" ||
			!strings.Contains(p.File, p.Version) {
			t.Errorf("%s is not what the manifest says: %+v", p.File, p)
		}
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !named[name] {
			t.Errorf("%s is in no manifest", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

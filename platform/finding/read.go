package finding

import (
	"encoding/json"
	"io/fs"
)

// Of is a finding about a subject whose words are in a file, in the form that Finding has
// as JSON: for what is said of every subject alike. Where the file is not there, or holds
// something else, so is the finding: empty, which Check refuses.
func Of(files fs.FS, name string, about Subject) Finding {
	f := Finding{}
	if text, err := fs.ReadFile(files, name); err == nil && json.Unmarshal(text, &f) != nil {
		f = Finding{}
	}
	f.Subject = about
	return f
}

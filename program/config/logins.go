package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxLogins bounds the file of kept sign-ins, in bytes.
const maxLogins = 1 << 20

// Logins are the sign-ins that `gavel login` keeps for this user, by server. They
// are weaker than every other source: a token that is set anywhere wins.
type Logins struct {
	Current string            `json:"current"` // the server used where none is set
	Tokens  map[string]Secret `json:"-"`

	path string
}

// loginsFile is how they are kept. A Secret would be masked in it.
type loginsFile struct {
	Current string            `json:"current"`
	Tokens  map[string]string `json:"tokens"`
}

// ReadLogins reads them from the user's own folder for settings. No folder, and
// no file in it, are no sign-ins. A file that others can read is refused: what
// it holds lets its reader be the user.
func ReadLogins(environ []string) (*Logins, error) {
	l := &Logins{Tokens: map[string]Secret{}, path: loginsPath(environ)}
	if l.path == "" {
		return l, nil
	}
	info, err := os.Stat(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the kept sign-ins in %s cannot be read", l.path)
	}
	if info.Mode().Perm()&0o077 != 0 || info.Size() > maxLogins {
		return nil, fault.New(fault.Refused, "%s can be read by others, or is no file of ours", l.path).
			WithNext("chmod 600 %s, or remove it and sign in again: gavel login", l.path)
	}
	text, err := os.ReadFile(l.path)
	var kept loginsFile
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the kept sign-ins in %s cannot be read", l.path).
			WithNext("remove it and sign in again: gavel login")
	}
	l.Current = kept.Current
	for server, token := range kept.Tokens {
		l.Tokens[server] = Secret(token)
	}
	return l, nil
}

func loginsPath(environ []string) string {
	var home, config string
	for _, entry := range environ {
		switch name, text, _ := strings.Cut(entry, "="); name {
		case "HOME":
			home = text
		case "XDG_CONFIG_HOME":
			config = text
		}
	}
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(config) {
		return ""
	}
	return filepath.Join(config, "gavel", "logins.json")
}

// Keep keeps a sign-in, readable by this user only, and makes its server the one
// that is used where none is set.
func (l *Logins) Keep(server, token string) error {
	l.Current = server
	l.Tokens[server] = Secret(token)
	return l.write()
}

// Forget drops the sign-in of a server.
func (l *Logins) Forget(server string) error {
	delete(l.Tokens, server)
	if l.Current == server {
		l.Current = ""
	}
	return l.write()
}

// write replaces the file as a whole, so that a reader finds the old or the new.
func (l *Logins) write() error {
	if l.path == "" {
		return fault.New(fault.Invalid, "there is no place to keep a sign-in: HOME is not set").
			WithNext("set HOME, or use a token: GAVEL_TOKEN")
	}
	kept := loginsFile{Current: l.Current, Tokens: map[string]string{}}
	for server, token := range l.Tokens {
		kept.Tokens[server] = token.Reveal()
	}
	text, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	failed := func(err error) error {
		return fault.From(fault.Invalid, err, "the sign-in cannot be kept in %s", l.path)
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return failed(err)
	}
	draft, err := os.CreateTemp(filepath.Dir(l.path), "logins-*") // made with mode 0600
	if err != nil {
		return failed(err)
	}
	defer os.Remove(draft.Name()) // nothing is there once it is renamed
	_, err = draft.Write(append(text, '\n'))
	if err = errors.Join(err, draft.Close()); err != nil {
		return failed(err)
	}
	if err := os.Rename(draft.Name(), l.path); err != nil {
		return failed(err)
	}
	return nil
}

// offer fills in the server and the token that were set nowhere.
func (l *Logins) offer(g given) {
	if l == nil {
		return
	}
	server := g[NameServer].text
	if server == "" {
		server = l.Current
	}
	token, ok := l.Tokens[server]
	if !ok || g[NameToken].text != "" {
		return
	}
	g[NameServer] = value{server, g[NameServer].origin}
	if g[NameServer].origin == "default" {
		g[NameServer] = value{server, "login"}
	}
	g[NameToken] = value{token.Reveal(), "login"}
}

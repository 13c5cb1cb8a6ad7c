package devstack

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/platform/fault"
)

// state is what the folder remembers; it holds no secret.
type state struct {
	// PostgresHome holds the cluster's folder: the data folder, or one the
	// server's account can reach when the data folder is not.
	PostgresHome string          `json:"postgres_home,omitempty"`
	Ports        map[string]int  `json:"ports"` // by "part/name"; kept until reset
	Parts        map[Part]record `json:"parts"`
}

// A record is the last process of a part.
type record struct {
	process
	Addresses map[string]string `json:"addresses,omitempty"` // host:port by name
	Log       string            `json:"log"`
	LogStart  int64             `json:"log_start"` // where in it this process began to write
	Version   string            `json:"version"`
	Settled   bool              `json:"settled"` // it has answered and its databases, namespaces and buckets exist
}

func (s *Stack) stateFile() string { return s.path("state.json") }

// load reads state and secrets; a folder without them is new, not broken.
func (s *Stack) load() error {
	s.state = state{}
	s.secrets = map[string]string{}
	if err := readJSON(s.stateFile(), &s.state); err != nil {
		return err
	}
	if err := readJSON(s.secretsFile(), &s.secrets); err != nil {
		return err
	}
	if s.state.Ports == nil {
		s.state.Ports = map[string]int{}
	}
	if s.state.Parts == nil {
		s.state.Parts = map[Part]record{}
	}
	return nil
}

// save writes the state; a process is saved before it is waited for, so that
// an interrupted up never loses one.
func (s *Stack) save() error { return writeJSON(s.stateFile(), s.state, 0o644) }

// maxJSON bounds the files we read back, in bytes.
const maxJSON = 1 << 20

func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(data) > maxJSON {
		err = errors.New("file too large")
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fault.From(fault.Internal, err, "read %s", name)
	}
	return nil
}

func writeJSON(name string, v any, mode fs.FileMode) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fault.From(fault.Internal, err, "write %s", name)
	}
	return writeFile(name, append(data, '\n'), mode)
}

// writeFile replaces a file in one step; readers see the old or the new one.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") // 0600 until it is complete
	if err != nil {
		return fault.From(fault.Internal, err, "write %s", name)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return fault.From(fault.Internal, err, "write %s", name)
	}
	return nil
}

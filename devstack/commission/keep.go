package commission

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Each report is two files, named by its receipt: the bytes as they came, and
// what is known about them. The second is written last, and a report without it
// was never received.
const (
	bodyEnd  = ".report.json"
	aboutEnd = ".about.json"
)

func (d *Desk) load() error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return fmt.Errorf("make the simulator's folder: %w", err)
	}
	names, err := filepath.Glob(filepath.Join(d.dir, "SIM-*"+aboutEnd))
	if err != nil {
		return fmt.Errorf("list the simulator's folder: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read what was received: %w", err)
		}
		var kept Received
		if err := json.Unmarshal(data, &kept); err != nil {
			return fmt.Errorf("read %s: %w", filepath.Base(name), err)
		}
		if want := fmt.Sprintf("SIM-%06d", len(d.kept)+1); kept.Receipt != want || strings.TrimSuffix(filepath.Base(name),
			aboutEnd) != want {
			return fmt.Errorf("the simulator's folder lacks %s; wipe the folder, or put the file back", want)
		}
		d.byKey[kept.Key] = len(d.kept)
		d.kept = append(d.kept, kept)
	}
	return nil
}

// add keeps a new report; the desk is locked.
func (d *Desk) add(r Received, body []byte) error {
	if err := d.replace(r.Receipt+bodyEnd, body); err != nil {
		return err
	}
	if err := d.write(r); err != nil {
		return err
	}
	d.byKey[r.Key] = len(d.kept)
	d.kept = append(d.kept, r)
	return nil
}

func (d *Desk) write(r Received) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep %s: %w", r.Receipt, err)
	}
	return d.replace(r.Receipt+aboutEnd, data)
}

func (d *Desk) read(r Received) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.dir, r.Receipt+bodyEnd))
}

// replace writes a file in one step.
func (d *Desk) replace(name string, data []byte) error {
	half, err := os.CreateTemp(d.dir, "half-")
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	defer os.Remove(half.Name())
	_, err = half.Write(data)
	err = errors.Join(err, half.Sync(), half.Close())
	if err == nil {
		err = os.Rename(half.Name(), filepath.Join(d.dir, name))
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

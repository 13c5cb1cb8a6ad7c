package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/setting"
)

// offline is an analysis of files on this machine: no server, no account, no
// network. It is the same code on the same bytes as a server's.
type offline struct {
	Data      string // a file of the data lake
	Districts string // a file of boundaries; empty: none
	States    string // the same, of a file that gives states; one of the two is empty
	Licence   string // of that file
	AsOf      string // the day whose districts it shows
	Stations  string // a file of stations; empty: the program's own
	Static    string // a file of static sources; empty: none
	StaticBy  string // its licence
	StaticOf  string // the day whose sources it lists
	Set       string // a file of thresholds; empty: the usual
	SetBy     int64  // which version of an organisation's they are
	Method    string // by which it is said whose smoke it was; empty: the default
}

// received are the files as they are, for a certificate: their names and hashes.
func (o offline) received() ([]lawbook.Record, error) {
	var all []lawbook.Record
	for _, name := range []string{o.Data, o.Districts, o.States, o.Stations, o.Static} {
		if name == "" || name == "-" {
			continue
		}
		body, err := platform.ReadInput(name, max(lake.MaxBytes, region.MaxFile))
		if err != nil {
			return nil, err
		}
		all = append(all, lawbook.Record{Name: filepath.Base(name), SHA256: digestOf(body)})
	}
	return all, nil
}

// digestOf is the SHA-256 of bytes, in hex.
func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// dataset reads the files and makes them ready.
func (o offline) dataset() (*analysis.Dataset, error) {
	if o.Data == "" {
		return nil, fault.New(fault.Invalid, "there is nothing to look at").WithNext("name a file of the data lake with --data file.json")
	}
	brought, err := o.brought()
	if err != nil {
		return nil, err
	}
	rules, err := brought.Rules()
	if err != nil {
		return nil, err
	}
	body, err := platform.ReadInput(o.Data, lake.MaxBytes)
	if err != nil {
		return nil, err
	}
	object, err := lake.Read(body)
	if err != nil {
		return nil, err
	}
	return analysis.Prepare(object, rules)
}

// brought is the files beside the data.
func (o offline) brought() (b analysis.Brought, err error) {
	if b.Districts, err = o.districts(); err != nil {
		return b, err
	}
	if o.Stations != "" {
		file, err := platform.ReadInput(o.Stations, surge.MaxStationFile)
		if err != nil {
			return b, err
		}
		if b.Stations, err = surge.ReadListed(file); err != nil {
			return b, err
		}
	}
	if o.Set != "" {
		file, err := platform.ReadInput(o.Set, setting.MostBytes)
		if err != nil {
			return b, err
		}
		if b.Set.Thresholds, err = analysis.ReadThresholds(file); err != nil {
			return b, err
		}
		b.Set.Version = max(o.SetBy, 1)
	}
	if o.Static == "" {
		return b, nil
	}
	if o.StaticBy == "" || o.StaticOf == "" {
		return b, fault.New(fault.Invalid, "static sources need a licence and a date").
			WithNext("add --static-licence \"…\" and --static-as-of 2026-01-31")
	}
	file, err := platform.ReadInput(o.Static, fire.MaxMaskFile)
	if err != nil {
		return b, err
	}
	b.Static, err = fire.ReadMask(fire.MaskName(filepath.Base(o.Static), o.StaticBy, o.StaticOf, file), file)
	return b, err
}

func (o offline) districts() (*region.Districts, error) {
	name, gives := o.Districts, region.GivesDistricts
	if o.States != "" {
		name, gives = o.States, region.GivesStates
	}
	if name == "" {
		return nil, nil //nolint:nilnil // no file is no districts, and no fault
	}
	if o.Licence == "" || o.AsOf == "" {
		return nil, fault.New(fault.Invalid, "boundaries need a licence and a date").WithNext("add --licence \"…\" and --as-of 2026-01-31")
	}
	body, err := platform.ReadInput(name, region.MaxFile)
	if err != nil {
		return nil, err
	}
	return region.ReadBoundaries(body, region.Terms{Gives: gives, Name: filepath.Base(name), Licence: o.Licence, AsOf: o.AsOf})
}

package outside

import (
	"net/url"
	"path"
	"strings"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// The settings of the data lake.
const (
	SettingLake      = "GAVEL_AIRSHED_LAKE"
	SettingLakeOrg   = "GAVEL_AIRSHED_LAKE_ORG"
	SettingAccessKey = "GAVEL_AIRSHED_LAKE_ACCESS_KEY"
	SettingSecretKey = "GAVEL_AIRSHED_LAKE_SECRET_KEY"
)

// Settings are what an installation may say about the services, the lake and the commission.
func Settings() []platform.Setting {
	return append([]platform.Setting{
		{Name: SettingLake, Help: "data lake that Airshed looks at; only files that are handed in are looked at where it is not set",
			Expect: "s3://bucket?endpoint=https://host&region=name or file:///absolute/folder", Fits: fitsLake, Address: lakeEndpoint,
			Carries: "data of the lake"},
		{Name: SettingLakeOrg, Help: "organisation whose data lake it is", Expect: "the short name of an organisation",
			Fits: func(v string) bool { _, err := identity.ParseOrg(v); return err == nil }},
		{Name: SettingAccessKey, Help: "access key of an S3 data lake", Expect: "an access key id without spaces", Fits: oneWord},
		{Name: SettingSecretKey, Help: "secret key of an S3 data lake", Expect: "a secret key without spaces", Secret: true, Fits: oneWord},
	}, append(sourceSettings(), commissionSettings()...)...)
}

func oneWord(v string) bool { return len(strings.Fields(v)) == 1 }

func fitsLake(v string) bool {
	u, err := url.Parse(v)
	if err != nil || u.User != nil || u.Fragment != "" {
		return false
	}
	return u.Scheme == "s3" && u.Host != "" || u.Scheme == "file" && u.Host == "" && path.IsAbs(u.Path) && u.RawQuery == ""
}

// lakeEndpoint is where requests to the lake go.
func lakeEndpoint(v string) string {
	u, err := url.Parse(v)
	if err != nil {
		return ""
	}
	return u.Query().Get("endpoint")
}

// An Owned is a data lake and whose it is. The zero value is none.
type Owned struct {
	Lake *Lake        // nil: there is none
	Org  identity.Org // whose it is
}

// By reports whether the lake is an organisation's.
func (o Owned) By(org identity.Org) bool { return o.Lake != nil && o.Org == org }

// OpenLake opens the data lake where one is set. lastGood finds the last object of a lake
// that was kept, by whose it is and what it is called.
func OpenLake(set map[string]string, n Network, lastGood func(identity.Org, string) LastGood) (Owned, error) {
	address := set[SettingLake]
	if address == "" {
		return Owned{}, nil
	}
	org, err := identity.ParseOrg(set[SettingLakeOrg])
	if err != nil {
		return Owned{}, fault.From(fault.Invalid, err, "%s says whose data lake it is", SettingLakeOrg)
	}
	var bucket Bucket
	name, within := "folder", ""
	if strings.HasPrefix(address, "s3:") {
		u, err := url.Parse(address)
		if err != nil {
			return Owned{}, fault.From(fault.Invalid, err, "%s is no address", SettingLake)
		}
		if name = u.Host; strings.Trim(u.Path, "/") != "" {
			within = strings.Trim(u.Path, "/") + "/"
		}
		bucket, err = s3.Open(address, set[SettingAccessKey], set[SettingSecretKey])
		if err != nil {
			return Owned{}, err
		}
	} else if bucket, err = disk.Open(address); err != nil {
		return Owned{}, err
	}
	return Owned{NewLake(n, LakeConfig{Bucket: bucket, Name: name, Within: within, LastGood: lastGood(org, name)}), org}, nil
}

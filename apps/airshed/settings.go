package airshed

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
	settingLake      = "GAVEL_AIRSHED_LAKE"
	settingLakeOrg   = "GAVEL_AIRSHED_LAKE_ORG"
	settingAccessKey = "GAVEL_AIRSHED_LAKE_ACCESS_KEY"
	settingSecretKey = "GAVEL_AIRSHED_LAKE_SECRET_KEY"
)

func settings() []platform.Setting {
	return append([]platform.Setting{
		{Name: settingLake, Help: "data lake that Airshed looks at; only files that are handed in are looked at where it is not set",
			Expect: "s3://bucket?endpoint=https://host&region=name or file:///absolute/folder", Fits: fitsLake, Address: lakeEndpoint, Carries: "data of the lake"},
		{Name: settingLakeOrg, Help: "organisation whose data lake it is", Expect: "the short name of an organisation",
			Fits: func(v string) bool { _, err := identity.ParseOrg(v); return err == nil }},
		{Name: settingAccessKey, Help: "access key of an S3 data lake", Expect: "an access key id without spaces", Fits: oneWord},
		{Name: settingSecretKey, Help: "secret key of an S3 data lake", Expect: "a secret key without spaces", Secret: true, Fits: oneWord},
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

// openLake opens the data lake where one is set.
func (a *app) openLake(d platform.Deps) error {
	address := d.Settings[settingLake]
	if address == "" {
		return nil
	}
	org, err := identity.ParseOrg(d.Settings[settingLakeOrg])
	if err != nil {
		return fault.From(fault.Invalid, err, "%s says whose data lake it is", settingLakeOrg)
	}
	var bucket Bucket
	name, within := "folder", ""
	if strings.HasPrefix(address, "s3:") {
		u, err := url.Parse(address)
		if err != nil {
			return fault.From(fault.Invalid, err, "%s is no address", settingLake)
		}
		if name = u.Host; strings.Trim(u.Path, "/") != "" {
			within = strings.Trim(u.Path, "/") + "/"
		}
		bucket, err = s3.Open(address, d.Settings[settingAccessKey], d.Settings[settingSecretKey])
		if err != nil {
			return err
		}
	} else if bucket, err = disk.Open(address); err != nil {
		return err
	}
	a.lake, a.lakeOf = NewLake(Network{Clock: d.Clock}, LakeConfig{Bucket: bucket, Name: name, Within: within, LastGood: a.store.lastOf(org, name)}), org
	return nil
}

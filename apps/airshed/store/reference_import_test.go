package store

import (
	"fmt"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
)

const twoStations = "site_id,name,agency,latitude,longitude,kind,valid_from\n" +
	"site_5999,\"JNU, Delhi\",DPCC,28.5402,77.1658,interior,2026-03-01\n" +
	"site_5024,\"Alipur, Delhi\",DPCC,28.8155,77.1531,border,2026-11-02\n"

func FuzzReadStations(f *testing.F) {
	f.Add([]byte(twoStations))
	f.Add([]byte("site_id,name,agency,latitude,longitude,kind,valid_from\n\"a"))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := readStations(file)
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Error(err)
			}
			return
		}
		for _, s := range all {
			if !siteForm.MatchString(s.Site) || s.Name == "" || !(s.Lat >= -90 && s.Lat <= 90) || len(fmt.Sprint(s.Kind)) == 0 {
				t.Errorf("taken: %+v", s)
			}
		}
	})
}

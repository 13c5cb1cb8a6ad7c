package web

import (
	"testing"
	"testing/fstest"
)

// TestATitleIsReadInThePagesLanguage promises that a title which an application wrote in
// one of its forms is read in the page's language, and that anything else is shown to
// the letter.
func TestATitleIsReadInThePagesLanguage(t *testing.T) {
	words, err := LoadCatalogue(fstest.MapFS{
		"en.json": {Data: []byte(`{"title.check":"{list} check, {id}","title.piece":"{what}, {id}","title.surge":"Surge at {of} since {day}",
			"title.part.home_address":"x","title.part.parking":"x","month.11":"Nov"}`)},
		"hi.json": {Data: []byte(`{"title.check":"{list} की जाँच, {id}","title.piece":"{what}, {id}","title.surge":"{of} में उछाल, {day} से",
			"title.part.home_address":"घर के पते","title.part.parking":"पार्किंग","month.11":"नवंबर"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := &Site{catalogue: words}
	for title, want := range map[string]string{
		"Home address check, VP-206":                        "घर के पते की जाँच, VP-206",
		"Home address and parking check, VP-206":            "घर के पते, पार्किंग की जाँच, VP-206",
		"Parking, EMP-2030":                                 "पार्किंग, EMP-2030",
		"Surge at Alipur since 14 November 2026, 02:00 IST": "Alipur में उछाल, 14 नवंबर 2026, 02:00 IST से",
		"Brake check, VP-206":                               "Brake check, VP-206",
		"Smoke, EMP-2030":                                   "Smoke, EMP-2030",
		"Home address check, the second":                    "Home address check, the second",
		"":                                                  "",
	} {
		if got := (&Page{Lang: Hindi, site: site}).Titled(title); got != want {
			t.Errorf("%q in Hindi: got %q, want %q", title, got, want)
		}
		if got := (&Page{Lang: English, site: site}).Titled(title); got != title {
			t.Errorf("%q in English: got %q", title, got)
		}
	}
}

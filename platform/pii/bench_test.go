package pii_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/pii/piitest"
)

// Texts of some 300 bytes, as they come from newspapers.
const (
	calm = "The bandh called from 5 am to 5 pm passed off peacefully in the valley districts. Officials said 1,250 people were " +
		"moved to 14 relief camps by 18:30, and schools reopened on Monday with about 80 per cent attendance. Traffic on the " +
		"highway was restored after 3 hours on 14 November 2026."
	calmHindi = "प्रशासन ने बताया कि 14 राहत शिविर खोले गए हैं और बंद शांतिपूर्ण रहा। राष्ट्रीय राजमार्ग पर यातायात 3 घंटे बाधित रहा।"
)

// BenchmarkFindNothing is what a text costs that has nothing in it: the most of what comes in.
func BenchmarkFindNothing(b *testing.B) {
	for name, text := range map[string]string{"english": calm, "hindi": calmHindi,
		"lower": strings.Repeat("nothing to see here and no number ", 9)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if len(pii.Find(text)) != 0 {
					b.Fatal("something was found")
				}
			}
		})
	}
}

// BenchmarkFindSuite is what the texts of the suite cost, each of which has something in it.
func BenchmarkFindSuite(b *testing.B) {
	cases := piitest.Positives(1, 20)
	size := 0
	for _, c := range cases {
		size += len(c.Text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, c := range cases {
			pii.Find(c.Text)
		}
	}
}

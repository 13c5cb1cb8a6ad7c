package region_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/platform/fault"
)

// A shape is a row of a shapefile in its published form, written by hand.
type shape struct {
	district, state string
	kind            uint32
	rings           [][][2]float64
}

// square is the ring around one, clockwise as outer rings are.
func square(west, south, east, north float64) [][2]float64 {
	return [][2]float64{{west, south}, {west, north}, {east, north}, {east, south}, {west, south}}
}

// outlinesOf is the .shp file of shapes.
func outlinesOf(all ...shape) []byte {
	var b bytes.Buffer
	head := make([]byte, 100)
	binary.BigEndian.PutUint32(head, 9994)
	binary.LittleEndian.PutUint32(head[28:], 1000)
	binary.LittleEndian.PutUint32(head[32:], 5)
	b.Write(head)
	for i, s := range all {
		var r bytes.Buffer
		le := func(v any) { _ = binary.Write(&r, binary.LittleEndian, v) }
		le(s.kind)
		if s.kind != 0 {
			r.Write(make([]byte, 32)) // the box, which nobody needs
			points := 0
			for _, ring := range s.rings {
				points += len(ring)
			}
			le(uint32(len(s.rings)))
			le(uint32(points))
			at := 0
			for _, ring := range s.rings {
				le(uint32(at))
				at += len(ring)
			}
			for _, ring := range s.rings {
				le(ring)
			}
		}
		_ = binary.Write(&b, binary.BigEndian, []uint32{uint32(i + 1), uint32(r.Len() / 2)})
		b.Write(r.Bytes())
	}
	out := b.Bytes()
	binary.BigEndian.PutUint32(out[24:], uint32(len(out)/2))
	return out
}

// tableOf is the .dbf file of shapes.
func tableOf(all ...shape) []byte {
	columns := []struct {
		name string
		of   func(shape) string
	}{{"DISTRICT", func(s shape) string { return s.district }}, {"STATE", func(s shape) string { return s.state }}}
	const wide = 40
	head := make([]byte, 32)
	head[0] = 3
	binary.LittleEndian.PutUint32(head[4:], uint32(len(all)))
	binary.LittleEndian.PutUint16(head[8:], uint16(32+32*len(columns)+1))
	binary.LittleEndian.PutUint16(head[10:], uint16(1+wide*len(columns)))
	b := bytes.NewBuffer(head)
	for _, c := range columns {
		field := make([]byte, 32)
		copy(field, c.name)
		field[11], field[16] = 'C', wide
		b.Write(field)
	}
	b.WriteByte('\r')
	for _, s := range all {
		b.WriteByte(' ')
		for _, c := range columns {
			cell := []byte(strings.Repeat(" ", wide))
			copy(cell, c.of(s))
			b.Write(cell)
		}
	}
	b.WriteByte(0x1a)
	return b.Bytes()
}

const inDegrees = `GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984"]]`

func packed(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, body := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(body))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func archive(t testing.TB, all ...shape) []byte {
	return packed(t, map[string]string{"in/squares.shp": string(outlinesOf(all...)), "in/squares.dbf": string(tableOf(all...)),
		"in/squares.prj": inDegrees, "__MACOSX/in/._squares.shp": "x", "in/squares.shx": "not read"})
}

// shapes are the squares of the tests of GeoJSON: a hole and an island, and a row without
// land.
func shapes() []shape {
	hole := square(76.5, 29.1, 76.6, 29.2)
	for i, j := 0, len(hole)-1; i < j; i, j = i+1, j-1 {
		hole[i], hole[j] = hole[j], hole[i]
	}
	return []shape{
		{"West", "Haryana", 5, [][][2]float64{square(76.0, 29.0, 76.4, 29.4)}},
		{"East", "HARYANA", 15, [][][2]float64{square(76.4, 29.0, 76.8, 29.4), hole, square(76.1, 29.5, 76.2, 29.6)}},
		{"Nowhere", "Haryana", 0, nil},
		{"North", "Punjab", 25, [][][2]float64{square(75.2, 30.4, 75.8, 30.9)}},
	}
}

// TestAShapefileSaysWhatGeoJSONSays promises the same answer for the same land, whichever
// form it comes in, at any place.
func TestAShapefileSaysWhatGeoJSONSays(t *testing.T) {
	d, err := region.ReadBoundaries(archive(t, shapes()...), terms)
	if err != nil || d.Len() != 3 {
		t.Fatalf("%v, %v", d, err)
	}
	shaped, err := india(t).With(d)
	if err != nil {
		t.Fatal(err)
	}
	written := with(t, collection(squares()...))
	rapid.Check(t, func(t *rapid.T) {
		lat := float64(rapid.IntRange(2850, 3100).Draw(t, "north")) / 100
		lon := float64(rapid.IntRange(7500, 7700).Draw(t, "east")) / 100
		if got, want := shaped.At(lat, lon), written.At(lat, lon); got != want {
			t.Fatalf("%v %v: %+v, want %+v", lat, lon, got, want)
		}
	})
}

// TestABadShapefileIsRefused promises a plain reason for what cannot be read, and that no
// part of a file is taken for the whole.
func TestABadShapefileIsRefused(t *testing.T) {
	good := shapes()
	shp, dbf := string(outlinesOf(good...)), string(tableOf(good...))
	open := shape{"West", "Haryana", 5, [][][2]float64{square(76, 29, 77, 30)[:4]}}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no outlines":     {map[string]string{"a.dbf": dbf}, "no shapefile"},
		"no table":        {map[string]string{"a.shp": shp}, "no table"},
		"two of them":     {map[string]string{"a.shp": shp, "a.dbf": dbf, "b.shp": shp}, "more than one"},
		"in metres":       {map[string]string{"a.shp": shp, "a.dbf": dbf, "a.prj": `PROJCS["UTM"]`}, "PROJCS"},
		"cut off":         {map[string]string{"a.shp": shp[:len(shp)-8], "a.dbf": dbf}, "end in the middle"},
		"an outline less": {map[string]string{"a.shp": string(outlinesOf(good[:2]...)), "a.dbf": dbf}, "2 outlines and 4 rows"},
		"a row less":      {map[string]string{"a.shp": shp, "a.dbf": string(tableOf(good[:2]...))}, "more outlines"},
		"a point": {map[string]string{"a.shp": string(outlinesOf(shape{"a", "b", 1, nil})),
			"a.dbf": string(tableOf(good[0]))}, "kind 1"},
		"a ring not closed": {map[string]string{"a.shp": string(outlinesOf(open)), "a.dbf": string(tableOf(open))}, "not closed"},
		"no name": {map[string]string{"a.shp": string(outlinesOf(good[0])),
			"a.dbf": strings.Replace(string(tableOf(good[0])), "DISTRICT", "DTNAME\x00\x00", 1)}, "DTNAME"},
		"another script": {map[string]string{"a.shp": string(outlinesOf(good[0])),
			"a.dbf": strings.Replace(string(tableOf(good[0])), "West", "W\xe9st", 1)}, "not UTF-8"},
	} {
		_, err := region.ReadBoundaries(packed(t, tt.files), terms)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := region.ReadBoundaries([]byte("PK\x03\x04 and nothing"), terms); !fault.Is(err, fault.Invalid) {
		t.Errorf("a broken archive: %v", err)
	}
}

// TestAnArchiveThatUnpacksToMoreIsRefused promises that a small archive cannot fill memory.
func TestAnArchiveThatUnpacksToMoreIsRefused(t *testing.T) {
	bomb := packed(t, map[string]string{"a.shp": string(outlinesOf(shapes()...)) + strings.Repeat("\x00", region.MaxFile), "a.dbf": "x"})
	if len(bomb) > 1<<20 {
		t.Fatalf("the archive has %d bytes", len(bomb))
	}
	if _, err := region.ReadBoundaries(bomb, terms); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v", err)
	}
}

// FuzzReadShapefile promises that no file of outlines and no table brings the reader down,
// and that what it takes can be looked up.
func FuzzReadShapefile(f *testing.F) {
	f.Add(outlinesOf(shapes()...), tableOf(shapes()...))
	f.Add(outlinesOf(), tableOf())
	odd := shapes()[:1]
	odd[0].rings[0][2][0] = math.NaN()
	f.Add(outlinesOf(odd...), tableOf(odd...))
	f.Fuzz(func(t *testing.T, shp, dbf []byte) {
		d, err := region.ReadBoundaries(packed(t, map[string]string{"a.shp": string(shp), "a.dbf": string(dbf)}), terms)
		if err != nil {
			if fault.Is(err, fault.Internal) {
				t.Fatal(err)
			}
			return
		}
		if d.Len() < 1 {
			t.Fatal("a file without districts was taken")
		}
	})
}

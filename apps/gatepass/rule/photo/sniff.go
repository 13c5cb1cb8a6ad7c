package photo

import (
	"bytes"
	"encoding/binary"
)

// magics are what files begin with. The first three are taken; the others are known so that a refusal can name them.
var magics = []struct{ kind, magic string }{
	{"jpeg", "\xff\xd8\xff"},
	{"png", "\x89PNG\r\n\x1a\n"},
	{"gif", "GIF8"}, {"bmp", "BM"}, {"tiff", "II*\x00"}, {"tiff", "MM\x00*"}, {"pdf", "%PDF-"}, {"zip", "PK\x03\x04"},
	{"jpeg xl", "\xff\x0a"},
}

// sniff is what a file's first bytes say it is; empty where they say nothing that is known here.
func sniff(file []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(file, []byte(m.magic)) {
			return m.kind
		}
	}
	if len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP" {
		return "webp"
	}
	if len(file) >= 12 && string(file[4:8]) == "ftyp" {
		return brand(file)
	}
	return ""
}

// heifs are the brands of pictures made with HEVC. "mif1" and "msf1" say only that it is a picture in this kind of file,
// and so does an AVIF.
var heifs = map[string]bool{"heic": true, "heix": true, "hevc": true, "hevx": true, "heim": true, "heis": true, "mif1": true, "msf1": true}

// mostBrands bounds how many a file may call itself.
const mostBrands = 64

// brand is what the first box of a file says it is. AVIF anywhere is AVIF.
func brand(file []byte) string {
	size := binary.BigEndian.Uint32(file)
	if size < 16 || size%4 != 0 || size > 16+4*mostBrands || int(size) > len(file) {
		return "" // no box that says anything
	}
	found := ""
	for i := 8; i+4 <= int(size); i += 4 {
		if i == 12 {
			continue // the version
		}
		switch b := string(file[i : i+4]); {
		case b == "avif" || b == "avis":
			return "avif"
		case heifs[b]:
			found = "heic"
		}
	}
	if found == "" {
		return "mp4"
	}
	return found
}

// Where an archive keeps its table of contents: at its end, before a comment of at most 65,535 bytes.
const (
	zipEnd     = "PK\x05\x06"
	zipEndSize = 22
)

// foreign is what else a file is: an archive, or a document; empty where it is nothing else. tail is what stands after the
// end of the picture, where phones put films and notes of their own.
func foreign(file, tail []byte) string {
	switch {
	case isZip(file):
		return "a ZIP archive"
	case bytes.Contains(file[:min(len(file), 1024)], []byte("%PDF-")):
		return "a PDF document"
	}
	for _, m := range []struct{ magic, is string }{
		{"Rar!\x1a\x07", "a RAR archive"}, {"7z\xbc\xaf\x27\x1c", "a 7z archive"}, {"\x7fELF", "a program"}, {"MZ", "a program"},
		{"PK\x03\x04", "a ZIP archive"}, {"%PDF-", "a PDF document"}, {"#!", "a program"},
	} {
		if bytes.HasPrefix(bytes.TrimLeft(tail, "\x00\r\n\t "), []byte(m.magic)) {
			return m.is
		}
	}
	start := bytes.ToLower(tail[:min(len(tail), 4096)])
	for _, sign := range []string{"<script", "<!doctype", "<html", "<?php", "<?xml", "<svg "} {
		if bytes.Contains(start, []byte(sign)) {
			return "a web page"
		}
	}
	return ""
}

// isZip reports whether programs that open archives would open this one: they look for the end of its table of contents, and
// its comment ends with the file.
func isZip(file []byte) bool {
	from := max(0, len(file)-zipEndSize-0xFFFF)
	for rest := file[from:]; ; {
		i := bytes.Index(rest, []byte(zipEnd))
		if i < 0 || len(rest)-i < zipEndSize {
			return false
		}
		rest = rest[i:]
		if int(binary.LittleEndian.Uint16(rest[20:])) == len(rest)-zipEndSize {
			return true
		}
		rest = rest[1:]
	}
}

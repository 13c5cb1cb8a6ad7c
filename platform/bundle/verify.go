package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
)

// Options say what to hold a bundle against.
type Options struct {
	Sections []Section        // those this program knows; the log's own is always there
	Keys     []audit.Verifier // the institution's, as the person checking was given them
	Limits   Limits           // what the check may take; nothing: whatever a bundle may be
}

// Verify checks a bundle from its bytes alone: no network, no database, no
// clock. It reports what every check proves and does not. The bytes may be
// anything; what is wrong with them is in the report, never an error. An error
// says that the check was not finished: the context ended, or the bundle takes
// more than the limits give (fault.TooLarge).
func Verify(ctx context.Context, src io.ReaderAt, size int64, opts Options) (*Report, error) {
	rep, _, err := verify(ctx, src, size, opts)
	return rep, err
}

// verify goes from wall to wall, and behind one that does not hold it looks at
// nothing: it would cost more the less it was worth.
func verify(ctx context.Context, src io.ReaderAt, size int64, opts Options) (*Report, *opened, error) {
	m := newMeter(ctx, opts.Limits)
	rep, o := enter(src, size, m)
	if o != nil && rep.Verdict() != Altered {
		rep.section = own
		checkFiles(rep, o)
	}
	if o != nil && rep.Verdict() != Altered {
		checkViewer(rep, o)
		checkSigner(rep, o, opts.Keys)
		checkComplete(rep, o, withLog(opts.Sections, nil))
		for _, part := range o.manifest.Sections {
			rep.section = part.Name
			verifyPart(rep, o, part, withLog(opts.Sections, nil))
			if m.spend(0) != nil {
				break
			}
		}
	}
	if m.err != nil {
		return nil, nil, fmt.Errorf("check the bundle: %w", m.err)
	}
	return rep, o, nil
}

// enter opens the archive and its manifest and checks both; without them there is
// nothing to read, and opened is nil.
func enter(src io.ReaderAt, size int64, limit *meter) (*Report, *opened) {
	rep := &Report{Size: size, section: own}
	sum := sha256.New()
	_, err := io.Copy(sum, limit.over(io.NewSectionReader(src, 0, size)))
	rep.SHA256 = hex.EncodeToString(sum.Sum(nil))
	c := rep.Check("the archive is a bundle's and nothing else", "the file holds exactly the files it lists: nothing is hidden beside them",
		"what is in the files")
	if err != nil {
		c.Found("the archive", "The archive could not be read to its end.")
		return rep, nil
	}
	a, found, zipped := openArchive(src, size, limit)
	if a != nil {
		c.Saw("%s, %s", count(len(a.files), "file"), bytesOf(size))
		found = a.form()
	}
	for _, f := range found {
		c.Found(f.What, "%s", f.Text)
	}
	rep.foreign = !zipped || a != nil && a.foreign()
	if a == nil {
		return rep, nil
	}
	m := checkManifest(rep, a)
	if m == nil {
		return rep, nil
	}
	return rep, &opened{archive: a, manifest: *m}
}

// checkManifest reads the manifest and its signatures.
func checkManifest(rep *Report, a *archive) *Manifest {
	c := rep.Check("the manifest is signed",
		"the holder of the key named in it signed this list of files; with it, everything in the bundle",
		"whose key it is; that is the question who signed")
	var texts [4][]byte
	for i, name := range []string{manifestFile, noteFile, sigFile, keyFile} {
		text, err := a.bytes(name, []int64{maxManifest, maxSmall, maxSmall, maxSmall}[i])
		if err != nil {
			c.Found(name, "%s cannot be read: %s.", name, words(err))
		}
		texts[i] = text
	}
	if texts[0] == nil { // which was found
		return nil
	}
	m, err := parseManifest(texts[0])
	if err != nil {
		c.Found(manifestFile, "%s.", words(err))
		return nil
	}
	made := m.MadeAt
	rep.Format, rep.Case, rep.Org, rep.MadeAt, rep.Origin, rep.Signer = m.Format, m.Case, string(m.Org), &made, m.Origin, m.Key
	for _, f := range signedBy(m.Format, m.Key, texts[0], texts[1], texts[2], texts[3]) {
		c.Found(f.What, "%s", f.Text)
	}
	c.Saw("%s, made %s by %s", manifestFile, m.MadeAt.Format("2006-01-02 15:04 MST"), clip(m.Program))
	return &m
}

// checkFiles compares every file with the manifest.
func checkFiles(rep *Report, o *opened) {
	c := rep.Check("every file is the one that was signed for",
		"no file was changed, removed, added or exchanged since the manifest was signed",
		"that the files said the truth when they were signed")
	var total int64
	for _, f := range o.manifest.Files {
		if what := o.archive.listed(f); what != "" {
			c.Found(f.Path, "%s %s.", f.Path, what)
		}
		total += f.Size
	}
	for _, f := range o.archive.files {
		if _, ok := o.manifest.file(f.Name); !ok && !slices.Contains(unlisted(), f.Name) {
			c.Found(f.Name, "%s is in the archive and not in %s: it was added.", f.Name, manifestFile)
		}
	}
	for _, name := range []string{keyFile, sumsFile, viewerFile, readmeFile, byHandFile} {
		if _, ok := o.manifest.file(name); !ok {
			c.Found(name, "%s is not in %s.", name, manifestFile)
		}
	}
	if listed, ok := o.manifest.file(sumsFile); ok && listed.SHA256 != blob.Sum(sums(o.manifest.Files)) {
		c.Found(sumsFile, "%s and %s do not list the same.", sumsFile, manifestFile)
	}
	c.Saw("%s, %s", count(len(o.manifest.Files), "file"), bytesOf(total))
	if c.Outcome == Fails {
		return // known without unpacking anything
	}
	for _, f := range o.manifest.Files {
		if what := o.archive.compare(f); what != "" {
			c.Found(f.Path, "%s %s.", f.Path, what)
		}
	}
}

// checkSigner asks whose key it is.
func checkSigner(rep *Report, o *opened, keys []audit.Verifier) {
	c := rep.Check(signerClaim, "the bundle was made by who holds the institution's key",
		"that the key was never lent or stolen")
	key := o.manifest.Key
	switch {
	case len(keys) == 0:
		c.Leave(string(key), "The bundle is signed with %s, and nothing was given to compare that with. "+
			"Anyone can make a key: ask the institution for its own, by another way than this file.", key)
	case !o.log().trusts(keys, key):
		c.Found(string(key), "The bundle is signed with %s, which is not a key that was given, nor one that those vouch for.", key)
	}
	c.Saw("%s", key)
}

// verifyPart lets a section check itself.
func verifyPart(rep *Report, o *opened, part Part, known []Section) {
	i := slices.IndexFunc(known, func(s Section) bool { return s.Name == part.Name })
	if i < 0 || known[i].Version < part.Version {
		c := rep.Check("the section is understood", "this program can check the section", "anything, as long as it is open")
		c.Leave(part.Name, "Section %s (version %d) is not understood by this program: its files are the signed ones, and no more is known.",
			part.Name, part.Version)
		return
	}
	before := len(rep.Checks)
	known[i].Verify(o.of(part.Name), rep)
	if len(rep.Checks) == before {
		c := rep.Check("the section is checked", "nothing", "anything")
		c.Leave(part.Name, "Section %s has no check of its own.", part.Name)
	}
}

// withLog is the sections and the log's, which is always the last to be written.
func withLog(sections []Section, e *Exporter) []Section {
	return append(slices.Clone(sections), logSection(e))
}

// Command release makes what a release of Gavel consists of, and shows that it comes out
// the same wherever it is made.
//
//	release make -key release.key -out ../../../dist     of the commit that is checked out
//	release compare -platforms linux/amd64               two of one commit, byte by byte
//	release verify -key NAME+HASH+KEY ../../../dist/v0.1.0
//	release key gavel.example.org/releases               a key pair to sign with
//
// A release is of a commit and never of a folder: its sources are what git has for the
// commit, unpacked somewhere new. Nothing of the machine goes into it: no path, name,
// time zone, environment or history, only the commit and the version of Go. Read
// release.go for what it consists of, build.go for how a program is built.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

const usage = "usage: release make | compare | verify | key; each says more with -h"

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch args[0] {
	case "make":
		return runMake(ctx, args[1:], out)
	case "compare":
		return runCompare(ctx, args[1:], out)
	case "verify":
		return runVerify(args[1:], out)
	case "key":
		return runKey(args[1:], out)
	}
	return errors.New(usage)
}

// wanted are the flags that say what is made.
type wanted struct {
	checkout, version, platforms string
}

func (w *wanted) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.StringVar(&w.checkout, "checkout", ".", "checkout of Gavel whose commit is taken; changes that are not committed are not in it")
	f.StringVar(&w.version, "version", "", "v1.2.3; where it is not given, the commit's tag, or a version made of its time and name")
	f.StringVar(&w.platforms, "platforms", "", "a list like linux/amd64,darwin/arm64; all where it is not given")
	return f
}

// of finds the commit and the platforms.
func (w *wanted) of(ctx context.Context) (commit, []platform, error) {
	at, err := head(ctx, w.checkout)
	if err != nil {
		return commit{}, nil, err
	}
	if w.version != "" {
		at.version = w.version
	}
	if err := at.check(); err != nil {
		return commit{}, nil, err
	}
	platforms, err := parsePlatforms(w.platforms)
	return at, platforms, err
}

func runMake(ctx context.Context, args []string, out io.Writer) error {
	var w wanted
	f := w.flags("make")
	dir := f.String("out", "dist", "folder for it; the release has one below it, called like its version")
	key := f.String("key", "", "file with the secret key that signs the checksums; without it they are not signed")
	if err := f.Parse(args); err != nil {
		return err
	}
	at, platforms, err := w.of(ctx)
	if err != nil {
		return err
	}
	r := release{commit: at, platforms: platforms, checkout: w.checkout, into: *dir, log: out}
	if *key != "" {
		if r.signer, err = readSigner(*key); err != nil {
			return err
		}
	}
	if changed, err := git(ctx, w.checkout, "status", "--porcelain"); err != nil {
		return err
	} else if len(changed) > 0 {
		fmt.Fprintln(out, "the checkout has changes that are not committed; the release has none of them")
	}
	made, err := r.make(ctx)
	if err != nil {
		return err
	}
	signed := "not signed"
	if r.signer != nil {
		signed = "signed by " + r.signer.Name()
	}
	fmt.Fprintf(out, "%s: %d files for %s, of commit %.12s, %s\n", made, len(r.files), w.words(platforms), at.hash, signed)
	return nil
}

func (w *wanted) words(platforms []platform) string {
	var all []string
	for _, p := range platforms {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

func runVerify(args []string, out io.Writer) error {
	f := flag.NewFlagSet("verify", flag.ContinueOnError)
	key := f.String("key", "", "public key of those who made the release: NAME+HASH+KEY")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 || *key == "" {
		return errors.New("usage: release verify -key NAME+HASH+KEY FOLDER")
	}
	n, err := verify(f.Arg(0), *key)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d files are as they were signed\n", n)
	return nil
}

func runKey(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: release key NAME; the name says for ever who signs, for example gavel.example.org/releases")
	}
	secret, public, err := newKey(args[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "secret: %s\npublic: %s\n", secret, public)
	return nil
}

// Commission runs the simulator of a commission that takes reports. It is a part
// of the dev stack and no commission's server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/devstack/commission"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "loopback address to listen on")
	dir := flag.String("dir", "", "folder in which reports are kept")
	flag.Parse()
	if err := run(*listen, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "commission:", err)
		os.Exit(1)
	}
}

// run serves until it is told to stop.
func run(listen, dir string) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("a simulator listens on loopback alone, and --listen is %q", listen)
	}
	if dir == "" {
		return errors.New("--dir says where reports are kept")
	}
	desk, err := commission.Open(dir, time.Now)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	open, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: desk, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 2 * time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	fmt.Printf("simulator of a commission on http://%s\n", open.Addr())
	done := make(chan error, 1)
	go func() { done <- server.Serve(open) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(end)
}

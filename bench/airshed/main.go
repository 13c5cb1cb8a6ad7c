// Command airshed measures a day of the whole world: every fire that satellites saw,
// every station of a country, and the full ensemble for the stations that surge.
//
// Two things are measured. The search for the fires within 200 km of every station,
// by our index and by PostGIS (ST_DWithin over a GiST index of geographies, on the
// same sphere, warm), in turn; both must find the same pairs. And the ensemble: an
// index of the fires is made, and sixty members and the null test are done for every
// surging station, on two cores. PostGIS does no such thing: the circle is all that
// it is asked for.
//
// The peak of memory is that of this whole process, with the fires it made up. The
// last line is the time of PostGIS divided by ours.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	fires, stations, surging, rounds, cores int
}

// What is asked for.
const (
	barRatio  = 10
	barTime   = time.Minute
	barMemory = 512 // MB
	radiusKm  = 200
)

func main() {
	var o options
	flag.IntVar(&o.fires, "fires", 200_000, "detections of the world, one in ten in the fields upwind of the surging stations")
	flag.IntVar(&o.stations, "stations", 550, "stations of the country")
	flag.IntVar(&o.surging, "surging", 60, "stations that surge")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each search is measured")
	flag.IntVar(&o.cores, "cores", 2, "that the ensemble is done on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench airshed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.fires < 10 || o.stations < 1 || o.surging < 1 || o.rounds < 1 || o.cores < 1 || o.surging > 60 || o.stations > 5000 ||
		o.fires > 1_000_000 {
		return errors.New("want 10 to 1,000,000 fires, 1 to 5,000 stations, 1 to 60 surging, a round and a core")
	}
	runtime.GOMAXPROCS(o.cores)
	w, err := newWorld(o)
	if err != nil {
		return err
	}
	took, conclusive, err := w.ensemble(o)
	if err != nil {
		return err
	}
	fmt.Printf("ensemble: %d fires × %d stations × 60 members and the null test, index included, on %d cores: %.1f s, at most %.0f "+
		"asked: %s (%d conclusive)\n",
		o.fires, o.surging, o.cores, took.Seconds(), barTime.Seconds(), kept(took <= barTime), conclusive)
	peak, err := peakMB()
	if err != nil {
		return err
	}
	fmt.Printf("memory: a peak of %d MB, under %d asked: %s\n", peak, barMemory, kept(peak < barMemory))
	return contest(ctx, o, w)
}

// contest has both sides search in turn.
func contest(ctx context.Context, o options, w *world) error {
	g, err := newGround(ctx)
	if err != nil {
		return err
	}
	defer g.close()
	loading, indexing, err := g.fill(ctx, w)
	if err != nil {
		return err
	}
	began := time.Now()
	ours, err := newSearch(w)
	if err != nil {
		return err
	}
	fmt.Printf("getting ready: PostGIS %s: copy %.1f s, index and vacuum %.1f s; ours %.3f s\n", g.version, loading.Seconds(),
		indexing.Seconds(), time.Since(began).Seconds())
	a, b, c := lap{name: "ours, one core"}, lap{name: "PostGIS, sphere"}, lap{name: "PostGIS, spheroid (its default)"}
	for n := range o.rounds + 1 { // the first warms up
		took, found := ours.pairs(w)
		sphere, theirs, err := g.pairs(ctx, false)
		if err != nil {
			return err
		}
		spheroid, _, err := g.pairs(ctx, true)
		if err != nil {
			return err
		}
		if found != theirs {
			return fmt.Errorf("we find %d pairs and PostGIS %d", found, theirs)
		}
		if n == 0 {
			fmt.Printf("%d fires, %d stations: %d pairs within %d km, the same for both\n", o.fires, o.stations, found, radiusKm)
			continue
		}
		a.took, b.took, c.took = append(a.took, took), append(b.took, sphere), append(c.took, spheroid)
	}
	fmt.Printf("%-34s %9s %9s %9s\n", fmt.Sprintf("%d rounds, in turn (ms)", o.rounds), "min", "median", "max")
	for _, l := range []lap{a, b, c} {
		fmt.Printf("%-34s %9.1f %9.1f %9.1f\n", l.name, ms(slices.Min(l.took)), ms(l.median()), ms(slices.Max(l.took)))
	}
	ratio := float64(b.median()) / float64(a.median())
	fmt.Printf("the search is %.1f times as fast as PostGIS on the sphere, at least %d asked: %s (of its default %.1f)\n", ratio, barRatio,
		kept(ratio >= barRatio),
		float64(c.median())/float64(a.median()))
	fmt.Printf("ratio=%.1f\n", ratio)
	return nil
}

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}

// peakMB is the most memory this process ever had, in megabytes of 1,000,000 bytes.
func peakMB() (int, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb int
		if strings.HasPrefix(s.Text(), "VmHWM:") {
			if _, err := fmt.Sscanf(s.Text(), "VmHWM: %d kB", &kb); err != nil {
				return 0, err
			}
			return kb * 1024 / 1_000_000, nil
		}
	}
	return 0, errors.New("the system does not say how much memory was used")
}

// A lap is how long each round of one contestant took.
type lap struct {
	name string
	took []time.Duration
}

func (l lap) median() time.Duration { return slices.Sorted(slices.Values(l.took))[len(l.took)/2] }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

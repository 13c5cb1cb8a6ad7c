package score

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Profile is a way to make scores of weights. Its name is on every result.
type Profile struct {
	Name               string                      `json:"name"`
	Factors            map[signal.Polarity]float64 `json:"factors"` // by the way a signal points
	RecencyFloor       bucket.Floor                `json:"recency_floor"`
	Mean               bool                        `json:"mean"`       // a layer is the mean of its weights, or else fills up
	Saturation         float64                     `json:"saturation"` // the weight that fills a layer to 63 %
	MostRelief         float64                     `json:"most_relief"`
	ExcludeEnforcement bool                        `json:"exclude_enforcement"` // from the physical layer and the trend
	ZeroIsZero         bool                        `json:"zero_is_zero"`        // three empty layers score 0, not the sigmoid's 0.67
	Floors             []LayerFloor                `json:"floors"`
}

// A LayerFloor says that a layer this high is in no lower band, whatever the composite.
type LayerFloor struct {
	Layer float64 `json:"layer"`
	Band  Band    `json:"band"`
}

// The names of the profiles.
const (
	SeedV1Name = "seed-v1"
	V2Name     = "v2"
)

// SeedV1 is the first design's formulas: a layer is ten times the mean of its weights, recency falls no lower than 0.1, and
// a neutral signal weighs 0.3. It is kept to be compared with, not recommended: mild news lower a severe layer, and
// no layer alone can leave the lowest band.
func SeedV1() Profile {
	return Profile{Name: SeedV1Name, Factors: map[signal.Polarity]float64{signal.Escalatory: 1, signal.Stabilizing: -0.5,
		signal.Neutral: 0.3}, RecencyFloor: 0.1, Mean: true}
}

// V2 is the default: a layer fills up with what escalates and never empties by more of it, what stabilises relieves it by
// at most half, the police's own signals are left out of the physical layer, and a layer that is high by itself is
// seen.
func V2() Profile {
	return Profile{Name: V2Name, Factors: map[signal.Polarity]float64{signal.Escalatory: 1, signal.Stabilizing: -0.5, signal.Neutral: 0},
		Saturation: 1, MostRelief: 0.5, ExcludeEnforcement: true, ZeroIsZero: true,
		Floors: []LayerFloor{{6, Monitoring}, {8, PreventiveReadiness}, {9.5, SeniorReview}}}
}

// Named is the profile of a name.
func Named(name string) (Profile, error) {
	switch name {
	case SeedV1Name:
		return SeedV1(), nil
	case V2Name, "":
		return V2(), nil
	}
	return Profile{}, fault.New(fault.Invalid, "there is no profile %.40q; there are %s and %s", name, SeedV1Name, V2Name)
}

// Hash is a short digest of all a profile says, to be printed where its scores are.
func (p Profile) Hash() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic("score: a profile of numbers cannot fail to encode: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// Full is the highest score of a layer, MostComposite that of a district.
const (
	Full          = 10
	MostComposite = 100
)

// composite is the score of a district by its layers, each of which weighs the same: the first design's sigmoid.
func (p Profile) composite(layers []LayerScore) float64 {
	sum := 0.0
	for _, l := range layers {
		sum += l.Score
	}
	if p.ZeroIsZero && sum == 0 {
		return 0
	}
	return Sigmoid(sum)
}

// Sigmoid is the composite of a sum of layers: 0.67 at 0, 50 at 15, 99.33 at 30.
func Sigmoid(sum float64) float64 {
	normalized := sum / (Full * float64(len(signal.Layers()))) * MostComposite
	return MostComposite / (1 + math.Exp(-0.1*(normalized-50)))
}

// Rescaled is a composite stretched so that empty layers are 0 and full ones 100.
func Rescaled(composite float64) float64 {
	least, most := Sigmoid(0), Sigmoid(Full*float64(len(signal.Layers())))
	return (composite - least) / (most - least) * MostComposite
}

// factor is what a class's weights are multiplied by in a layer; counted is false where it is left out.
func (p Profile) factor(l signal.Layer, c bucket.Class) (factor float64, counted bool) {
	if p.ExcludeEnforcement && c.Enforcement() && l == signal.Physical {
		return 0, false
	}
	return p.Factors[c.Polarity()], true
}

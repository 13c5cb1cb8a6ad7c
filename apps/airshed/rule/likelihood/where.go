package likelihood

import "github.com/gavelhq/gavel/apps/airshed/rule/wind"

// Weights is how much the fires of each name weigh on the mean wind, with the burn window
// that the quality of data is counted by. The fires of a question bear any names here: those
// of districts say where in a state somebody should look first. It is no share of the smoke,
// and there is no range of it.
func (p Policy) Weights(q Question, g *wind.Grid) (map[string]float64, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	q.Land, q.Passes = nil, nil
	s := p.newScene(&q, g)
	out := map[string]float64{}
	if !s.windy {
		return out, nil
	}
	f := s.follow(s.field, s.mixing, s.q.At, s.q.Hours)
	for j, days := range s.weigh(s.heaps, f, len(s.Air.Burn)-1) {
		for _, w := range days {
			out[s.states[j]] += w.sum
		}
	}
	return out, nil
}

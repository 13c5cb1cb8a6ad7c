package signal

import "strings"

// A Type is a type of event.
type Type string

// The types of events.
const (
	Battle       Type = "battle"
	Explosion    Type = "explosion"
	Violence     Type = "violence_against_civilians"
	Riot         Type = "riot"
	Arson        Type = "arson"
	Border       Type = "border_incident"
	ArmsRecovery Type = "arms_recovery"
	Seizure      Type = "narcotics_seizure"
	Arrest       Type = "arrest"
	Cordon       Type = "cordon_and_search"
	Protest      Type = "peaceful_protest"
	Rumour       Type = "rumour"
	Threat       Type = "threat"
	Bandh        Type = "bandh"
	Blockade     Type = "blockade"
	Mobilisation Type = "mass_mobilisation"
	Agreement    Type = "agreement"
	Dialogue     Type = "dialogue"
)

// A kind is what follows from a type of event.
type kind struct {
	layers      []Layer
	polarity    Polarity
	severity    int
	deadly      bool // severity follows from how many died, where that is known
	enforcement bool
}

// kinds say what follows from a type. A protest is nobody's escalation by itself: assembling in peace
// is a right. What the police found is theirs to be proud of and says where they looked; which way it
// points a report must say itself.
var kinds = map[Type]kind{
	Battle:       {[]Layer{Physical}, Escalatory, 2, true, false},
	Explosion:    {[]Layer{Physical}, Escalatory, 2, true, false},
	Violence:     {[]Layer{Physical}, Escalatory, 2, true, false},
	Riot:         {[]Layer{Physical}, Escalatory, 2, true, false},
	Arson:        {[]Layer{Physical}, Escalatory, 2, true, false},
	Border:       {[]Layer{Physical}, Escalatory, 2, true, false},
	ArmsRecovery: {[]Layer{Physical}, Neutral, 2, false, true},
	Seizure:      {[]Layer{Physical}, Neutral, 2, false, true},
	Arrest:       {[]Layer{Physical}, Neutral, 1, false, true},
	Cordon:       {[]Layer{Physical}, Neutral, 1, false, true},
	Protest:      {[]Layer{Cognitive}, Neutral, 1, true, false},
	Rumour:       {[]Layer{Cognitive}, Escalatory, 2, false, false},
	Threat:       {[]Layer{Cognitive}, Escalatory, 2, false, false},
	Bandh:        {[]Layer{Network}, Escalatory, 2, true, false},
	Blockade:     {[]Layer{Network}, Escalatory, 2, true, false},
	Mobilisation: {[]Layer{Cognitive, Network}, Neutral, 2, true, false},
	Agreement:    {[]Layer{Cognitive}, Stabilizing, 2, false, false},
	Dialogue:     {[]Layer{Cognitive}, Stabilizing, 1, false, false},
}

// kindOf is what follows from a type.
func kindOf(t Type) (kind, bool) {
	k, ok := kinds[t]
	return k, ok
}

// aliases are what others call these types, in small letters: ACLED's types and sub-types, and the first
// design's words.
var aliases = map[string]Type{
	"battles": Battle, "armed clash": Battle, "explosions/remote violence": Explosion, "remote explosive/landmine/ied": Explosion,
	"grenade":      Explosion,
	"suicide bomb": Explosion, "shelling/artillery/missile attack": Explosion, "violence against civilians": Violence, "attack": Violence,
	"abduction/forced disappearance": Violence, "sexual violence": Violence, "riots": Riot, "mob violence": Riot,
	"violent demonstration": Riot,
	"protests":              Protest, "peaceful protest": Protest, "protest": Protest, "protest with intervention": Protest,
	"excessive force against protesters": Violence, "arrests": Arrest, "strategic developments/arrests": Arrest,
	"weapons seizure": ArmsRecovery, "strategic developments/weapons seizure": ArmsRecovery, "arms": ArmsRecovery,
	"disrupted weapons use": ArmsRecovery, "strategic developments/disrupted weapons use": ArmsRecovery,
	"looting/property destruction": Arson, "strategic developments/agreement": Agreement, "non-violent transfer of territory": Agreement,
	"strategic developments/non-violent transfer of territory": Agreement, "strike": Bandh, "shutdown": Bandh, "misinformation": Rumour,
	"narrative": Rumour, "agitation": Protest, "coordinated action": Mobilisation, "mass mobilization": Mobilisation, "narcotics": Seizure,
	"explosives": Explosion, "violence": Violence, "border activity": Border, "dispute": Threat, "peace talks": Dialogue,
}

// typeNamed is the type that a source's word names.
func typeNamed(name string) (Type, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if _, ok := kindOf(Type(name)); ok {
		return Type(name), true
	}
	t, ok := aliases[name]
	return t, ok
}

// A clue is words that say together what a summary is about.
type clue struct {
	t     Type
	words []string // all of these, each as a word of its own
}

// clues are tried in this order: what the police did first, because "arms seized" tells of arms, too.
var clues = []clue{
	{ArmsRecovery, []string{"arms", "recovered"}}, {ArmsRecovery, []string{"weapons", "recovered"}},
	{ArmsRecovery, []string{"arms", "seized"}},
	{ArmsRecovery, []string{"ied", "defused"}}, {ArmsRecovery, []string{"explosives", "recovered"}},
	{ArmsRecovery, []string{"ammunition", "recovered"}},
	{Seizure, []string{"narcotics"}}, {Seizure, []string{"drugs", "seized"}}, {Seizure, []string{"heroin"}},
	{Arrest, []string{"arrested"}}, {Arrest, []string{"apprehended"}}, {Cordon, []string{"cordon"}},
	{Explosion, []string{"ied"}}, {Explosion, []string{"blast"}}, {Explosion, []string{"grenade"}}, {Explosion, []string{"explosion"}},
	{Battle, []string{"gunfight"}}, {Battle, []string{"encounter"}}, {Battle, []string{"ambush"}}, {Battle, []string{"clash"}},
	{Violence, []string{"killed"}}, {Violence, []string{"shot"}}, {Violence, []string{"abducted"}}, {Violence, []string{"lynched"}},
	{Riot, []string{"riot"}}, {Riot, []string{"mob"}}, {Arson, []string{"arson"}}, {Arson, []string{"torched"}},
	{Blockade, []string{"blockade"}}, {Bandh, []string{"bandh"}}, {Bandh, []string{"shutdown"}}, {Bandh, []string{"strike"}},
	{Mobilisation, []string{"mass", "protest"}}, {Mobilisation, []string{"mass", "rally"}}, {Mobilisation, []string{"thousands", "rally"}},
	{Agreement, []string{"agreement"}}, {Agreement, []string{"ceasefire"}}, {Dialogue, []string{"dialogue"}},
	{Dialogue, []string{"peace", "talks"}},
	{Protest, []string{"protest"}}, {Protest, []string{"rally"}}, {Protest, []string{"dharna"}},
	{Rumour, []string{"rumour"}}, {Rumour, []string{"rumours"}}, {Rumour, []string{"misinformation"}}, {Threat, []string{"threat"}},
	{Threat, []string{"threatened"}},
}

// Known reports whether a source's word names a type of event.
func Known(name string) bool {
	_, ok := typeNamed(name)
	return ok
}

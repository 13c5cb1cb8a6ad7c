package act

// ErasedActs is the kind of part that an erasure's record names when Blank took
// the words of a case's acts: of all that had ended by then.
const ErasedActs = "acts"

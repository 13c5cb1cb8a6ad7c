# Adds up the lines of platform/audit/audittest over all packages: one line a kind, and
# one figure at the end. It fails if a change was not named, if a true bundle was refused,
# or if a kind that must be tried was not.
#   tally: section left out: 12 of 12 named
#   tally: true bundles: 0 of 4 refused
BEGIN { musts = split("section left out;two sections left out;another viewer;forked log;stray key;true bundles", must, ";") }

/^tally: / {
  split($0, part, ": "); split(part[3], n, " ")
  kind = part[2]
  if (!(kind in all)) order[++kinds] = kind
  hit[kind] += n[1]; all[kind] += n[3]; verb[kind] = n[4]
  next
}

{ print }

END {
  for (i = 1; i <= musts; i++) if (!all[must[i]]) { printf "tamper: nobody tried: %s\n", must[i]; bad = 1 }
  for (i = 1; i <= kinds; i++) {
    kind = order[i]
    printf "tamper: %-52s %4d of %4d %s\n", kind, hit[kind], all[kind], verb[kind]
    if (verb[kind] == "refused") { refused += hit[kind]; whole += all[kind] } else { named += hit[kind]; changes += all[kind] }
  }
  printf "tamper: %d of %d changes named, %d of %d true bundles refused\n", named, changes, refused, whole
  exit bad || named < changes || refused > 0
}

#!/usr/bin/env bash
# Records how systemd interprets calendar expressions: reads one expression per line, and writes it
# with its events, in the format of README.md.
#
# Usage: systemd.sh START...
set -euo pipefail

export TZ=UTC LC_ALL=C
events=3
chain=1000

# Prints the first events of expressions after a start, one line for each expression, as
# `20260131 120000 20260228 120000`. Omits events after 2100.
elapses() {
    local start=$1 count=$2
    shift 2
    systemd-analyze calendar --base-time="$start" --iterations="$count" -- "$@" | awk '
        /^ *Normalized form: / { if (seen++) print line; line = "" }
        /^ *(Next elapse|Iter\. #[0-9]+): .*[0-9]/ {
            sub(/^[^:]*: /, "")
            gsub(/[-:]/, "")
            if ($2 < 21010101) line = line (line == "" ? "" : " ") $2 " " $3
        }
        END { print line }'
}

mapfile -t expressions
answers=$(mktemp -d)
trap 'rm -r "$answers"' EXIT

printf '%s\n' "${expressions[@]}" >"$answers/expressions"
{ systemd-analyze calendar -- "${expressions[@]}" 2>&1 >"$answers/ignored" || true; } |
    sed -n "s/^Failed to parse calendar specification '\(.*\)': [^']*$/\1/p" >"$answers/refused"
grep -Fvx -f "$answers/refused" "$answers/expressions" >"$answers/0"
mapfile -t valid <"$answers/0"

elapses "1999-12-31 23:59:59" 1 "${valid[@]}" >"$answers/1"
columns=("$answers/0" "$answers/1")
for start in "$@"; do
    elapses "${start/T/ }" "$events" "${valid[@]}" >"$answers/$start"
    columns+=("$answers/$start")
done
elapses "${1/T/ }" "$chain" "${valid[@]}" >"$answers/chain"
paste -- "${columns[@]}" "$answers/chain" >"$answers/all"

printf '%s\n' "${expressions[@]}" | awk -F '\t' -v answers="$answers/all" '
    function iso(date, time) {
        return substr(date, 1, 4) "-" substr(date, 5, 2) "-" substr(date, 7, 2) "T" \
            substr(time, 1, 2) ":" substr(time, 3, 2) ":" substr(time, 5, 2)
    }
    function list(text,    parts, count, i, events) {
        count = split(text, parts, " ")
        for (i = 1; i < count; i += 2)
            events = events (i > 1 ? "," : "") iso(parts[i], parts[i + 1])
        return events == "" ? "-" : events
    }
    function checksum(text,    parts, count, i, sum) {
        count = split(text, parts, " ")
        for (i = 1; i <= count; i++)
            sum = (sum * 31 + parts[i]) % 2147483647
        return count / 2 ":" sum + 0
    }
    BEGIN {
        while ((getline < answers) > 0) {
            line = $1
            if ($2 == "")
                line = line "\tnever"
            else {
                for (i = 3; i < NF; i++)
                    line = line "\t" list($i)
                line = line "\t" checksum($NF)
            }
            known[$1] = line
        }
    }
    { print ($0 in known) ? known[$0] : $0 "\trefused" }'

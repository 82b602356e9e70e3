# bench-pairs.sh: times, medians and lines for .ci/bench, which sources it.

# seconds COMMAND...: how long it took, alone on standard output; fails when the command does.
seconds() {
    local begin=$EPOCHREALTIME
    if ! "$@" </dev/null >"$place/run.out" 2>&1; then
        echo "bench: $* failed:" >&2
        tail -n 20 "$place/run.out" >&2
        return 1
    fi
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}

# median NUMBER...
median() {
    printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# connecting ADDRESS PORT: the milliseconds that opening a connection takes.
connecting() {
    local begin=$EPOCHREALTIME
    (exec 3<>"/dev/tcp/$1/$2")
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f", (b - a) * 1000 }'
}

# one WHAT TOOL: the time of one run, whose result has been compared; WHAT_TOOL_time tells one of its own.
one() {
    local time
    fresh
    if declare -F "$1_$2_before" >/dev/null; then "$1_$2_before"; fi
    sync -f "$place"
    time=$(seconds "$1_$2")
    if declare -F "$1_$2_time" >/dev/null; then time=$("$1_$2_time"); fi
    if ! "$1_check" >"$place/check.out" 2>&1; then
        echo "bench: $label: $1 by $2: the contents differ: $(head -n 3 "$place/check.out")" >&2
        return 1
    fi
    echo "$time"
}

# compare WHAT TOOL [LIMIT]: alternating runs of transferd and the tool, one line of medians that begins with $label.
# Each of them goes first by turns.
compare() {
    local ours=() theirs=() ratios=() number a b ratio verdict=-
    for ((number = 1; number <= pairs; number++)); do
        if ((number % 2)); then
            a=$(one "$1" transferd)
            b=$(one "$1" "$2")
        else
            b=$(one "$1" "$2")
            a=$(one "$1" transferd)
        fi
        ours+=("$a")
        theirs+=("$b")
        ratios+=("$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", a / b }')")
    done
    ratio=$(median "${ratios[@]}")
    if [ $# -gt 2 ]; then
        verdict=$(awk -v r="$ratio" -v l="$3" 'BEGIN { print r <= l ? "met" : "missed" }')
    fi
    printf '%-12s %-15s %4d %9.3f s %9.3f s %7.2f %6s %-7s  %s | %s\n' "$label" "$2" "$pairs" \
        "$(median "${ours[@]}")" "$(median "${theirs[@]}")" "$ratio" "${3:--}" "$verdict" "${ours[*]}" "${theirs[*]}"
}

# whole LANES: one run of the small files whose attempts are counted; fails when one of them did.
whole() {
    local time failed
    time=$(one many transferd)
    failed=$(sqlite3 -readonly "$place/state/jobs.db" \
        "SELECT failure_text FROM attempts WHERE failure_class IS NOT NULL")
    if [ -n "$failed" ]; then
        echo "bench: $label: with $1 lanes: attempts failed: $(sort <<<"$failed" | uniq -c | head -n 5)" >&2
        return 1
    fi
    printf '%-12s %d lanes: %d files are whole, no attempt failed, %s s\n' "$label" "$1" "$files" "$time"
}

heading() {
    echo "$(.build/release/transferd --version | head -n 1), $(curl --version | head -n 1 | cut -d ' ' -f 1-2)," \
        "lftp $(lftp --version | sed -n '1s,.*Version \([0-9.]*\).*,\1,p'), $(aria2c --version | head -n 1)," \
        "$(rclone version | head -n 1), $(ssh -V 2>&1 | cut -d ' ' -f 1)"
    echo "$(nproc) processors, kernel $(uname -r), $place on $(df --output=fstype "$place" | tail -n 1)"
    echo "Ratio: the median of transferd's time by the tool's; below 1 is faster. A limit is what it is to be at most."
    echo
    printf '%-12s %-15s %4s %11s %11s %7s %6s %-7s  %s\n' case tool pairs transferd tool ratio limit '' \
        'each run: transferd | tool'
}

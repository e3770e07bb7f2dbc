# saturated.awk - each layer's Saturated% from what `ncdump -p 9 ARCHIVE` prints: thresholds, then arrays by group.
# A row of an array is a layer: its numbers follow each other over any number of lines, `_` where one is missing.
function take(value,    i, layer, name) {
    gsub(/[;[:space:]]/, "", value)
    i = seen++
    layer = int(i / neurons)
    name = layer SUBSEP (i % neurons)
    if (value == "_" || value == "NaN")
        return
    if (metric == "variance" && value + 0 < limit["variance_threshold"] ||
        metric == "mean" && (value < 0 ? -value : value + 0) < limit["gradient_threshold"] ||
        metric == "low_activity" && value + 0 > limit["low_activity_ratio"])
        meets[group, name] = 1
}
/^\tlayer = [0-9]+ ;/ { layers = $3 }
/^\tneuron = [0-9]+ ;/ { neurons = $3 }
/^\t\t:[a-z_]+ = .*f ;/ { limit[substr($1, 2)] = $3 + 0 }
/^group: / && !/ state / { group = $2 }
/^group: state / { group = "" }
group != "" && /^  *[a-z_]+ =/ && ($1 == "variance" || $1 == "mean" || $1 == "low_activity") {
    metric = $1
    seen = 0
    sub(/^[^=]*=/, "")
}
metric != "" {
    count = split($0, value, ",")
    for (k = 1; k <= count; k++)
        if (value[k] ~ /[^[:space:];]/)
            take(value[k])
    if (/;/)
        metric = ""
}
END {
    for (layer = 0; layer < layers; layer++) {
        found = 0
        for (i = 0; i < neurons; i++) {
            name = layer SUBSEP i
            found += meets["gate", name] && meets["up", name] && meets["ffn", name]
        }
        printf "%d,%.1f\n", layer, 100 * found / neurons
    }
}

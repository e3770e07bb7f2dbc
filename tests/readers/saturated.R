# saturated.R ARCHIVE - each layer's Saturated% from raw arrays and thresholds, by R's ncdf4, a layer at a time.
# R has the layer last: it names dimensions from the fastest on. Numbers become doubles, which hold a float32 exactly.
suppressPackageStartupMessages(library(ncdf4))
file <- nc_open(commandArgs(trailingOnly = TRUE)[1])
threshold <- function(name) ncatt_get(file, 0, name)$value
slice <- function(name, layer) ncvar_get(file, name, start = c(1, layer), count = c(-1, 1))
for (layer in seq_len(file$dim$layer$len)) {
    meets <- sapply(c("gate", "up", "ffn"), function(series) {
        of <- function(metric) slice(paste0(series, "/", metric), layer)
        holds <- of("variance") < threshold("variance_threshold") |
            abs(of("mean")) < threshold("gradient_threshold") |
            of("low_activity") > threshold("low_activity_ratio")
        !is.na(holds) & holds
    })
    cat(sprintf("%d,%.1f\n", layer - 1L, 100 * mean(apply(meets, 1, all))))
}
nc_close(file)

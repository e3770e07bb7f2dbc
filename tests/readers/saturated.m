% saturated.m - each layer's Saturated% from raw arrays and thresholds, by Octave's netcdf package, a layer at a time.
% Usage: octave-cli saturated.m ARCHIVE. Octave has the layer last, and MATLAB's ncread is called the same way.
pkg load netcdf
file = argv(){1};
layers = numel(ncread(file, "layer"));
for layer = 1:layers
  all_three = true;
  for series = {"gate", "up", "ffn"}
    of = @(metric) ncread(file, ["/" series{1} "/" metric], [1 layer], [Inf 1]);
    threshold = @(name) ncreadatt(file, "/", name);
    all_three = all_three & (of("variance") < threshold("variance_threshold") ...
        | abs(of("mean")) < threshold("gradient_threshold") ...
        | of("low_activity") > threshold("low_activity_ratio"));
  end
  printf("%d,%.1f\n", layer - 1, 100 * mean(all_three));
end

# SPDX-License-Identifier: MIT
# Times the workloads of a file in ruby-liquid with ruby-liquid-c, and prints what `liquid-server bench` prints.

require "digest"
require "json"
require "liquid"
require "liquid/c"

def seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# Nanoseconds an operation takes: the median of five samples of at least a quarter of a second.
def median(operations)
  samples = Array.new(5) do
    passes = 0
    start = seconds
    until (elapsed = seconds - start) >= 0.25
      yield
      passes += 1
    end
    elapsed / passes / operations * 1e9
  end
  samples.sort[2]
end

JSON.parse(File.read(ARGV[0], encoding: "UTF-8")).each do |workload|
  sources, profiles = workload.values_at("templates", "data")
  if workload["parse"]
    ns = median(sources.size) { sources.each { |source| Liquid::Template.parse(source) } }
    result = { phase: "parse", sha: "" }
  else
    templates = sources.map { |source| Liquid::Template.parse(source) }
    outputs = profiles.flat_map { |profile| templates.map { |template| template.render(profile) } }
    ns = median(outputs.size) { profiles.each { |profile| templates.each { |template| template.render(profile) } } }
    result = { phase: "render", sha: Digest::SHA256.hexdigest(outputs.join)[0, 12] }
  end
  puts JSON.generate({ case: workload["id"], ns: ns, **result })
end

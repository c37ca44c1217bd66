# SPDX-License-Identifier: MIT

# Renders templates with the reference: a case as JSON on each line of input, [kind, text] on each line of output.
# The kind is "output", "error", or "failed" where the reference itself breaks.

$LOAD_PATH.unshift(File.join(ENV.fetch("LIQUID_REFERENCE"), "lib"))
require "json"
require "timeout"
require "liquid"

ENV["TZ"] = "UTC"
NOW = Time.utc(2024, 1, 1, 0, 1, 58)
def Time.now(**) = NOW
$stdout.sync = true

Partials = Struct.new(:sources) do
  def read_template_file(name)
    sources.fetch(name) { raise Liquid::FileSystemError, "Could not find asset #{name}" }
  end
end

def outcome(example)
  mode = example["mode"].to_sym
  partials = Partials.new(example["partials"])
  environment = Liquid::Environment.build(file_system: partials, error_mode: mode)
  template = Liquid::Template.parse(example["template"], environment: environment, error_mode: mode, line_numbers: true)
  context = Liquid::Context.build(
    environment: environment,
    static_environments: example["data"],
    registers: Liquid::Registers.new(file_system: partials),
  )
  ["output", Timeout.timeout(5) { template.render(context) }]
rescue Liquid::Error => error
  ["error", error.message]
rescue Timeout::Error, SystemStackError, NoMemoryError, StandardError => error
  ["failed", "#{error.class}: #{error.message[0, 200]}"]
end

$stdin.each_line do |line|
  kind, text = outcome(JSON.parse(line))
  puts JSON.generate([kind, text.dup.force_encoding(Encoding::UTF_8).scrub])
end

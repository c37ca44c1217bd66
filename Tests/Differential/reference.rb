# SPDX-License-Identifier: MIT

# Renders templates with the reference: a case as JSON on each line of input, [kind, text] on each line of output.
# The kind is "output", "error", or "failed" where the reference itself breaks.

$LOAD_PATH.unshift(File.join(ENV.fetch("LIQUID_REFERENCE"), "lib"))
require "json"
require "timeout"
require "liquid"

ENV["TZ"] = "UTC"
NOW = Time.local(2024, 1, 1, 0, 1, 58)
def Time.now(**) = NOW
$stdout.sync = true

Partials = Struct.new(:sources) do
  def read_template_file(name)
    sources.fetch(name) { raise Liquid::FileSystemError, "Could not find asset #{name}" }
  end
end

# What decodes to no text cannot be compared: the engine's strings are Unicode.
# Liquid lets no error pass but those that are none of Ruby's standard ones.
class NoText < Exception; end

module DecodedText
  def base64_decode(input) = text(super)
  def base64_url_safe_decode(input) = text(super)

  private

  def text(decoded) = decoded.encoding == Encoding::UTF_8 && decoded.valid_encoding? ? decoded : raise(NoText)
end
Liquid::StandardFilters.prepend(DecodedText)

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
rescue NoText, Timeout::Error, SystemStackError, NoMemoryError, StandardError => error
  ["failed", "#{error.class}: #{error.message[0, 200]}"]
end

$stdin.each_line do |line|
  kind, text = outcome(JSON.parse(line))
  puts JSON.generate([kind, text.dup.force_encoding(Encoding::UTF_8).scrub])
end

# SPDX-License-Identifier: MIT
# The lab-progress push in an afternoon of Ruby: json and liquid-c. Reads NDJSON, writes records, no checks.
#
# Usage: ruby_pipeline.rb PROFILES TRIGGER TEXTS, the last as texts.py prints it
require "json"
require "liquid"
require "liquid/c"

module Escape
  def json_escape(text) = JSON.generate(text.to_s)[1..-2]
end
Liquid::Template.register_filter(Escape)

given = JSON.parse(File.read(ARGV[2]))
abort_text = given["abort"]
templates = given["texts"].transform_values { |text| Liquid::Template.parse(text) }
trigger = JSON.parse(File.read(ARGV[1]))
output = $stdout.binmode
File.open(ARGV[0]).each_line.with_index(1) do |line, number|
  profile = JSON.parse(line)
  assigns = {
    "first_name" => profile["first_name"] || "", "custom_attribute" => profile["custom_attributes"] || {},
    "api_trigger_properties" => trigger
  }
  texts = templates.transform_values { |template| template.render(assigns) }
  record = { "id" => profile["external_id"] || profile["braze_id"], "line" => number }
  if texts["body"].include?(abort_text)
    record.merge!("status" => "aborted", "reason" => "course finished")
  else
    payload = {
      "aps" => { "alert" => { "title" => texts["title"], "body" => texts["body"] }, "badge" => 1, "sound" => "default",
                 "thread-id" => "lab", "category" => "lab_progress" }
    }
    given["extras"].each { |name| payload[name] = texts[name] }
    payload["sessions"] = JSON.parse(texts["sessions"])
    payload.merge!("ab_uri" => "bookdemo://lab/progress", "ab_use_webview" => false,
                   "ab" => { "c" => "91c4d0b2-lab-progress" })
    json = JSON.generate(payload)
    record.merge!("status" => "rendered", "bytes" => json.bytesize, "payload" => payload)
  end
  output.write(JSON.generate(record), "\n")
end

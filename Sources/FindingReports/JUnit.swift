// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A test suite of a JUnit file: a named group of cases.
struct JUnitSuite: Sendable {
    /// The name of the suite, such as the path of a file.
    var name: String

    /// The cases of the suite.
    var cases: [JUnitCase]

    /// Text that JUnit files show as the output of the suite.
    var output = ""

    /// The properties of the suite: names and values that describe the run.
    var properties: [(name: String, value: String)] = []
}

/// A test case of a JUnit file.
struct JUnitCase: Sendable {
    /// Why a case failed.
    struct Failure: Sendable {
        /// The reason for the failure, on one line.
        var message: String

        /// The kind of failure, such as `error`.
        var type: String

        /// The complete text of the failure.
        var text: String
    }

    var name: String

    /// The failure of the case; nil if the case passed.
    var failure: Failure?
}

extension ByteBuffer {
    /// Appends a JUnit file (the schema of Ant's JUnit task).
    ///
    /// The schema requires a time, a duration and a host name. These are constants here, so that the same report gives
    /// the same bytes.
    mutating func appendJUnit(_ suites: [JUnitSuite]) {
        append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n")
        for (id, suite) in suites.enumerated() { append(suite, id: id) }
        append("</testsuites>\n")
    }

    private mutating func append(_ suite: JUnitSuite, id: Int) {
        append("  <testsuite")
        appendAttribute("name", suite.name.isEmpty ? "-" : suite.name)
        appendAttribute("package", suite.name)
        appendAttribute("id", String(id))
        appendAttribute("timestamp", "1970-01-01T00:00:00")
        appendAttribute("hostname", "localhost")
        appendAttribute("tests", String(suite.cases.count))
        appendAttribute("failures", String(suite.cases.reduce(0) { $0 + ($1.failure == nil ? 0 : 1) }))
        appendAttribute("errors", "0")
        appendAttribute("time", "0")
        append(">\n    <properties")
        append(suite.properties.isEmpty ? "/>\n" : ">\n")
        for property in suite.properties {
            append("      <property")
            appendAttribute("name", property.name)
            appendAttribute("value", property.value)
            append("/>\n")
        }
        if !suite.properties.isEmpty { append("    </properties>\n") }
        for testCase in suite.cases {
            append("    <testcase")
            appendAttribute("name", testCase.name)
            appendAttribute("classname", suite.name)
            appendAttribute("time", "0")
            guard let failure = testCase.failure else {
                append("/>\n")
                continue
            }
            append(">\n      <failure")
            appendAttribute("message", failure.message)
            appendAttribute("type", failure.type)
            append(">")
            appendXML(failure.text)
            append("</failure>\n    </testcase>\n")
        }
        append("    <system-out>")
        appendXML(suite.output)
        append("</system-out>\n    <system-err/>\n  </testsuite>\n")
    }
}

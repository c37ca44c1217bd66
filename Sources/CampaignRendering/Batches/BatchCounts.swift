// SPDX-License-Identifier: MIT

import DiagnosticSources
package import JSONTexts

/// Writes the counts of a batch as JSON, so that another process can add them to the counts of the other parts.
///
/// The JSON keeps everything that a report shows: the number of payloads of every size, the kinds with their first
/// profiles, the largest payloads, and the files that findings refer to.
struct BatchCountsWriter {
    private var files: [SourceFile] = []

    /// Appends the counts of a report to `json`, as an object.
    static func write(_ report: BatchReport, to json: inout JSONWriter) {
        var writer = BatchCountsWriter()
        json.object { writer.write(report, to: &$0) }
    }

    private mutating func write(_ report: BatchReport, to json: inout JSONWriter) {
        json.member("rendered", report.rendered)
        json.member("aborted", report.aborted)
        json.member("failed", report.failed)
        json.member("without_id", report.withoutID)
        json.member("over_budget", report.overBudget)
        json.member("reads_clock", report.readsClock)
        json.array("sizes", report.sizes.enumerated().filter { $0.element > 0 }) { json, size in
            json.array(nil, [size.offset, size.element]) { $0.integer($1) }
        }
        json.array("largest", report.largest, Self.write)
        json.array("samples", report.samples, Self.write)
        json.array("failed_message", report.failedMessage.map { [$0] } ?? [], Self.write)
        texts("blank", report.blanks, to: &json)
        texts("aborted_by_reason", report.reasons, to: &json)
        texts("connected_content", report.calls, to: &json)
        findings("failed_by_error", report.errors, to: &json)
        findings("findings", report.findings, to: &json)
        json.array("inputs", report.inputs) { json, finding in json.object { write(finding, to: &$0) } }
        json.array("files", files, Self.write)
    }

    private static func write(to json: inout JSONWriter, _ message: BatchReport.Message) {
        json.object { json in
            json.member("example", message.example)
            write(message.position, to: &json)
            json.member("bytes", message.size.bytes)
            json.member("share", message.size.share)
            json.member("budget", message.size.budget)
            json.member("structure", message.size.structure)
            json.key("payload")
            message.payload.withUnsafeBufferPointer { json.string(utf8: $0) }
            json.array("fields", message.fields) { json, field in
                json.object { json in
                    json.member("name", field.name)
                    json.array("range", [Int(field.range.start), Int(field.range.end)]) { $0.integer($1) }
                    json.member("cost", field.cost)
                    json.member("blank", field.isBlank)
                }
            }
        }
    }

    private func texts(_ key: String, _ counts: KindCounts<TextKind>, to json: inout JSONWriter) {
        Self.kinds(key, counts, to: &json) { $0.member("text", $1.text) }
    }

    private mutating func findings(_ key: String, _ counts: KindCounts<FindingKind>, to json: inout JSONWriter) {
        Self.kinds(key, counts, to: &json) { write($1.diagnostic, to: &$0) }
    }

    /// Writes the members of a finding into the current object.
    private mutating func write(_ finding: Diagnostic, to json: inout JSONWriter) {
        json.member("rule", finding.rule.name)
        json.member("severity", finding.severity.rawValue)
        json.member("message", finding.message)
        if let place = finding.place { write(place, to: &json) }
        json.array("related", finding.related) { json, related in
            json.object { json in
                json.member("message", related.message)
                write(related.place, to: &json)
            }
        }
    }

    private static func kinds<Kind>(
        _ key: String,
        _ counts: KindCounts<Kind>,
        to json: inout JSONWriter,
        _ body: (inout JSONWriter, Kind) -> Void
    ) {
        json.object(key) { json in
            json.array("kinds", counts.entries) { json, entry in
                json.object { json in
                    body(&json, entry.kind)
                    json.member("count", entry.count)
                    json.member("example", entry.example)
                    write(entry.position, to: &json)
                }
            }
            json.member("more", counts.unkeptCount)
        }
    }

    private static func write(_ position: ProfilePosition, to json: inout JSONWriter) {
        json.array("position", [position.inputIndex, position.line]) { $0.integer($1) }
    }

    /// Writes a place: the index of its file, and the range in the file.
    private mutating func write(_ place: SourcePlace, to json: inout JSONWriter) {
        let index = files.firstIndex { $0 === place.file } ?? files.count
        if index == files.count { files.append(place.file) }
        json.array("place", [index, Int(place.range.start), Int(place.range.end)]) { $0.integer($1) }
    }

    private static func write(to json: inout JSONWriter, _ file: SourceFile) {
        var bytes = ByteBuffer(capacity: 2 * file.bytes.count)
        for byte in file.bytes { bytes.append(hexadecimal: byte) }
        json.object { json in
            json.member("path", file.path)
            json.member("encoding", file.encoding.rawValue)
            json.member("line", file.firstLine)
            json.member("one_line", file.isOneLine)
            // Hexadecimal, because the file may be a line of a profile that is not UTF-8.
            json.member("bytes", bytes.string())
        }
    }
}

/// Reads the counts that ``BatchCountsWriter`` has written; its members are nil if something cannot be read.
struct BatchCountsReader {
    private let root: JSONNode
    private let files: [SourceFile]
    private let rule: (String) -> RuleID?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - root: the object with the counts.
    ///   - rule: returns the rule with a name.
    init?(_ root: JSONNode, rule: @escaping (String) -> RuleID?) {
        guard let files = root["files"]?.elements.all(Self.file) else { return nil }
        self.root = root
        self.files = files
        self.rule = rule
    }

    func number(_ key: String) -> Int? { root[key]?.countNumber }

    func flag(_ key: String) -> Bool? { root[key]?.bool }

    /// The number of payloads by size in bytes.
    var sizes: [Int]? {
        guard let entries = root["sizes"]?.elements else { return nil }
        var sizes = [Int](repeating: 0, count: SizeBudget.limit + 1)
        for entry in entries {
            guard let numbers = entry.numbers(2), sizes.indices.contains(numbers[0]) else { return nil }
            sizes[numbers[0]] = numbers[1]
        }
        return sizes
    }

    func messages(_ key: String) -> [BatchReport.Message]? { root[key]?.elements.all(Self.message) }

    func texts(_ key: String) -> KindCounts<TextKind>? {
        kinds(key) { $0["text"]?.string.map { TextKind(text: $0) } }
    }

    func findings(_ key: String) -> KindCounts<FindingKind>? {
        kinds(key) { finding($0).map { FindingKind($0) } }
    }

    func diagnostics(_ key: String) -> [Diagnostic]? { root[key]?.elements.all(finding) }

    private func kinds<Kind>(_ key: String, _ kind: (JSONNode) -> Kind?) -> KindCounts<Kind>? {
        guard let node = root[key], let more = node["more"]?.countNumber, let entries = node["kinds"]?.elements else {
            return nil
        }
        var counts = KindCounts<Kind>(unkeptCount: more)
        for entry in entries {
            guard let kind = kind(entry), let count = entry["count"]?.countNumber,
                let example = entry["example"]?.string, let position = Self.position(entry)
            else { return nil }
            counts.note(kind, example, at: position, count: count)
        }
        return counts
    }

    private func finding(_ node: JSONNode) -> Diagnostic? {
        guard let rule = node["rule"]?.string.flatMap(rule), let message = node["message"]?.string,
            let severity = node["severity"]?.string.flatMap(Severity.init),
            let related = node["related"]?.elements.all({ related in
                related["message"]?.string.flatMap { message in
                    self.place(related["place"]).map { Diagnostic.Related(message, at: $0) }
                }
            })
        else { return nil }
        let place = self.place(node["place"])
        if place == nil, node["place"] != nil { return nil }
        return Diagnostic(rule, message, at: place, severity: severity, related: related)
    }

    private func place(_ node: JSONNode?) -> SourcePlace? {
        guard let numbers = node?.numbers(3), files.indices.contains(numbers[0]) else { return nil }
        return SourcePlace(files[numbers[0]], SourceRange(numbers[1], numbers[2]))
    }

    private static func file(_ node: JSONNode) -> SourceFile? {
        guard let path = node["path"]?.string, let line = node["line"]?.countNumber, let text = node["bytes"]?.string,
            let isOneLine = node["one_line"]?.bool,
            let encoding = node["encoding"]?.string.flatMap(TextEncoding.init)
        else { return nil }
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return SourceFile(path: path, bytes: bytes, encoding: encoding, firstLine: line, isOneLine: isOneLine)
    }

    private static func message(_ node: JSONNode) -> BatchReport.Message? {
        guard let example = node["example"]?.string, let position = position(node),
            let bytes = node["bytes"]?.countNumber,
            let share = node["share"]?.countNumber, let budget = node["budget"]?.integer,
            let structure = node["structure"]?.countNumber, let payload = node["payload"]?.string,
            let fields = node["fields"]?.elements.all(field),
            fields.allSatisfy({ $0.range.end <= payload.utf8.count })
        else { return nil }
        let size = SizeBudget(bytes: bytes, share: share, budget: budget, structure: structure)
        return BatchReport.Message(
            size: size, example: example, position: position, fields: fields, payload: Array(payload.utf8))
    }

    private static func position(_ node: JSONNode) -> ProfilePosition? {
        node["position"]?.numbers(2).map { ProfilePosition(inputIndex: $0[0], line: $0[1]) }
    }

    private static func field(_ node: JSONNode) -> Payload.Field? {
        guard let name = node["name"]?.string, let range = node["range"]?.numbers(2),
            let cost = node["cost"]?.countNumber, let isBlank = node["blank"]?.bool
        else { return nil }
        return Payload.Field(name: name, range: SourceRange(range[0], range[1]), cost: cost, isBlank: isBlank)
    }
}

extension JSONNode {
    /// The value as a count; nil for a negative number, and for a number larger than any batch, so that sums cannot
    /// overflow.
    package var countNumber: Int? { integer.flatMap { (0...1 << 42).contains($0) ? $0 : nil } }

    /// The elements of an array of exactly `count` counts; nil for anything else.
    package func numbers(_ count: Int) -> [Int]? {
        guard self.count == count, let numbers = elements.all(\.countNumber), numbers.count == count else { return nil }
        return numbers
    }
}

extension JSONNode.Children {
    /// The results of `body` for all elements; nil if it returns nil for any of them.
    fileprivate func all<Value>(_ body: (JSONNode) -> Value?) -> [Value]? {
        var values: [Value] = []
        for element in self {
            guard let value = body(element) else { return nil }
            values.append(value)
        }
        return values
    }
}

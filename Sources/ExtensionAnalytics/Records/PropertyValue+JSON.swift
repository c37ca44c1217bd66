// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts

/// The two forms in which values are written as JSON.
enum JSONForm {
    /// The form in a file of the store, which distinguishes times from texts and changes from objects.
    case stored
    /// The form that `/users/track` accepts.
    case sent
}

/// A type whose values can be written as JSON in both forms.
protocol JSONForms {
    func write(into json: inout JSONWriter, _ form: JSONForm)
}

extension JSONForms {
    /// The number of bytes of the value in the form that is sent to Braze.
    var jsonByteCount: Int {
        var json = JSONWriter()
        write(into: &json, .sent)
        return json.buffer.count
    }
}

extension PropertyValue: JSONForms {
    /// Writes the value; members of objects are sorted by name, so that the same value always gives the same bytes.
    func write(into json: inout JSONWriter, _ form: JSONForm) {
        switch self {
        case .string(let text): json.string(text)
        case .integer(let integer): json.integer(integer)
        case .number(let number): json.double(number)
        case .boolean(let flag): json.bool(flag)
        case .time(let time):
            let text = time.iso8601 ?? ""
            guard form == .stored else { return json.string(text) }
            json.beginObject()
            json.member("$time", text)
            json.endObject()
        case .array(let elements):
            json.beginArray()
            for element in elements { element.write(into: &json, form) }
            json.endArray()
        case .object(let members):
            json.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                value.write(into: &json, form)
            }
            json.endObject()
        }
    }

    /// Reads a value that the store wrote.
    init(stored node: JSONNode) throws(StoredRecordError) {
        switch node.kind {
        case .string: self = .string(node.string ?? "")
        case .bool: self = .boolean(node.bool ?? false)
        case .number:
            if let integer = node.integer {
                self = .integer(integer)
            } else if node.source.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }) {
                throw StoredRecordError("the integer \(node.source) does not fit in 64 bits")
            } else if let number = node.double {
                self = .number(number)
            } else {
                throw StoredRecordError("the number \(node.source) is out of range")
            }
        case .array:
            var elements: [PropertyValue] = []
            for element in node.elements { elements.append(try PropertyValue(stored: element)) }
            self = .array(elements)
        case .object:
            if node.count == 1, let text = node["$time"]?.string, let time = Date(iso8601: text) {
                self = .time(time)
                return
            }
            self = .object(try node.storedMembers(PropertyValue.init(stored:)))
        case .null: throw StoredRecordError("null is not a value")
        }
    }
}

extension AttributeChange: JSONForms {
    /// Writes the change; in the stored form, its name begins with `$`.
    func write(into json: inout JSONWriter, _ form: JSONForm) {
        let sign = form == .stored ? "$" : ""
        switch self {
        case .set(let value): value.write(into: &json, form)
        case .unset: json.null()
        case .increment(let step):
            json.beginObject()
            json.member(sign + "inc", step)
            json.endObject()
        case .add(let texts): write(texts, under: sign + "add", into: &json)
        case .remove(let texts): write(texts, under: sign + "remove", into: &json)
        }
    }

    private func write(_ texts: [String], under key: String, into json: inout JSONWriter) {
        json.beginObject()
        json.key(key)
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
        json.endObject()
    }

    /// Reads a change that the store wrote; an object that is not exactly one change is a value, in which no name
    /// begins with `$`.
    init(stored node: JSONNode) throws(StoredRecordError) {
        guard !node.isNull else {
            self = .unset
            return
        }
        guard node.count == 1, let change = node.members.first(where: { _ in true }) else {
            self = .set(try PropertyValue(stored: node))
            return
        }
        switch change.key {
        case "$inc":
            guard let step = change.integer else { throw .missing("$inc") }
            self = .increment(by: step)
        case "$add": self = .add(try change.storedTexts)
        case "$remove": self = .remove(try change.storedTexts)
        default: self = .set(try PropertyValue(stored: node))
        }
    }
}

extension JSONNode {
    /// The texts in an array that the store wrote.
    fileprivate var storedTexts: [String] {
        get throws(StoredRecordError) {
            let texts = elements.compactMap(\.string)
            guard kind == .array, texts.count == count else { throw .missing(key ?? "") }
            return texts
        }
    }

    /// The members of an object that the store wrote, as `read` reads them.
    func storedMembers<Member>(
        _ read: (JSONNode) throws(StoredRecordError) -> Member
    ) throws(StoredRecordError) -> [String: Member] {
        var result: [String: Member] = [:]
        for member in members {
            let name = member.key ?? ""
            guard result.updateValue(try read(member), forKey: name) == nil else {
                throw StoredRecordError("'\(name)' is repeated")
            }
        }
        return result
    }
}

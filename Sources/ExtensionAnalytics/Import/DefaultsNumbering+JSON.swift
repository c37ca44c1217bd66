// SPDX-License-Identifier: MIT

package import DiagnosticSources
import JSONTexts

extension DefaultsNumbering {
    private static let version = 1

    /// The numbering as one line of JSON, the contents of its file.
    package var json: [UInt8] {
        var json = JSONWriter(into: ByteBuffer(capacity: 256))
        json.beginObject()
        json.member("version", Self.version)
        json.member("origin", origin.hexadecimal())
        json.key("arrays")
        json.beginObject()
        for key in DefaultsImport.Key.allCases {
            guard let series = series[key] else { continue }
            json.key(key.rawValue)
            json.beginObject()
            json.member("generation", series.generation)
            json.member("next", series.next)
            json.key("elements")
            json.beginArray()
            for element in series.elements {
                json.beginArray()
                json.integer(element.number)
                json.integer(element.milliseconds)
                json.string(element.digest.hexadecimal())
                json.endArray()
            }
            json.endArray()
            json.endObject()
        }
        json.endObject()
        if let removal {
            json.key("removal")
            json.beginObject()
            json.key("positions")
            json.beginObject()
            for key in DefaultsImport.Key.allCases {
                guard let positions = removal.positions[key] else { continue }
                json.key(key.rawValue)
                json.beginArray()
                for position in positions.sorted() { json.integer(position) }
                json.endArray()
            }
            json.endObject()
            if let source = removal.source { json.member("source", source) }
            if let result = removal.result { json.member("result", result) }
            json.endObject()
        }
        json.endObject()
        json.buffer.append("\n")
        return json.buffer.withUnsafeBytes { Array($0) }
    }

    /// Reads a numbering that was written as ``json``.
    ///
    /// - Throws: what is wrong with the file, and where.
    package init(_ file: SourceFile) throws(InputError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument(file).root
        } catch {
            throw InputError(error.message, at: SourcePlace(file, error.range))
        }
        let version = try root.part("version")
        guard version.integer == Self.version else {
            throw InputError("found version \(version.source), expected \(Self.version)", at: version.place)
        }
        self.init(origin: UInt64(try root.part("origin").hexadecimal(bits: Self.originBits)))
        let arrays = try root.part("arrays")
        guard arrays.kind == .object else { throw InputError("expected an object", at: arrays.place) }
        for key in DefaultsImport.Key.allCases {
            if let node = arrays[key.rawValue] { series[key] = try Series(node) }
        }
        if let removal = root["removal"] {
            let arrays = try removal.part("positions")
            var positions: [DefaultsImport.Key: Set<Int>] = [:]
            for key in DefaultsImport.Key.allCases {
                guard let node = arrays[key.rawValue] else { continue }
                var all: Set<Int> = []
                for position in node.elements { all.insert(try position.integer(in: 0..<Self.numberLimit)) }
                positions[key] = all
            }
            self.removal = Removal(
                positions: positions,
                source: removal["source"]?.string,
                result: removal["result"]?.string
            )
        }
    }
}

extension RuleID {
    package static let numbering = RuleID("numbering", .error, "a file of record numbers that cannot be read")
}

extension InputError {
    fileprivate init(_ message: String, at place: SourcePlace) {
        self.init(.invalid, [Diagnostic(.numbering, message, at: place)])
    }
}

extension DefaultsNumbering.Series {
    fileprivate init(_ node: JSONNode) throws(InputError) {
        generation = try node.part("generation").integer(in: 0..<DefaultsNumbering.generationLimit)
        next = try node.part("next").integer(in: 0..<DefaultsNumbering.numberLimit + 1)
        var first = 0
        for node in try node.part("elements").elements {
            let parts = Array(node.elements)
            guard parts.count == 3 else {
                throw InputError("expected a number, a time and a digest", at: node.place)
            }
            let number = try parts[0].integer(in: first..<next)
            let milliseconds = try parts[1].integer(in: .min ..< .max)
            let digest = try parts[2].hexadecimal(bits: 64)
            elements.append(.init(number: number, milliseconds: milliseconds, digest: digest))
            first = number + 1
        }
    }
}

extension JSONNode {
    fileprivate func part(_ key: String) throws(InputError) -> JSONNode {
        guard let part = self[key] else { throw InputError("expected an object with '\(key)'", at: place) }
        return part
    }

    fileprivate func integer(in range: Range<Int>) throws(InputError) -> Int {
        guard let integer, range.contains(integer) else {
            let bounds = "\(range.lowerBound) to \(range.upperBound - 1)"
            throw InputError("expected an integer from \(bounds)", at: place)
        }
        return integer
    }

    fileprivate func hexadecimal(bits: Int) throws(InputError) -> UInt64 {
        guard let number = string.flatMap({ UInt64($0, radix: 16) }), bits == 64 || number >> UInt64(bits) == 0 else {
            throw InputError("expected a hexadecimal number of \(bits) bits", at: place)
        }
        return number
    }
}

// SPDX-License-Identifier: MIT

/// How the parts of a tree are found and what they say.
extension SyntaxTree {
    /// The indices of the parts directly inside a part.
    func parts(in part: Int) -> PartsInside { PartsInside(tree: self, position: part + 1, end: endOfPart(part)) }

    /// The index behind a part and all that is inside it.
    func endOfPart(_ part: Int) -> Int { part + Int(parts[part].size) }

    struct PartsInside: Sequence, IteratorProtocol {
        let tree: SyntaxTree
        var position: Int
        let end: Int

        mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = tree.endOfPart(position) }
            return position
        }
    }

    /// The value of a literal; nil for any other part.
    func literal(_ part: Int, in source: MaskedSource) -> Value? {
        switch self[part].kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .emptyString: .string("")
        case .string: .string(String(decoding: source.original[self[part].offsets], as: UTF8.self))
        case .integer: .integer(Int(self[part].detail))
        case .constant: values[Int(self[part].detail)]
        default: nil
        }
    }

    /// The name by which `offset: continue` finds a loop again, and `forloop.name`: the variable and the collection, in
    /// lax mode as written, else its tokens.
    func loopName(_ loop: Int, in source: MaskedSource, _ mode: ErrorMode) -> String {
        let collection = source.original[self[loop + 2].offsets]
        var name: [UInt8] = []
        name.reserveCapacity(self[loop + 1].offsets.count + 1 + collection.count)
        name += source.original[self[loop + 1].offsets]
        name.append(UInt8(ascii: "-"))
        var quote: UInt8?
        for byte in collection where mode == .lax || quote != nil || !byte.isRubySpace {
            name.append(byte)
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}

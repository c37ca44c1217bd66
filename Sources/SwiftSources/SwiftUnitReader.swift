// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftParser
    import SwiftSyntax

    /// Converts a Swift source file to a ``CodeUnit``.
    ///
    /// It reads only the syntax and resolves no names. Malformed code is read as far as the parser recovers, and the
    /// first error is recorded in ``CodeUnit/unread``. Code in `#if false` is left out, and so are types, members and
    /// globals in branches of `#if` that no iOS app compiles.
    struct SwiftUnitReader {
        /// The deepest nesting that is read.
        static let depthLimit = 160

        /// The deepest nesting that is parsed; the parser needs stack for each level.
        private static let parserDepthLimit = 100

        /// The maximum number of operands in a sequence of operators whose precedence is resolved.
        static let operandLimit = 128

        var unit = CodeUnit()
        var depth = 0

        /// Whether the code that is being read is compiled only with some build settings.
        var isConditional = false

        /// Reads a file.
        ///
        /// - Parameters:
        ///   - text: the bytes of the file, in UTF-8.
        ///   - firstInvalid: the offset of the first bytes that are not UTF-8 text; nil if there are none.
        /// - Returns: its contents.
        static func unit(of text: [UInt8], firstInvalid: Int?) -> CodeUnit {
            if let gap = SwiftNesting.firstUnreadRegion(in: text, deeperThan: parserDepthLimit) {
                return CodeUnit(unread: gap)
            }
            let tree = text.withUnsafeBufferPointer { bytes in
                var parser = Parser(bytes, maximumNestingLevel: parserDepthLimit)
                return SourceFileSyntax.parse(from: &parser)
            }
            var reader = SwiftUnitReader()
            reader.readTopLevel(tree.statements)
            if let firstInvalid {
                reader.unit.unread = .notText(at: firstInvalid)
            } else if reader.unit.unread == nil, let error = reader.firstError(in: Syntax(tree)) {
                reader.unit.unread = UnreadRegion(offset: error, why: "the code has a syntax error")
            }
            return reader.unit
        }

        func offset(_ node: some SyntaxProtocol) -> Int { node.positionAfterSkippingLeadingTrivia.utf8Offset }

        mutating func mention(_ name: String) { unit.mentions.insert(name) }

        /// Reads a clause of `#if`.
        mutating func reading<Result>(_ clause: BuiltClause, _ read: (inout Self) -> Result) -> Result {
            let outer = isConditional
            isConditional = outer || clause.use == .conditional
            defer { isConditional = outer }
            return read(&self)
        }

        mutating func tooDeep(_ node: some SyntaxProtocol) {
            if unit.unread == nil {
                unit.unread = UnreadRegion(
                    offset: offset(node), why: "the code is nested deeper than \(Self.depthLimit) levels")
            }
        }

        func text(_ token: TokenSyntax) -> String {
            let text = token.text
            return text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2
                ? String(text.dropFirst().dropLast()) : text
        }
    }

#endif

// SPDX-License-Identifier: MIT

/// Names of types.
extension ObjectiveCUnitReader {
    private static let qualifiers: Set<String> = [
        "const", "static", "extern", "__block", "__weak", "__strong", "__unsafe_unretained", "__autoreleasing",
        "nullable",
        "nonnull", "_Nullable", "_Nonnull", "__kindof", "inline", "volatile", "unsigned", "signed", "struct", "enum",
        "IBOutlet", "IBInspectable", "FOUNDATION_EXPORT", "FOUNDATION_EXTERN", "UIKIT_EXTERN", "register", "__nullable",
        "__nonnull", "null_unspecified", "NS_NOESCAPE", "out", "inout", "in", "oneway", "__unused",
    ]

    static let scalars: Set<String> = [
        "void", "BOOL", "bool", "int", "char", "short", "long", "float", "double", "NSInteger", "NSUInteger", "CGFloat",
        "NSTimeInterval", "id", "instancetype", "Class", "SEL", "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t",
        "unichar", "CGRect", "CGSize", "CGPoint", "UIEdgeInsets", "NSRange", "dispatch_queue_t", "auto",
    ]

    private mutating func skipQualifiers() {
        while let token = current, token.kind == .word, Self.qualifiers.contains(token.text) {
            if token.text == "unsigned" || token.text == "signed",
                let next = at(1), next.kind != .word || !Self.scalars.contains(next.text)
            {
                return
            }
            position += 1
        }
    }

    private static let typeListEnds: Set<String> = [";", "{", "}", ")"]

    /// Reads a type; nil if there is none.
    mutating func typeName() -> CodeTypeName? {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.depthLimit else {
            noteDepth()
            return nil
        }
        skipQualifiers()
        guard let name = current, name.kind == .word, !Self.statementWords.contains(name.text) else { return nil }
        position += 1
        mention(name.text)
        if name.text == "long" || name.text == "short" { while sees("long") || sees("int") { position += 1 } }
        var arguments: [CodeTypeName] = []
        if sees("<") {
            position += 1
            // This may be a comparison instead of a list of types. The limit keeps such comparisons from being read to
            // the end of the file each time.
            let end = position + 64
            while let token = current, token.text != ">", position < end, !Self.typeListEnds.contains(token.text) {
                let before = position
                if let inner = typeName() { arguments.append(inner) }
                _ = take(",")
                if position == before { position += 1 }
            }
            _ = take(">")
        }
        skipQualifiers()
        var isPointer = false
        while sees("*") {
            isPointer = true
            position += 1
            skipQualifiers()
        }
        if sees("("), let caret = at(1), caret.text == "^" { return .function }
        let type: CodeTypeName =
            switch (name.text, arguments.count) {
            case ("NSArray", 1), ("NSMutableArray", 1), ("NSSet", 1): .array(arguments[0].unwrapped)
            case ("NSDictionary", 2), ("NSMutableDictionary", 2):
                .dictionary(arguments[0].unwrapped, arguments[1].unwrapped)
            case ("id", _), ("instancetype", _): .named("Any", [])
            case ("void", _) where !isPointer: .named("Void", [])
            default: .named(name.text, [])
            }
        return isPointer || name.text == "id" || name.text == "instancetype" ? .optional(type) : type
    }
}

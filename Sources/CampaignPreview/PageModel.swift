// SPDX-License-Identifier: MIT

import DiagnosticSources
package import PayloadKit

/// A value that a page can show.
package protocol PageValue {
    /// The value as Liquid data for the template of the page.
    var pageValue: Value { get }
}

/// The values that a page, or a part of it, shows, by their names in the template.
package struct PageModel: PageValue, ExpressibleByDictionaryLiteral {
    private var members = LiquidObject.Builder()

    package init(dictionaryLiteral members: (String, any PageValue)...) {
        self.members.reserveCapacity(members.count)
        for (name, value) in members { self.members.set(name, value.pageValue) }
    }

    package var pageValue: LiquidTemplates.Value { .object(object) }

    /// The values as the data of a template.
    var object: LiquidObject { LiquidObject(members) }

    /// Sets or replaces a value.
    package subscript(name: String) -> any PageValue {
        get { object[name] ?? LiquidTemplates.Value.null }
        set { members.set(name, newValue.pageValue) }
    }
}

/// A text of a message, which the page shows unchanged, except for control characters.
struct ExactText: PageValue {
    let text: String

    init(_ text: String) { self.text = text }

    var pageValue: Value {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard !isPlain else { return .string(text) }
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            // HTML cannot express these characters.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}":
                shown += "\\u{\(scalar.value.hexadecimal(uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return .string(shown)
    }
}

/// A text from an input or of the program itself, in which the page escapes characters that are invisible or change the
/// text direction.
extension String: PageValue {
    package var pageValue: Value { .string(ShownText.lines(of: self).map(\.text).joined(separator: "\n")) }
}

extension Int: PageValue {
    package var pageValue: Value { .integer(self) }
}

extension Bool: PageValue {
    package var pageValue: Value { .bool(self) }
}

extension Value: PageValue {
    package var pageValue: Value { self }
}

extension Array: PageValue where Element: PageValue {
    package var pageValue: Value { .array(map(\.pageValue)) }
}

extension Optional: PageValue where Wrapped: PageValue {
    package var pageValue: Value { self?.pageValue ?? .null }
}

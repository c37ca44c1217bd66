// SPDX-License-Identifier: MIT

import DiagnosticSources

extension PendingRecord {
    /// A placeholder of Braze's guides that the app's developers did not replace, such as `YOUR-EVENT-NAME`; nil if the
    /// record has none.
    ///
    /// Braze accepts such a record, and creates an event or attribute with that name.
    public var placeholder: String? {
        switch content {
        case .event(let name, let properties):
            return ([name] + properties.keys.sorted()).first { $0.isPlaceholder } ?? properties.placeholder
        case .customAttributes(let changes):
            if let name = changes.keys.sorted().first(where: \.isPlaceholder) { return name }
            let values = changes.compactMapValues { if case .set(let value) = $0 { value } else { nil } }
            return values.placeholder
        case .userAttribute(let attribute):
            guard case .string(let text)? = attribute.value, text.isPlaceholder else { return nil }
            return text
        }
    }
}

extension [String: PropertyValue] {
    /// The first value, in the order of the names, that is a placeholder; nil if there is none.
    fileprivate var placeholder: String? {
        for (_, value) in sorted(by: { $0.key < $1.key }) {
            if case .string(let text) = value, text.isPlaceholder { return text }
        }
        return nil
    }
}

extension String {
    /// Whether the text has the form of the guides' placeholders, such as `YOUR-EVENT-NAME` or `YOUR_KEY`.
    fileprivate var isPlaceholder: Bool {
        (hasPrefix("YOUR-") || hasPrefix("YOUR_"))
            && utf8.allSatisfy { $0.isUpperLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}

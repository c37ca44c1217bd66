// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Writes HTML.
///
/// Names of elements and attributes are literals, so text of an input can only be text or the value of an attribute,
/// both of which are escaped.
package struct HTMLWriter: ~Copyable {
    package private(set) var buffer = ByteBuffer(capacity: 1 << 16)

    /// Creates a writer without content.
    package init() {}

    /// An attribute with its value.
    package typealias Attribute = (name: StaticString, value: String)

    /// Writes a page, whose content security policy forbids the browser to load or run anything.
    package mutating func page(title: String, style: StaticString, body: (inout HTMLWriter) -> Void) {
        markup("<!DOCTYPE html>\n")
        block("html", ("lang", "en")) { html in
            html.block("head") { html in
                html.void("meta", ("charset", "utf-8"))
                html.void("meta", ("name", "viewport"), ("content", "width=device-width, initial-scale=1"))
                html.void("meta", ("name", "color-scheme"), ("content", "light dark"))
                html.void(
                    "meta",
                    ("http-equiv", "Content-Security-Policy"),
                    ("content", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
                )
                html.element("title", text: title)
                html.markup("\n")
                html.element("style") { $0.markup(style) }
                html.markup("\n")
            }
            html.block("body", body: body)
        }
    }

    /// Writes markup without escaping.
    package mutating func markup(_ markup: StaticString) { markup.withUTF8Buffer { buffer.append($0) } }

    /// Writes text.
    package mutating func text(_ text: String) {
        buffer.appendXML(ShownText.lines(of: text).joined(separator: "\n").text, isHTML: true)
    }

    /// Writes text scalar by scalar: what a page shows of a message must be what the device shows.
    package mutating func exact(_ text: String) { buffer.appendXML(text, isHTML: true) }

    /// Writes a resource of this project, such as a style sheet, without escaping.
    package mutating func resource(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { buffer.append($0) } }

    /// Writes an element with a list of attributes; those without a value are left out.
    package mutating func element(
        _ name: StaticString,
        with attributes: [(name: StaticString, value: String?)],
        body: (inout HTMLWriter) -> Void
    ) {
        open(name, attributes.compactMap { name, value in value.map { (name, $0) } })
        body(&self)
        close(name)
    }

    /// Writes an element without content and without an end tag; attributes without a value are left out.
    package mutating func void(_ name: StaticString, with attributes: [(name: StaticString, value: String?)]) {
        open(name, attributes.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Writes text of a file or a profile, isolated so that its writing direction does not affect other text.
    package mutating func foreign(_ text: String) { element("bdi") { $0.text(text) } }

    /// Writes an element without content and without an end tag, such as `meta`.
    package mutating func void(_ name: StaticString, _ attributes: Attribute...) {
        open(name, attributes)
        markup("\n")
    }

    /// Writes an element with text.
    package mutating func element(_ name: StaticString, _ attributes: Attribute..., text: String) {
        open(name, attributes)
        self.text(text)
        close(name)
    }

    /// Writes an element with the content that `body` writes.
    package mutating func element(_ name: StaticString, _ attributes: Attribute..., body: (inout HTMLWriter) -> Void) {
        open(name, attributes)
        body(&self)
        close(name)
    }

    /// Writes an element on lines of its own.
    package mutating func block(_ name: StaticString, _ attributes: Attribute..., body: (inout HTMLWriter) -> Void) {
        open(name, attributes)
        markup("\n")
        body(&self)
        close(name)
        markup("\n")
    }

    /// Writes a drawing with a textual description.
    ///
    /// - Parameters:
    ///   - id: the prefix of the ids of its title and its description.
    ///   - style: the class with its height.
    ///   - title: the title.
    ///   - description: the description of what it shows.
    ///   - body: writes the shapes; their horizontal positions are percentages, so that text keeps its size.
    package mutating func drawing(
        _ id: String,
        _ style: String,
        title: String,
        description: String,
        body: (inout HTMLWriter) -> Void
    ) {
        block("svg", ("class", style), ("role", "img"), ("aria-labelledby", "\(id)-title \(id)-text")) { html in
            html.element("title", ("id", "\(id)-title"), text: title)
            html.element("desc", ("id", "\(id)-text"), text: description)
            html.markup("\n")
            body(&html)
        }
    }

    private mutating func open(_ name: StaticString, _ attributes: [Attribute]) {
        markup("<")
        markup(name)
        for attribute in attributes {
            markup(" ")
            markup(attribute.name)
            markup("=\"")
            buffer.appendXML(attribute.value, isAttribute: true, isHTML: true)
            markup("\"")
        }
        markup(">")
    }

    private mutating func close(_ name: StaticString) {
        markup("</")
        markup(name)
        markup(">")
    }
}

/// A part of a whole as a percentage with at most two decimals.
package func percent(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "0%" }
    let hundredths = (part * 10_000 + whole / 2) / whole
    let rest = hundredths % 100
    return "\(hundredths / 100)" + (rest == 0 ? "%" : rest < 10 ? ".0\(rest)%" : ".\(rest)%")
}

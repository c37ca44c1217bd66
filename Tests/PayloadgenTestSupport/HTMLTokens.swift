// SPDX-License-Identifier: MIT

/// The elements and attributes of an HTML page, read as strictly as this project's pages are written.
public struct HTMLTokens {
    /// The names of the elements that the page has.
    public private(set) var elements: Set<String> = []

    /// The names of the attributes that the page has.
    public private(set) var attributes: Set<String> = []

    /// The values of the attribute `id`, in the order of the page.
    public private(set) var ids: [String] = []

    /// The values of the attribute `href`.
    public private(set) var links: Set<String> = []

    /// What this project's pages must not have: comments, attributes without quotes, elements that are not closed.
    public private(set) var faults: [String] = []

    private static let void: Set<String> = ["meta", "link", "input", "br", "wbr"]
    private static let rawText: Set<String> = ["style", "script", "textarea", "title"]

    /// Reads a page or a part of one.
    public init(_ html: String) {
        let doctype = "<!DOCTYPE html>"
        var rest = Substring(html.hasPrefix(doctype) ? String(html.dropFirst(doctype.count)) : html)
        var open: [String] = []
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            if rest.first == "/" {
                let name = String(rest.dropFirst().prefix { $0 != ">" })
                if open.popLast() != name { faults.append("</\(name)> closes another element") }
                rest = rest.drop { $0 != ">" }.dropFirst()
                continue
            }
            guard let tag = rest.prefixMatch(of: #/([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="[^"]*")*)(\/?)>/#) else {
                faults.append("no element: <\(rest.prefix(60))")
                continue
            }
            rest = rest[tag.range.upperBound...]
            let name = String(tag.1)
            elements.insert(name)
            for attribute in tag.2.matches(of: #/ ([a-zA-Z0-9-]+)="([^"]*)"/#) {
                attributes.insert(String(attribute.1))
                if attribute.2.contains("<") { faults.append("<\(name)> has a < in \(attribute.1)") }
                if attribute.1 == "id" { ids.append(String(attribute.2)) }
                if attribute.1 == "href" { links.insert(String(attribute.2)) }
            }
            if Self.void.contains(name) || !tag.3.isEmpty { continue }
            open.append(name)
            guard Self.rawText.contains(name) else { continue }
            guard let end = rest.firstRange(of: "</\(name)>") else {
                faults.append("<\(name)> is not closed")
                break
            }
            if name == "title" || name == "textarea", rest[..<end.lowerBound].contains("<") {
                faults.append("<\(name)> has a <")
            }
            rest = rest[end.lowerBound...]
        }
        if !open.isEmpty { faults.append("not closed: \(open)") }
    }
}

// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// A read of an attribute in a namespace, such as `custom_attribute.${pet}`.
struct AttributeRead {
    let namespace: String

    /// The text between the braces, which may be a name with a path.
    let written: String

    /// The name, without a path.
    let name: String

    /// The index of the text among ``LintedCampaign/templates``.
    fileprivate let textIndex: Int

    fileprivate let range: SourceRange

    /// Whether the name can be an attribute's: neither empty nor with a filter.
    var hasName: Bool { !name.isEmpty && !name.contains("|") }
}

extension LintedCampaign {
    /// The reads of attributes in namespaces, in the order of the texts.
    var attributeReads: [AttributeRead] {
        templates.enumerated().flatMap { index, text in
            text.analysis.reads.compactMap { read in
                guard case let (namespace?, written)? = read.path.attribute else { return nil }
                let name = String(written.prefix { $0 != "." && $0 != "[" })
                return AttributeRead(
                    namespace: namespace, written: written, name: name, textIndex: index, range: read.range)
            }
        }
    }

    /// The names in a namespace that the texts read.
    func names(in namespace: String) -> Set<String> {
        Set(attributeReads.filter { $0.namespace == namespace }.map(\.name))
    }

    /// The names of the custom attributes that the texts read.
    var readAttributes: Set<String> { names(in: "custom_attribute") }

    /// The place of a name in a read.
    func place(of name: String, in read: AttributeRead) -> SourcePlace {
        templates[read.textIndex].place(of: templates[read.textIndex].nameRange(of: name, in: read.range))
    }

    /// The fix that writes a suggested name in place of the name in a read.
    func renaming(_ name: String, in read: AttributeRead, to near: String?) -> [FixIt] {
        templates[read.textIndex].renaming(templates[read.textIndex].nameRange(of: name, in: read.range), to: near)
    }
}

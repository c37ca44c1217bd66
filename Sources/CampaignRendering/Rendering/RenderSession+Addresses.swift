// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats

/// Checks of the addresses that Liquid prints; rules of `lint` check the addresses that are written in a campaign.
extension RenderSession {
    /// Reports the output of a text if iOS cannot open it as an address.
    ///
    /// The text was rendered last and is not blank.
    ///
    /// Only faults that no app can intend are reported. Source: RFC 3986, section 3.
    mutating func checkAddress(of text: Uncounted<CompiledText>, isImage: Bool = false) {
        guard text.with({ $0.uncountedTemplate }) != nil else { return }
        let (hasScheme, hasSpace, isPadded, isInsecure) = engine.withBytes(of: text) { bytes in
            var delimiter: Int?
            var hasSpace = false
            for (index, byte) in bytes.enumerated() {
                switch byte {
                case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                    if delimiter == nil { delimiter = index }
                case 0...0x20: hasSpace = true
                default: break
                }
            }
            let end = delimiter ?? 0
            let hasScheme = end > 0 && bytes[end] == UInt8(ascii: ":")
            let isHTTP = isImage && end == 4 && bytes[..<end].elementsEqual("http".utf8) { $0 | 0x20 == $1 }
            let isPadded = hasSpace && ((bytes.first ?? 0) <= 0x20 || (bytes.last ?? 0) <= 0x20)
            return (hasScheme, hasSpace, isPadded, isHTTP && hasScheme)
        }
        if hasScheme, !hasSpace, !isInsecure { return }
        let source = text.counted.source
        let field = source.field
        let printed = engine.output(of: text)
        let message =
            if isPadded, let fault = printed.whiteSpaceAtEnds {
                RenderMessages.padded(field, fault)
            } else if !hasScheme {
                RenderMessages.noScheme(field, DocumentMessages.shortened(printed), isPrinted: true)
            } else if let name = printed.whiteSpace {
                RenderMessages.space(field, name)
            } else {
                RenderMessages.insecure(field)
            }
        report(hasScheme && !hasSpace ? .assetForm : .addressForm, message, at: source.place)
    }
}

// SPDX-License-Identifier: MIT

import Documents
import SourceText

/// The addresses that Liquid prints; rules of `lint` check those that are written in a campaign.
extension RenderSession {
    /// Reports the output of a text, which was rendered last and is not blank, if iOS cannot open it.
    ///
    /// Only faults are reported that no app can mean. Source: RFC 3986, section 3.
    mutating func checkAddress(of text: Uncounted<CompiledText>, isImage: Bool = false) {
        guard text.with({ $0.uncountedTemplate }) != nil else { return }
        let (hasScheme, hasSpace, isPadded, isHTTP) = engine.withBytes(of: text) { bytes in
            let end = bytes.firstIndex { ":/?#".utf8.contains($0) } ?? 0
            return (
                end > 0 && bytes[end] == UInt8(ascii: ":"),
                bytes.contains { $0 <= 0x20 },
                (bytes.first ?? 0) <= 0x20 || (bytes.last ?? 0) <= 0x20,
                bytes[..<end].elementsEqual("http".utf8) { $0 | 0x20 == $1 }
            )
        }
        let isInsecure = isImage && hasScheme && isHTTP
        if hasScheme, !hasSpace, !isInsecure { return }
        let source = text.counted.source
        let field = source.field
        let message =
            if isPadded {
                RenderMessages.padded(field)
            } else if !hasScheme {
                RenderMessages.noScheme(field, DocumentMessages.shortened(engine.output(of: text)), isPrinted: true)
            } else {
                hasSpace ? RenderMessages.space(field) : RenderMessages.insecure(field)
            }
        report(hasScheme && !hasSpace ? .assetForm : .addressForm, message, at: source.place)
    }
}

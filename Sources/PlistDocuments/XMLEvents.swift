// SPDX-License-Identifier: MIT

private import CPlistXML

/// Receives what libxml2's parser finds, in the order of the text.
///
/// Offsets are in bytes from the start of the whole text.
protocol XMLEventReceiver: AnyObject {
    /// Handles a start tag whose `>` or `/` is at `offset`; returns false to end parsing.
    func startElement(at offset: Int) -> Bool
    /// Handles an end tag, or the end of an empty-element tag; `offset` is after its `>`.
    func endElement(at offset: Int)
    /// Handles a run of text with its references resolved, or the text of a CDATA section.
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Handles a comment that ends before `offset`.
    func comment(at offset: Int)
    /// Handles a processing instruction that ends before `offset`.
    func instruction(at offset: Int)
    /// Handles a fault of well-formedness, which ends parsing.
    func fault(code: Int, message: String, at offset: Int)
}

private final class XMLEventTarget {
    let receiver: any XMLEventReceiver
    let base: Int

    init(_ receiver: any XMLEventReceiver, base: Int) {
        self.receiver = receiver
        self.base = base
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> XMLEventTarget? {
        context.map { Unmanaged<XMLEventTarget>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Parses UTF-8 text from an offset on, and sends the events to a receiver.
///
/// Returns false if there is no memory for a parser.
func parseXML(_ text: [UInt8], from start: Int, into receiver: any XMLEventReceiver) -> Bool {
    let target = XMLEventTarget(receiver, base: start)
    var handler = plist_xml_handler()
    handler.context = Unmanaged.passUnretained(target).toOpaque()
    handler.start_element = { context, offset in
        guard let target = XMLEventTarget.of(context) else { return 0 }
        return target.receiver.startElement(at: target.base + offset) ? 1 : 0
    }
    handler.end_element = { context, offset in
        guard let target = XMLEventTarget.of(context) else { return }
        target.receiver.endElement(at: target.base + offset)
    }
    handler.text = { context, bytes, count in
        guard let target = XMLEventTarget.of(context), let bytes else { return }
        bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
            target.receiver.text(UnsafeBufferPointer(start: $0, count: count))
        }
    }
    handler.comment = { context, offset in
        guard let target = XMLEventTarget.of(context) else { return }
        target.receiver.comment(at: target.base + offset)
    }
    handler.instruction = { context, offset in
        guard let target = XMLEventTarget.of(context) else { return }
        target.receiver.instruction(at: target.base + offset)
    }
    handler.fault = { context, code, message, offset in
        guard let target = XMLEventTarget.of(context) else { return }
        let message = message.map { String(cString: $0) } ?? ""
        target.receiver.fault(code: Int(code), message: message, at: target.base + offset)
    }
    return withExtendedLifetime(target) {
        text.withUnsafeBytes { bytes in
            let rest = bytes[Swift.min(start, bytes.count)...]
            guard let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress else { return true }
            return plist_xml_parse(base.assumingMemoryBound(to: CChar.self), rest.count, &handler) != 0
        }
    }
}

// SPDX-License-Identifier: MIT

private import CPlistXML

/// Parses UTF-8 text from an offset on with libxml2, and calls a builder for each part of it, in the order of the text.
///
/// Returns false if there is not enough memory for a parser.
func parseXML(_ text: [UInt8], from start: Int, into builder: PlistBuilder) -> Bool {
    var handler = plist_xml_handler()
    handler.context = Unmanaged.passUnretained(builder).toOpaque()
    handler.start_element = { context, prefix, name, offset in
        guard let builder = PlistBuilder.of(context), let name else { return 0 }
        let prefix = prefix.map { String(cString: $0) + ":" } ?? ""
        return builder.startElement(prefix + String(cString: name), at: offset) ? 1 : 0
    }
    handler.end_element = { context, offset in
        PlistBuilder.of(context)?.endElement(at: offset)
    }
    handler.text = { context, bytes, count in
        PlistBuilder.of(context)?.text(UnsafeBufferPointer(start: bytes, count: count))
    }
    handler.comment = { context, offset in
        PlistBuilder.of(context)?.comment(at: offset)
    }
    handler.instruction = { context, offset in
        PlistBuilder.of(context)?.instruction(at: offset)
    }
    handler.fault = { context, code, message, offset in
        let message = message.map { String(cString: $0) } ?? ""
        PlistBuilder.of(context)?.fault(code: Int(code), message: message, at: offset)
    }
    return withExtendedLifetime(builder) { plist_xml_parse(text, text.count, start, &handler) != 0 }
}

extension PlistBuilder {
    /// The builder that `parseXML` passes through C.
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> PlistBuilder? {
        context.map { Unmanaged<PlistBuilder>.fromOpaque($0).takeUnretainedValue() }
    }
}

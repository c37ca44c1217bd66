// SPDX-License-Identifier: MIT

internal import BigInt
internal import SourceText

/// Writes a time by a format such as `%B %-d, %Y`, with the directives, flags and widths of Ruby's `Time#strftime`.
///
/// The format is interpreted in place: only the buffer may grow. Directives that Ruby does not know are printed as
/// written.
struct TimeFormatter {
    /// The result of writing.
    enum Outcome {
        case complete
        /// The format ends inside a directive.
        case unfinished
        /// A width is larger than Ruby's limit: 1 MiB for each byte of the format.
        case tooWide
    }

    /// The flags, the width and the colons of one directive.
    struct Directive {
        /// `0` or a space if a flag sets it; 0 for the directive's default.
        var padding: UInt8 = 0
        /// The minimum width; 0 or less if none is given.
        var width = 0
        /// `-`: no padding.
        var isBare = false
        /// `^`: capital letters.
        var isUpper = false
        /// `#`: capital letters, or small ones where the text has capitals only.
        var changesCase = false
        /// `:`, before `z` only.
        var colons = 0
    }

    let time: Time
    let civil: CivilTime
    /// The number of cycles of 400 years to add to ``time``; nil for none.
    let cycles: BigInt?

    init(_ time: Time) {
        self.time = time
        civil = CivilTime(time)
        cycles = nil
    }

    init(_ far: FarTime) {
        time = far.time
        civil = CivilTime(far.time)
        cycles = far.cycles
    }

    /// Writes the time.
    func write(_ format: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer) -> Outcome {
        var allowance = format.count << 20
        var position = 0
        while position < format.count {
            let start = position
            while position < format.count && format[position] != UInt8(ascii: "%") { position += 1 }
            if position > start { buffer.append(UnsafeBufferPointer(rebasing: format[start..<position])) }
            guard position < format.count else { break }
            let percent = position
            guard let (directive, end) = read(format, from: percent + 1) else { return .unfinished }
            position = end + 1
            guard let directive else {
                buffer.append(UnsafeBufferPointer(rebasing: format[percent..<position]))
                continue
            }
            allowance -= max(directive.width, 0)
            guard allowance >= 0 else { return .tooWide }
            if !write(format[end], directive, into: &buffer) {
                buffer.append(UnsafeBufferPointer(rebasing: format[percent..<position]))
            }
        }
        return .complete
    }

    /// Reads the part between `%` and the letter.
    ///
    /// - Returns: the directive and the position of its letter; no directive if the text up to that position is to be
    ///   printed as written; nil if the format ends before a letter.
    private func read(
        _ format: UnsafeBufferPointer<UInt8>,
        from start: Int
    ) -> (directive: Directive?, end: Int)? {
        var directive = Directive()
        var position = start
        while position < format.count {
            let byte = format[position]
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "^"), UInt8(ascii: "#"), UInt8(ascii: "_"):
                guard directive.width <= 0 else { return (nil, position) }
                switch byte {
                case UInt8(ascii: "-"): (directive.isBare, directive.padding) = (true, 0)
                case UInt8(ascii: "^"): directive.isUpper = true
                case UInt8(ascii: "#"): directive.changesCase = true
                default: directive.padding = UInt8(ascii: " ")
                }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if byte == UInt8(ascii: "0") { directive.padding = byte }
                let digits = position
                var width = 0
                while position < format.count, let digit = format[position].digit {
                    width = min(width * 10 + digit, 1 << 40)
                    position += 1
                }
                guard width <= Int32.max else { return (nil, digits) }
                directive.width = width
                continue
            case UInt8(ascii: ":"):
                var colons = 0
                while position < format.count && format[position] == UInt8(ascii: ":") {
                    colons += 1
                    position += 1
                }
                // Ruby reads colons in groups of three after the first one. A multiple of four colons has no effect,
                // except that `z` does not accept it.
                if colons % 4 == 0 {
                    directive.colons = 4
                } else {
                    guard position < format.count, format[position] == UInt8(ascii: "z") else {
                        return (nil, position - 1)
                    }
                    directive.colons = colons % 4
                }
                continue
            case UInt8(ascii: "E"), UInt8(ascii: "O"):
                guard position + 1 < format.count,
                    Self.takesLocale(format[position + 1], alternativeDigits: byte == UInt8(ascii: "O"))
                else { return (nil, position) }
            default:
                return (directive, position)
            }
            position += 1
        }
        return nil
    }

    /// Whether `E` (another era) or `O` (other digits) is allowed before a letter; neither has an effect.
    private static func takesLocale(_ letter: UInt8, alternativeDigits: Bool) -> Bool {
        let letters: StaticString = alternativeDigits ? "deHkIlmMSuUVwWy" : "cCxXyY"
        return UnsafeBufferPointer(start: letters.utf8Start, count: letters.utf8CodeUnitCount).contains(letter)
    }
}

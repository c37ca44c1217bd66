// SPDX-License-Identifier: MIT

internal import BigInt
internal import DiagnosticSources
import ScalarTexts

/// Writes a time by a format such as `%B %-d, %Y`, with the directives, flags and widths of Ruby's `Time#strftime`.
///
/// Nothing but the output is allocated, unless the seconds since 1970 do not fit into 64 bits. Directives that Ruby
/// does not know are printed as written.
struct TimeFormatter {
    /// How writing a format ended.
    enum Outcome {
        case complete
        /// The format ends inside a directive.
        case unfinished
        /// The widths together exceed Ruby's limit: 1 MiB for each byte of the format.
        case tooWide
    }

    /// The flags, the width and the colons of one directive.
    struct Directive {
        /// The padding that a flag sets, an ASCII `0` or space; a zero byte for the directive's default.
        var padding: UInt8 = 0
        /// The minimum width; 0 or less if none is given.
        var width = 0
        /// The flag `-`: no padding.
        var isBare = false
        /// The flag `^`: capital letters.
        var isUpper = false
        /// The flag `#`: capital letters, or small letters if the text otherwise has only capitals.
        var changesCase = false
        /// The number of `:` flags, which only `z` takes.
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

    /// Writes the time in a format.
    func write(_ format: Bytes, into buffer: inout ByteBuffer) -> Outcome {
        var allowance = format.count << 20
        var position = 0
        while position < format.count {
            let start = position
            while position < format.count && format[position] != UInt8(ascii: "%") { position += 1 }
            if position > start { buffer.append(Bytes(rebasing: format[start..<position])) }
            guard position < format.count else { break }
            let percent = position
            guard let (directive, end) = read(format, from: percent + 1) else { return .unfinished }
            position = end + 1
            guard let directive else {
                buffer.append(Bytes(rebasing: format[percent..<position]))
                continue
            }
            allowance -= max(directive.width, 0)
            guard allowance >= 0 else { return .tooWide }
            if !write(format[end], directive, into: &buffer) {
                buffer.append(Bytes(rebasing: format[percent..<position]))
            }
        }
        return .complete
    }

    /// Reads the part of a directive between `%` and the letter.
    ///
    /// - Returns: the directive and the position of its letter; no directive if the text up to that position has to be
    ///   printed as written; nil if the format ends before a letter.
    private func read(_ format: Bytes, from start: Int) -> (directive: Directive?, end: Int)? {
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
                // but `z` does not accept it.
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

    /// Whether a letter may follow `E` (another era) or `O` (other digits); neither modifier has an effect.
    private static func takesLocale(_ letter: UInt8, alternativeDigits: Bool) -> Bool {
        let letters: StaticString = alternativeDigits ? "deHkIlmMSuUVwWy" : "cCxXyY"
        return Bytes(letters).contains(letter)
    }
}

extension TimeFormatter {
    /// Writes one directive.
    ///
    /// - Returns: false for a letter that is not a directive.
    func write(_ letter: UInt8, _ directive: Directive, into buffer: inout ByteBuffer) -> Bool {
        switch Unicode.Scalar(letter) {
        case "Y": number(civil.year, cycle: 400, civil.year < 0 ? 5 : 4, directive, into: &buffer)
        case "C": number(CivilDate.floorDivide(civil.year, 100), cycle: 4, 2, directive, into: &buffer)
        case "y": number(CivilDate.floorRemainder(civil.year, 100), 2, directive, into: &buffer)
        case "m": number(civil.month, 2, directive, into: &buffer)
        case "d": number(civil.day, 2, directive, into: &buffer)
        case "e": number(civil.day, 2, directive, padding: " ", into: &buffer)
        case "j": number(civil.yearDay, 3, directive, into: &buffer)
        case "H": number(civil.hour, 2, directive, into: &buffer)
        case "k": number(civil.hour, 2, directive, padding: " ", into: &buffer)
        case "I": number(hourOfHalfDay, 2, directive, into: &buffer)
        case "l": number(hourOfHalfDay, 2, directive, padding: " ", into: &buffer)
        case "M": number(civil.minute, 2, directive, into: &buffer)
        case "S": number(civil.second, 2, directive, into: &buffer)
        case "s": number(time.seconds, cycle: FarTime.secondsOfCycle, 1, directive, into: &buffer)
        case "L": fraction(3, directive, into: &buffer)
        case "N": fraction(9, directive, into: &buffer)
        case "u": number(civil.weekday == 0 ? 7 : civil.weekday, 1, directive, into: &buffer)
        case "w": number(civil.weekday, 1, directive, into: &buffer)
        case "U": number(civil.week(beginningOn: 0), 2, directive, into: &buffer)
        case "W": number(civil.week(beginningOn: 1), 2, directive, into: &buffer)
        case "V": number(civil.isoWeek.week, 2, directive, into: &buffer)
        case "G": number(civil.isoWeek.year, cycle: 400, civil.isoWeek.year < 0 ? 5 : 4, directive, into: &buffer)
        case "g": number(CivilDate.floorRemainder(civil.isoWeek.year, 100), 2, directive, into: &buffer)
        case "a": name(CalendarNames.weekday(civil.weekday), 3, directive, into: &buffer)
        case "A": name(CalendarNames.weekday(civil.weekday), nil, directive, into: &buffer)
        case "b", "h": name(CalendarNames.month(civil.month), 3, directive, into: &buffer)
        case "B": name(CalendarNames.month(civil.month), nil, directive, into: &buffer)
        case "p": text(isLower: directive.changesCase)
        case "P": text(isLower: !(directive.changesCase || directive.isUpper))
        case "Z": zoneName(directive, into: &buffer)
        case "z" where directive.colons < 4: zoneOffset(directive, into: &buffer)
        case "%": padded("%", directive, into: &buffer)
        case "n": padded("\n", directive, into: &buffer)
        case "t": padded("\t", directive, into: &buffer)
        case "D", "x": composite("%m/%d/%y", 8, directive, into: &buffer)
        case "F": composite("%Y-%m-%d", 6 + yearLength, directive, into: &buffer)
        case "R": composite("%H:%M", 5, directive, into: &buffer)
        case "T", "X": composite("%H:%M:%S", 8, directive, into: &buffer)
        case "r": composite("%I:%M:%S %p", 11, directive, into: &buffer)
        case "v": composite("%e-%^b-%4Y", 7 + max(4, yearDigits), directive, into: &buffer)
        case "c":
            let format: StaticString = directive.isUpper ? "%^a %^b %e %H:%M:%S %Y" : "%a %b %e %H:%M:%S %Y"
            composite(format, 20 + yearLength, directive, into: &buffer)
        default: return false
        }
        return true

        func text(isLower: Bool) {
            let isMorning = civil.hour < 12
            padded(isMorning ? (isLower ? "am" : "AM") : (isLower ? "pm" : "PM"), directive, into: &buffer)
        }
    }

    private var hourOfHalfDay: Int { civil.hour % 12 == 0 ? 12 : civil.hour % 12 }

    private var yearLength: Int { max(civil.year < 0 ? 5 : 4, yearDigits) }

    private var yearDigits: Int {
        cycles.map { String(BigInt(civil.year) + $0 * 400).utf8.count } ?? digits(civil.year)
    }

    /// The number of characters of a number in decimal, including its sign.
    private func digits(_ value: Int) -> Int {
        var length = value < 0 ? 2 : 1
        var rest = value.magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        return length
    }

    private func pad(_ count: Int, _ byte: UInt8, into buffer: inout ByteBuffer) {
        var rest = count
        while rest > 0 && !buffer.isOverLimit {
            buffer.append(byte)
            rest -= 1
        }
    }

    /// Writes a number, to which `cycle` is added for each cycle of 400 years.
    private func number(
        _ value: Int,
        cycle: Int = 0,
        _ ownWidth: Int,
        _ directive: Directive,
        padding ownPadding: Unicode.Scalar = "0",
        into buffer: inout ByteBuffer
    ) {
        let far = cycle == 0 ? nil : cycles.map { BigInt(value) + $0 * BigInt(cycle) }
        let isNegative = far.map { $0 < 0 } ?? (value < 0)
        let isBlank = (directive.padding == 0 ? UInt8(ascii: ownPadding) : directive.padding) == UInt8(ascii: " ")
        let width = directive.isBare ? 1 : directive.width > 0 ? directive.width : ownWidth
        let missing = width - (far.map { String($0).utf8.count } ?? digits(value))
        if isBlank { pad(missing, UInt8(ascii: " "), into: &buffer) }
        if isNegative { buffer.append(UInt8(ascii: "-")) }
        if !isBlank { pad(missing, UInt8(ascii: "0"), into: &buffer) }
        if let far {
            buffer.append(String(far.magnitude))
        } else if isNegative {
            buffer.append(String(value.magnitude))
        } else {
            buffer.append(decimal: value)
        }
    }

    private func fraction(_ ownWidth: Int, _ directive: Directive, into buffer: inout ByteBuffer) {
        let width = directive.width > 0 ? directive.width : ownWidth
        var rest = time.nanosecond
        var unit = 100_000_000
        for _ in 0..<min(width, 9) {
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
            rest %= unit
            unit /= 10
        }
        pad(width - 9, UInt8(ascii: "0"), into: &buffer)
    }

    /// Writes the name of a month or day, cut to a length; nil for the whole name.
    private func name(_ name: StaticString, _ length: Int?, _ directive: Directive, into buffer: inout ByteBuffer) {
        let bytes = Bytes(rebasing: Bytes(name).prefix(length ?? name.utf8CodeUnitCount))
        pad(missing(bytes.count, directive), paddingOfText(directive), into: &buffer)
        guard directive.isUpper || directive.changesCase else { return buffer.append(bytes) }
        for byte in bytes { buffer.append(byte >= UInt8(ascii: "a") ? byte - 32 : byte) }
    }

    private func padded(_ text: StaticString, _ directive: Directive, into buffer: inout ByteBuffer) {
        pad(missing(text.utf8CodeUnitCount, directive), paddingOfText(directive), into: &buffer)
        buffer.append(Bytes(text))
    }

    private func composite(
        _ format: StaticString,
        _ length: Int,
        _ directive: Directive,
        into buffer: inout ByteBuffer
    ) {
        pad(directive.width - length, paddingOfText(directive), into: &buffer)
        _ = write(Bytes(format), into: &buffer)
    }

    private func missing(_ length: Int, _ directive: Directive) -> Int {
        directive.isBare ? 0 : directive.width - length
    }

    private func paddingOfText(_ directive: Directive) -> UInt8 {
        directive.padding == UInt8(ascii: "0") ? directive.padding : UInt8(ascii: " ")
    }

    private func zoneName(_ directive: Directive, into buffer: inout ByteBuffer) {
        guard let zone = time.zone, !zone.isEmpty else { return }
        pad(missing(zone.utf8.count, directive), paddingOfText(directive), into: &buffer)
        zone.withBytes { bytes in
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z") where directive.changesCase: buffer.append(byte + 32)
                case UInt8(ascii: "a")...UInt8(ascii: "z") where directive.isUpper && !directive.changesCase:
                    buffer.append(byte - 32)
                default: buffer.append(byte)
                }
            }
        }
    }

    /// Writes the offset as `+hhmm`, `+hh:mm`, `+hh:mm:ss` or, for three colons, in the shortest form that is exact.
    private func zoneOffset(_ directive: Directive, into buffer: inout ByteBuffer) {
        let isNegative = time.utcOffset < 0 || (directive.isBare && time.isUTC)
        let offset = time.utcOffset.magnitude
        let (minutes, seconds) = (Int(offset / 60 % 60), Int(offset % 60))
        let showsMinutes = directive.colons < 3 || minutes != 0 || seconds != 0
        let showsSeconds = directive.colons == 2 || (directive.colons == 3 && seconds != 0)
        let tail = showsSeconds ? 6 : showsMinutes ? (directive.colons == 0 ? 2 : 3) : 0
        let hours = Int(offset / 3_600)
        let width = max(directive.width - tail - 1, 2)
        let isBlank = directive.padding == UInt8(ascii: " ")
        if isBlank { pad(width - digits(hours), UInt8(ascii: " "), into: &buffer) }
        buffer.append(isNegative ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        if !isBlank { pad(width - digits(hours), UInt8(ascii: "0"), into: &buffer) }
        buffer.append(decimal: hours)
        let two = Directive()
        if showsMinutes {
            if directive.colons > 0 { buffer.append(UInt8(ascii: ":")) }
            number(minutes, 2, two, into: &buffer)
        }
        if showsSeconds {
            buffer.append(UInt8(ascii: ":"))
            number(seconds, 2, two, into: &buffer)
        }
    }
}

/// The English names of months and days.
enum CalendarNames {
    private static let months: [StaticString] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays: [StaticString] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    /// The name of a month, 1 to 12.
    static func month(_ number: Int) -> StaticString { months[number - 1] }

    /// The name of a day of the week, 0 to 6, where 0 is Sunday.
    static func weekday(_ number: Int) -> StaticString { weekdays[number] }
}

// SPDX-License-Identifier: MIT

import PayloadgenTestData

/// The form of a reader's input, which decides how it is mutated.
enum Form: Sendable {
    /// Text, with words that mean something to the reader and with pairs of brackets.
    case text(words: [String], nests: [(open: String, close: String)])
    /// Compressed text, which is mutated both before and after it is compressed.
    case packed(words: [String], pack: @Sendable ([UInt8], inout SplitMix) -> [UInt8])
    /// A binary property list, which is mutated as bytes, or made from objects that refer to each other at random.
    case binaryPlist(keys: [String])
}

/// Makes mutated inputs from valid ones; the same number always gives the same input.
struct Mutator: Sendable {
    /// The most bytes that an input may have.
    private let sizeLimit: Int
    private let form: Form
    private let seeds: [[UInt8]]
    /// Further inputs, which are mutated as they are stored, without being compressed first.
    private let raw: [[UInt8]]
    private let words: [[UInt8]]
    private let nests: [(open: [UInt8], close: [UInt8])]
    private var random = SplitMix(seed: 0)

    /// Creates a source of inputs.
    ///
    /// - Parameters:
    ///   - form: the form of the inputs.
    ///   - sizeLimit: the most bytes of an input; few inputs have nearly as many.
    ///   - seeds: valid inputs, for a compressed form before they are compressed.
    ///   - raw: further inputs, in compressed form if the form is compressed.
    init(_ form: Form, sizeLimit: Int, seeds: [[UInt8]], raw: [[UInt8]]) {
        self.form = form
        self.sizeLimit = sizeLimit
        self.seeds = seeds.isEmpty ? [[]] : seeds
        self.raw = raw
        switch form {
        case .text(let words, let nests):
            self.words = words.map { Array($0.utf8) }
            self.nests = nests.map { (Array($0.open.utf8), Array($0.close.utf8)) }
        case .packed(let words, _):
            self.words = words.map { Array($0.utf8) }
            nests = [(Array("[".utf8), Array("]".utf8))]
        case .binaryPlist:
            words = []
            nests = []
        }
    }

    /// The input with a number.
    ///
    /// Most inputs are mutated, but each seed is also used unchanged.
    ///
    /// - Parameters:
    ///   - number: the number from 0.
    ///   - seed: the number with which the whole run starts.
    /// - Returns: the input.
    mutating func input(_ number: Int, seed: UInt64) -> [UInt8] {
        random = SplitMix(seed: seed &+ UInt64(number) &* 0xD134_2543_DE82_EF95)
        let isMutated = number % 4 > 0 || number / 4 >= seeds.count
        if isMutated, !raw.isEmpty, chance(16) { return mutatedRaw() }
        let base = isMutated ? seeds[below(seeds.count)] : seeds[number / 4]
        switch form {
        case .text:
            guard isMutated else { return base }
            return encoded(mutatedText(base))
        case .packed(_, let pack):
            guard isMutated else { return pack(base, &random) }
            if chance(2) { return pack(mutatedText(base), &random) }
            return mutatedBytes(pack(base, &random))
        case .binaryPlist(let keys):
            guard isMutated else { return base }
            let list = chance(2) ? ObjectGraph.bytes(keys: keys, random: &random) : base
            return chance(4) ? list : mutatedBytes(list)
        }
    }

    private mutating func mutatedRaw() -> [UInt8] {
        let base = raw[below(raw.count)]
        if case .text = form { return encoded(mutatedText(base)) }
        return mutatedBytes(base)
    }

    // MARK: - Chance

    private mutating func below(_ limit: Int) -> Int { Int(random.next(upperBound: UInt64(max(1, limit)))) }

    private mutating func chance(_ outOf: Int) -> Bool { below(outOf) == 0 }

    private mutating func word() -> [UInt8] {
        if words.isEmpty || chance(12) { return Self.oddities[below(Self.oddities.count)] }
        return words[below(words.count)]
    }

    /// A number of repetitions: usually small, sometimes very large.
    private mutating func repetitions() -> Int {
        switch below(24) {
        case 0: 2_000 + below(20_000)
        case 1, 2: 20 + below(500)
        default: 1 + below(4)
        }
    }

    // MARK: - Text

    private mutating func mutatedText(_ base: [UInt8]) -> [UInt8] {
        var text = base
        for _ in 0...below(4) {
            let changed = changed(text)
            text = changed.count <= sizeLimit ? changed : Array(changed.prefix(sizeLimit))
        }
        return text
    }

    private mutating func changed(_ text: [UInt8]) -> [UInt8] {
        switch below(17) {
        case 0: text.replacing(token(in: text), with: [])
        case 1: text.replacing(token(in: text), with: word())
        case 2, 3: text.inserting(word(), at: boundary(in: text))
        case 4: repeatingToken(text)
        case 5: swappingTokens(text)
        case 6: text.replacing(token(in: text), with: foreignToken())
        case 7: splicingLines(text)
        case 8: changingLines(text)
        case 9: changingBrackets(text)
        case 10: changingNumber(text)
        case 11: chance(2) ? Array(text.prefix(below(text.count + 1))) : Array(text.dropFirst(below(text.count + 1)))
        case 12: noise(text)
        case 13: text.inserting(Self.oddities[below(Self.oddities.count)], at: below(text.count + 1))
        case 14: nesting(text)
        case 15: numbered(text)
        default: text.inserting(run(), at: boundary(in: text))
        }
    }

    /// The range of a random token in a text: letters and digits, white space, or one other byte.
    private mutating func token(in text: [UInt8]) -> Range<Int> {
        guard !text.isEmpty else { return 0..<0 }
        let middle = below(text.count)
        let kind = text[middle].tokenKind
        guard kind != .other else { return middle..<(middle + 1) }
        var (start, end) = (middle, middle + 1)
        while start > 0, text[start - 1].tokenKind == kind { start -= 1 }
        while end < text.count, text[end].tokenKind == kind { end += 1 }
        return start..<end
    }

    /// The offset of a place in a text where a token ends.
    private mutating func boundary(in text: [UInt8]) -> Int { token(in: text).upperBound }

    private mutating func foreignToken() -> [UInt8] {
        let other = seeds[below(seeds.count)]
        return Array(other[token(in: other)])
    }

    private mutating func repeatingToken(_ text: [UInt8]) -> [UInt8] {
        let start = token(in: text).lowerBound
        var end = start
        for _ in 0...below(6) where end < text.count {
            let kind = text[end].tokenKind
            repeat { end += 1 } while end < text.count && kind != .other && text[end].tokenKind == kind
        }
        return text.inserting(repeated(Array(text[start..<end]), repetitions()), at: end)
    }

    private mutating func swappingTokens(_ text: [UInt8]) -> [UInt8] {
        let (one, other) = (token(in: text), token(in: text))
        let (first, second) = one.lowerBound <= other.lowerBound ? (one, other) : (other, one)
        guard first.upperBound <= second.lowerBound else { return text }
        let parts = [second, first.upperBound..<second.lowerBound, first]
        return text[..<first.lowerBound] + parts.flatMap { text[$0] } + text[second.upperBound...]
    }

    /// The range of some lines of a text, with their line breaks.
    private mutating func lines(of text: [UInt8], atMost limit: Int) -> Range<Int> {
        let start = text[..<below(text.count + 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        var end = start
        for _ in 0...below(limit) {
            end = text[end...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
        }
        return start..<end
    }

    private mutating func splicingLines(_ text: [UInt8]) -> [UInt8] {
        let other = seeds[below(seeds.count)]
        let taken = Array(other[lines(of: other, atMost: 8)])
        let place = lines(of: text, atMost: 4)
        return text.replacing(chance(2) ? place : place.lowerBound..<place.lowerBound, with: taken)
    }

    private mutating func changingLines(_ text: [UInt8]) -> [UInt8] {
        let range = lines(of: text, atMost: 6)
        let taken = Array(text[range])
        switch below(5) {
        case 0: return text.replacing(range, with: [])
        case 1: return text.inserting(repeated(taken, repetitions()), at: range.upperBound)
        case 2: return text.inserting(taken, at: lines(of: text, atMost: 1).lowerBound)
        case 3: return text.inserting(repeated(chance(4) ? [0x09] : [0x20], 1 + below(8)), at: range.lowerBound)
        default: return text.replacing(range, with: Array(taken.drop { $0 == 0x20 }))
        }
    }

    private mutating func changingBrackets(_ text: [UInt8]) -> [UInt8] {
        let pairs = text.bracketPairs
        guard !pairs.isEmpty else { return text }
        let pair = pairs[below(pairs.count)]
        let inside = (pair.lowerBound + 1)..<(pair.upperBound - 1)
        switch below(4) {
        case 0: return text.replacing(inside, with: [])
        case 1: return text.replacing(pair, with: Array(text[inside]))
        case 2: return text.inserting(repeated(Array(text[pair]), repetitions()), at: pair.upperBound)
        default:
            let source = pairs[below(pairs.count)]
            return text.replacing(pair, with: Array(text[source]))
        }
    }

    private mutating func changingNumber(_ text: [UInt8]) -> [UInt8] {
        let digits = text.indices.filter { 0x30...0x39 ~= text[$0] && ($0 == 0 || !(0x30...0x39 ~= text[$0 - 1])) }
        guard !digits.isEmpty else {
            return text.inserting(Self.numbers[below(Self.numbers.count)], at: boundary(in: text))
        }
        let start = digits[below(digits.count)]
        var end = start
        while end < text.count, 0x30...0x39 ~= text[end] { end += 1 }
        return text.replacing(start..<end, with: Self.numbers[below(Self.numbers.count)])
    }

    private mutating func noise(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for _ in 0...below(5) {
            let place = below(text.count + 1)
            switch below(3) {
            case 0 where place < text.count: text[place] ^= 1 << UInt8(below(8))
            case 1 where place < text.count: text.remove(at: place)
            default: text.insert(UInt8(below(256)), at: place)
            }
        }
        return text
    }

    /// Nested brackets, closed or not, around nothing or around a part of the text.
    private mutating func nesting(_ text: [UInt8]) -> [UInt8] {
        guard !nests.isEmpty else { return noise(text) }
        let nest = nests[below(nests.count)]
        let depth = chance(3) ? 5_000 + below(60_000) : 1 + below(700)
        let count = min(depth, sizeLimit / 2 / max(1, nest.open.count + nest.close.count))
        let range = token(in: text)
        let opened = repeated(nest.open, count) + text[range]
        return text.replacing(range, with: chance(4) ? opened : opened + repeated(nest.close, count))
    }

    /// A line of the text many times, with a different number in each.
    private mutating func numbered(_ text: [UInt8]) -> [UInt8] {
        let range = lines(of: text, atMost: chance(3) ? 4 : 1)
        let line = Array(text[range])
        let letter = line.firstIndex { $0.tokenKind == .word } ?? 0
        var result: [UInt8] = []
        for number in 0..<repetitions() where result.count < sizeLimit {
            result += line[..<letter] + Array("n\(number)".utf8) + line[letter...]
        }
        return text.inserting(result, at: range.upperBound)
    }

    /// A word or a byte, many times.
    private mutating func run() -> [UInt8] {
        let unit = chance(2) ? word() : [Self.runs[below(Self.runs.count)]]
        return repeated(unit, chance(3) ? 1_000 + below(60_000) : below(300))
    }

    private func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        return Array(repeatElement(bytes, count: min(count, sizeLimit / bytes.count + 1)).joined())
    }

    // MARK: - Encodings

    /// The text, sometimes in another encoding or with other line breaks.
    private mutating func encoded(_ text: [UInt8]) -> [UInt8] {
        guard chance(12) else { return text }
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
        switch below(8) {
        case 0: return [0xEF, 0xBB, 0xBF] + text
        case 1, 2:
            let isBig = chance(2)
            let units = (chance(2) ? [0xFEFF] : []) + Array(String(scalars).utf16)
            return units.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case 3, 4:
            let isBig = chance(2)
            let values = (chance(2) ? [0xFEFF] : []) + scalars.map(\.value)
            return values.flatMap { value in
                let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
                return isBig ? bytes : bytes.reversed()
            }
        case 5: return scalars.map { $0.value < 256 ? UInt8($0.value) : UInt8(ascii: "?") }
        default:
            let end: [UInt8] = chance(2) ? [0x0D, 0x0A] : [0x0D]
            return text.flatMap { $0 == 0x0A ? end : [$0] }
        }
    }

    // MARK: - Bytes

    /// The bytes after changes of bits, fields and parts; more changes are near the end and after the marks of a zip,
    /// where formats have sizes.
    private mutating func mutatedBytes(_ base: [UInt8]) -> [UInt8] {
        var bytes = base
        for _ in 0...below(4) {
            let place = hotPlace(in: bytes)
            let end = min(bytes.count, place + 1 + below(24))
            switch below(8) {
            case 0: bytes.replaceSubrange(place..<end, with: [])
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: end)
            case 2:
                let other = seeds[below(seeds.count)]
                let start = below(other.count + 1)
                bytes.insert(contentsOf: other[start..<min(other.count, start + below(80))], at: place)
            case 3: bytes = Array(bytes.prefix(place))
            case 4 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
            case 5 where place < bytes.count: bytes[place] = UInt8(below(256))
            default: setField(of: &bytes, at: place)
            }
        }
        return bytes
    }

    private mutating func hotPlace(in bytes: [UInt8]) -> Int {
        switch below(4) {
        case 0: return max(0, bytes.count - 1 - below(48))
        case 1:
            let marks = bytes.indices.dropLast(3).filter { bytes[$0] == 0x50 && bytes[$0 + 1] == 0x4B }
            guard !marks.isEmpty else { return min(bytes.count, below(24)) }
            return min(bytes.count, marks[below(marks.count)] + below(48))
        default: return below(bytes.count + 1)
        }
    }

    /// Overwrites an integer of 1, 2, 4 or 8 bytes with a number that is dangerous as a length or an offset.
    private mutating func setField(of bytes: inout [UInt8], at place: Int) {
        let width = 1 << below(4)
        let count = bytes.count
        let values: [UInt64] = [
            0, 1, 2, UInt64(count), UInt64(count) &+ 1, UInt64(max(0, count - 1)), UInt64(place), .max, .max - 1,
            1 << 31, (1 << 31) - 1, 1 << 32, 1 << 63, (1 << 63) - 1, 0xFFFF, 0x8000, 0xFFFF_FFFF, 1 << 40, 1 << 20,
        ]
        let value = values[below(values.count)]
        let isBig = chance(2)
        for index in 0..<width where place + index < count {
            let shift = UInt64(8 * (isBig ? width - 1 - index : index))
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }

    // MARK: - What is spliced in everywhere

    /// Bytes that few readers expect: control characters, format characters, invalid UTF-8.
    private static let oddities: [[UInt8]] =
        [
            "\0", "\u{1B}[31m", "\r", "\u{B}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{202E}", "\u{200D}", "\u{301}",
            "👨‍👩‍👧", "ß", "İ", "“", "”", "’", "\u{A0}", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "::error::", "\n", "\n\n",
            "\t",
            "日本語", "é",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xE2, 0x80],
        ]

    private static let runs = Array(" \n\t-([{<\"'\\#&*%$:=;,.a0".utf8)

    private static let numbers: [[UInt8]] = [
        "0", "-1", "1", "00", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "18446744073709551616", "99999999999999999999999999999999999999", "1e400", "-1e-400", "0x7fffffffffffffff",
        "2147483648", "4294967295", "65536", "1.5", ".5", "NaN", "Infinity", "0.1e1", "1_000",
    ].map { Array($0.utf8) }
}

/// Makes binary property lists whose objects refer to each other at random: shared, in cycles, of wrong types, too
/// many.
private enum ObjectGraph {
    static func bytes(keys: [String], random: inout SplitMix) -> [UInt8] {
        func below(_ limit: Int) -> Int { Int(random.next(upperBound: UInt64(max(1, limit)))) }
        func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }
        let count = 2 + below(40)
        // In half of the lists, objects refer only to later ones: there are no cycles, and shared objects multiply.
        let isForward = below(2) == 0
        var objects: [[UInt8]] = []
        for index in 0..<count {
            let size = below(12)
            let members = (0..<size).map { _ in
                UInt8(isForward ? min(count + keys.count - 1, index + 1 + below(4)) : below(count + keys.count))
            }
            switch index == 0 ? 5 : below(8) {
            case 0: objects.append([[0x00, 0x08, 0x09, 0x0F][below(4)]])
            case 1: objects.append([0x10 + UInt8(below(5))] + noise(16))
            case 2: objects.append([0x23] + noise(8))
            case 3: objects.append([0x33] + noise(8))
            case 4: objects.append([0xA0 + UInt8(size)] + members)
            case 5:
                let names = (0..<size).map { _ in UInt8(count + below(keys.count)) }
                objects.append([0xD0 + UInt8(size)] + names + members)
            case 6: objects.append([0x40 + UInt8(size)] + noise(size))
            default: objects.append([0x80, UInt8(below(256))])
            }
        }
        objects += keys.map { key in
            let length = UInt8(key.utf8.count)
            return (length < 15 ? [0x50 + length] : [0x5F, 0x10, length]) + Array(key.utf8)
        }
        var file = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += [UInt8(file.count >> 8 & 0xFF), UInt8(file.count & 0xFF)]
            file += object
        }
        let fields = [objects.count, 0, file.count].flatMap { field in
            (0..<8).map { UInt8(truncatingIfNeeded: field >> (56 - 8 * $0)) }
        }
        return file + table + [0, 0, 0, 0, 0, 0, 2, 1] + fields
    }
}

private enum TokenKind {
    case word, blank, other
}

extension UInt8 {
    fileprivate var tokenKind: TokenKind {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...: .word
        case 0x09, 0x20: .blank
        default: .other
        }
    }
}

extension [UInt8] {
    fileprivate func replacing(_ range: Range<Int>, with other: [UInt8]) -> [UInt8] {
        self[..<range.lowerBound] + other + self[range.upperBound...]
    }

    fileprivate func inserting(_ other: [UInt8], at place: Int) -> [UInt8] { replacing(place..<place, with: other) }

    /// The ranges of pairs of brackets with what is between them, including brackets in text.
    fileprivate var bracketPairs: [Range<Int>] {
        var open: [(close: UInt8, start: Int)] = []
        var pairs: [Range<Int>] = []
        for index in indices {
            switch self[index] {
            case UInt8(ascii: "("): open.append((UInt8(ascii: ")"), index))
            case UInt8(ascii: "["): open.append((UInt8(ascii: "]"), index))
            case UInt8(ascii: "{"): open.append((UInt8(ascii: "}"), index))
            case UInt8(ascii: "<"): open.append((UInt8(ascii: ">"), index))
            case let byte where open.last?.close == byte:
                if let last = open.popLast() { pairs.append(last.start..<(index + 1)) }
            default: break
            }
        }
        return pairs
    }
}

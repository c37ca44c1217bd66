// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import Testing

@testable import ExtensionAnalytics

/// An id always means the same element, whatever is appended, removed, cleared or acknowledged, and in whatever order.
@Suite struct DefaultsNumberingTests {
    private static let time = Date(timeIntervalSince1970: 1_795_165_200)

    private static func elements(
        _ names: [String],
        _ key: DefaultsImport.Key = .events
    ) -> DefaultsElements {
        let events = names.map { PlistValue.dictionary([("event_name", .string($0))]) }
        return DefaultsElements { $0 == key && !names.isEmpty ? [.array(events)] : [] }
    }

    private func ids(_ numbering: DefaultsNumbering, _ key: DefaultsImport.Key = .events) -> [UUID] {
        numbering.elements(of: key).map(\.id)
    }

    @Test func `equal elements keep their numbers when others go`() {
        var numbering = DefaultsNumbering()
        numbering.update(Self.elements(["A", "A", "A", "A"]), time: Self.time)
        let ids = ids(numbering)
        #expect(Set(ids).count == 4)
        numbering.finishRemoval(of: [.events: [0, 2]])
        numbering.update(Self.elements(["A", "A", "A"]), time: Self.time.addingTimeInterval(60))
        #expect(self.ids(numbering).prefix(2) == [ids[1], ids[3]])
        #expect(numbering.occurrence(ids[0]) == .removed)
        #expect(numbering.occurrence(ids[3]) == .element(.events, position: 1))
        let times = numbering.elements(of: .events).map(\.time)
        #expect(times == [Self.time, Self.time, Self.time.addingTimeInterval(60)])
        #expect(!ids.contains(self.ids(numbering)[2]))
    }

    @Test func `an array that is shorter or other than remembered begins a new generation`() {
        for names in [[], ["A"], ["B", "A"], ["B", "A", "A"]] {
            var numbering = DefaultsNumbering()
            numbering.update(Self.elements(["A", "A"]), time: Self.time)
            let old = ids(numbering)
            numbering.update(Self.elements(names), time: Self.time)
            #expect(Set(ids(numbering)).isDisjoint(with: old))
            #expect(old.allSatisfy { numbering.occurrence($0) == .cleared(.events) })
            #expect(ids(numbering).count == names.count)
        }
    }

    @Test func `an id of another numbering, key or number names nothing`() {
        var numbering = DefaultsNumbering(origin: 7)
        var other = DefaultsNumbering(origin: 8)
        var larger = DefaultsNumbering(origin: 7)
        numbering.update(Self.elements(["A"]), time: Self.time)
        other.update(Self.elements(["A"]), time: Self.time)
        larger.update(Self.elements(["A", "A"]), time: Self.time)
        larger.update(Self.elements(["A"], .userAttributes), time: Self.time)
        let foreign = ids(other) + ids(larger, .userAttributes) + ids(larger) + [UUID()]
        #expect(foreign.allSatisfy { numbering.occurrence($0) == .unknown })
        #expect(numbering.occurrence(ids(numbering)[0]) == .element(.events, position: 0))
    }

    @Test func `numbers do not run out`() throws {
        let digest = ElementDigest(.dictionary([("event_name", .string("A"))])).value
        let limits: [DefaultsNumbering.Series] = [
            .init(
                generation: DefaultsNumbering.generationLimit - 1,
                next: 1,
                elements: [.init(number: 0, milliseconds: 0, digest: ~digest)]
            ),
            .init(
                next: DefaultsNumbering.numberLimit,
                elements: [.init(number: DefaultsNumbering.numberLimit - 1, milliseconds: 0, digest: digest)]
            ),
        ]
        for series in limits {
            var numbering = DefaultsNumbering()
            numbering.series[.events] = series
            let before = ids(numbering)
            numbering.update(Self.elements(["A", "B"]), time: Self.time)
            #expect(Set(ids(numbering)).count == 2 && Set(ids(numbering)).isDisjoint(with: before))
            #expect(before.allSatisfy { numbering.occurrence($0) == .unknown })
        }
    }

    @Test func `reads what it wrote, and nothing else`() throws {
        var numbering = DefaultsNumbering(origin: 1 << UInt64(DefaultsNumbering.originBits) - 1)
        numbering.update(Self.elements(["A", "B", "A"]), time: Self.time)
        numbering.finishRemoval(of: [.events: [1]])
        numbering.beginRemoval(of: [.events: [0]], source: "x", result: "y")
        let text = String(decoding: numbering.json, as: UTF8.self)
        #expect(try DefaultsNumbering(SourceFile(path: "n", text: text)) == numbering)
        for (part, wrong) in [
            (#""version":1"#, #""version":2"#), (#""next":3"#, #""next":2"#), (#""next":3"#, #""next":-1"#),
            (#""generation":0"#, #""generation":-1"#), ("[[0,", "[[5,"), ("[[0,", "[[0,1,"),
            (#""origin":""#, #""origin":"g"#),
            (#""origin":""#, #""origin":"f"#), ("{", ""), (#""arrays":{"#, #""arrays":7,"x":{"#),
        ] {
            let damaged = text.replacingOccurrences(of: part, with: wrong)
            #expect(damaged != text)
            #expect(throws: InputError.self, "\(damaged)") {
                try DefaultsNumbering(SourceFile(path: "n", text: damaged))
            }
        }
    }

    /// Random actions of the app, of `track` and of people who acknowledge, with processes that end at any time.
    @Test func `nothing is lost, removed by another's id or sent again`() throws {
        for seed in 0..<400 as Range<UInt64> {
            var run = Run(seed: seed)
            for _ in 0..<40 { try run.step() }
        }
    }

    private struct Run {
        /// The array of the app: names of events, each with a number that distinguishes equal ones.
        var array: [(name: String, token: Int)] = []
        var tokenCount = 0
        /// A number that changes each time that the array is written.
        var version = 0
        var isRemoval = false
        /// The text that identifies the state of the array.
        var source: String { isRemoval ? "rest \(version)" : "\(version)" }
        var isClearedSinceLook = false
        var numbering = DefaultsNumbering()
        var tokens: [UUID: Int] = [:]
        var lines: [[UUID]] = []
        var acknowledged: Set<Int> = []
        var random: SplitMix

        init(seed: UInt64) { random = SplitMix(seed: seed) }

        mutating func step() throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: append(Int.random(in: 1...4, using: &random))
            case 3: try clear()
            case 4..<7: try track()
            default: try acknowledge()
            }
        }

        private mutating func append(_ count: Int) {
            for _ in 0..<count {
                // If the app clears the array and appends as many elements before `track` reads it, only a different
                // first element shows that.
                let isNew = array.isEmpty && isClearedSinceLook
                array.append((isNew ? "first \(tokenCount)" : Bool.random(using: &random) ? "A" : "B", tokenCount))
                tokenCount += 1
            }
            version += 1
            isRemoval = false
        }

        private mutating func clear() throws {
            array = []
            isClearedSinceLook = true
            version += 1
            isRemoval = false
            if Bool.random(using: &random) { try look() }
            append(Int.random(in: 0...3, using: &random))
        }

        /// Does what a new process does: reads the numbering and the array.
        private mutating func look() throws {
            numbering = try DefaultsNumbering(SourceFile(path: "n", bytes: numbering.json))
            numbering.update(
                DefaultsNumberingTests.elements(array.map(\.name)),
                time: DefaultsNumberingTests.time,
                source: source
            )
            isClearedSinceLook = false
            let ids = numbering.elements(of: .events).map(\.id)
            #expect(ids.count == array.count && Set(ids).count == ids.count)
            for (id, element) in zip(ids, array) {
                #expect(tokens[id] == nil || tokens[id] == element.token, "an id names two elements")
                tokens[id] = element.token
                #expect(!acknowledged.contains(element.token), "sent again after it was acknowledged")
            }
        }

        private mutating func track() throws {
            try look()
            let ids = numbering.elements(of: .events).map(\.id)
            let limit = Int.random(in: 1...4, using: &random)
            for start in stride(from: 0, to: ids.count, by: limit) { lines.append(Array(ids[start...].prefix(limit))) }
        }

        /// Acknowledges any line that was ever printed, even one that was acknowledged before or is of an older
        /// generation.
        private mutating func acknowledge() throws {
            guard let line = lines.randomElement(using: &random) else { return }
            try look()
            var positions: Set<Int> = []
            for id in line {
                if case .element(.events, let position) = numbering.occurrence(id) { positions.insert(position) }
            }
            let removed = positions.map { array[$0].token }
            #expect(Set(removed).isSubset(of: line.compactMap { tokens[$0] }), "removed what was not acknowledged")
            guard !positions.isEmpty else { return }
            numbering.beginRemoval(of: [.events: positions], source: source, result: "rest \(version + 1)")
            // The process may end before the removal, after it, or not at all.
            let end = Int.random(in: 0..<6, using: &random)
            if end == 0 { return }
            array = array.enumerated().filter { !positions.contains($0.offset) }.map(\.element)
            version += 1
            isRemoval = true
            acknowledged.formUnion(removed)
            if end == 1 {
                // The next process sees that the removal was completed, and the remaining elements keep their ids.
                let before = Set(numbering.elements(of: .events).map(\.id))
                try look()
                #expect(before.isSuperset(of: numbering.elements(of: .events).map(\.id)))
                return
            }
            numbering.finishRemoval(of: [.events: positions])
        }
    }
}

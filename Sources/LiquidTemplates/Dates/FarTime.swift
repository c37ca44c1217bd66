// SPDX-License-Identifier: MIT

internal import BigInt
import DiagnosticSources

/// A time whose seconds since 1970 do not fit into 64 bits.
///
/// The calendar repeats every 400 years, so the time is stored as a time in the first cycle and the number of cycles to
/// add.
struct FarTime {
    /// The seconds in a cycle of 400 years, which has 146,097 days.
    static let secondsOfCycle = 12_622_780_800

    /// The maximum number of digits that are read; Ruby has no such limit, but takes time that grows with the square of
    /// their number.
    private static let digitLimit = 4_096

    let time: Time
    let cycles: BigInt

    /// Creates the time of a big integer, or of a string of digits, in seconds since 1970; nil for any other value.
    init?(_ value: Value, in zone: LocalZone) {
        guard let seconds = Self.seconds(value) else { return nil }
        cycles = seconds.flooredQuotient(dividingBy: BigInt(Self.secondsOfCycle))
        guard let rest = Int(exactly: seconds - cycles * BigInt(Self.secondsOfCycle)) else { return nil }
        time = zone.time(at: rest)
    }

    private static func seconds(_ value: Value) -> BigInt? {
        switch value {
        case .bigInteger(let integer): integer.value
        case .string(let text) where text.utf8.count <= digitLimit && text.utf8.allSatisfy(\.isDigit):
            BigInt(text)
        default: nil
        }
    }
}

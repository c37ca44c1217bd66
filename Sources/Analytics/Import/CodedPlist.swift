// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// A value of a property list as Foundation's coders read and write it.
///
/// `PropertyListSerialization` would take plain arrays and dictionaries, but linked statically on Linux it refuses every
/// array.
struct CodedPlist: Codable {
    let value: BinaryPlist

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    init(value: BinaryPlist) { self.value = value }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            value = .dictionary(
                try members.allKeys.map { ($0.stringValue, try members.decode(CodedPlist.self, forKey: $0).value) }
            )
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var array: [BinaryPlist] = []
            while !elements.isAtEnd { array.append(try elements.decode(CodedPlist.self).value) }
            value = .array(array)
            return
        }
        let single = try decoder.singleValueContainer()
        if let boolean = try? single.decode(Bool.self) {
            value = .boolean(boolean)
        } else if let integer = try? single.decode(Int.self) {
            value = .integer(integer)
        } else if let real = try? single.decode(Double.self) {
            value = .real(real)
        } else if let date = try? single.decode(Date.self) {
            value = .date(date.timeIntervalSinceReferenceDate)
        } else if let data = try? single.decode(Data.self) {
            value = .data([UInt8](data)[...])
        } else {
            value = .string(try single.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .dictionary(let members):
            var container = encoder.container(keyedBy: Key.self)
            for member in members { try container.encode(CodedPlist(value: member.value), forKey: Key(member.key)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(CodedPlist(value: element)) }
        default:
            var container = encoder.singleValueContainer()
            switch value {
            case .boolean(let boolean): try container.encode(boolean)
            case .integer(let integer): try container.encode(integer)
            case .real(let real): try container.encode(real)
            case .date(let seconds): try container.encode(Date(timeIntervalSinceReferenceDate: seconds))
            case .data(let data): try container.encode(Data(data))
            case .string(let string): try container.encode(string)
            // Nothing and references to objects of an archive stand in no preferences.
            case .null, .reference, .array, .dictionary:
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "no value of preferences")
                )
            }
        }
    }
}

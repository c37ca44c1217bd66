// SPDX-License-Identifier: MIT

import BigInt
import LiquidTemplates
import Testing

/// A filter call and its result, in the notation of the arguments of `filters(_:)`.
struct FilterCall: Sendable, CustomTestStringConvertible {
    var name: String
    var input: Value
    var arguments: [Value]
    var result: String

    init(_ name: String, _ input: Value, _ arguments: Value..., gives result: String) {
        self.name = name
        self.input = input
        self.arguments = arguments
        self.result = result
    }

    var testDescription: String {
        "\(input.notation) | \(name): \(arguments.map(\.notation).joined(separator: ", ")) is \(result)"
    }

    /// The notation of the result, or `error: ` and the words of the reference.
    func outcome(stringLimit: Int = 1 << 20) -> String {
        guard let filter = FilterDefinition.standard.first(where: { $0.name == name }) else { return "no filter" }
        var context = FilterContext(clock: Time(seconds: 0), timeZones: NoTimeZones(), stringLimit: stringLimit)
        do throws(LiquidError) {
            return try filter.call(on: [input] + arguments, &context).notation
        } catch {
            return "error: " + error.referenceText
        }
    }
}

extension Value {
    /// The value in Ruby's notation, in which a string is quoted.
    var notation: String { String(Value.array([self]).text.dropFirst().dropLast()) }

    static func members(_ members: KeyValuePairs<String, Value>) -> Value {
        .object(LiquidObject(members.map { (key: $0.key, value: $0.value) }))
    }

    /// An integer beyond 64 bits.
    static func big(_ digits: String) -> Value { BigInteger.value(BigInt(digits) ?? 0) }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .float(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: Value...) { self = .array(elements) }
    init(nilLiteral: ()) { self = .null }
}

extension FilterDefinition {
    /// Calls the function on an input with the arguments after it.
    func call(on values: [Value], _ context: inout FilterContext) throws(LiquidError) -> Value {
        // The library's closure passes on untyped errors only.
        let result: Result<Value, LiquidError> = values.withUnsafeBufferPointer { values in
            do throws(LiquidError) {
                guard let input = values.baseAddress else { return .success(.null) }
                let arguments = UnsafeBufferPointer(start: input + 1, count: values.count - 1)
                return .success(context.value(of: try FilterDefinition.call(function, input, arguments, &context)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

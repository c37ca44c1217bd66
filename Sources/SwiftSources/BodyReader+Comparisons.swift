// SPDX-License-Identifier: MIT

import AppDeclarations

/// Comparisons: with nil, with texts, with categories and actions.
extension BodyReader {
    func comparison(_ symbol: String, _ left: CodeExpression, _ right: CodeExpression, at offset: Int) -> AbstractValue
    {
        let isEqual = symbol == "==" || symbol == "===" || symbol == "~="
        let isUnequal = symbol == "!=" || symbol == "!=="
        for (value, other) in [(left, right), (right, left)] where isEqual || isUnequal {
            switch other.kind {
            case .null, .member(nil, "none"):
                let meaning = evaluate(value)
                var found = AbstractValue(type: .named("Bool", []))
                (found.absent, found.present) = (meaning.absent, meaning.present)
                found.isTested = meaning.isTested && meaning.absent.isEmpty
                return isEqual ? found.swapped : found
            case .boolean(let constant):
                var found = evaluate(value)
                found.reads = []
                return constant == isEqual ? found : found.swapped
            default: continue
            }
        }
        let first = evaluate(left, expecting: nil)
        let second = evaluate(right, expecting: first.type)
        if case .number(let number) = right.kind, let count = Int(number) {
            return length(first, symbol, count)
        }
        var found = compare(first, second, at: left.offset)
        guard isEqual || isUnequal else {
            found.absent = isObjectiveC ? found.absent : []
            return found
        }
        return isEqual ? found : found.swapped
    }

    /// The comparison of a length with a number; in Objective-C, the length of nil is 0.
    private func length(_ value: AbstractValue, _ symbol: String, _ number: Int) -> AbstractValue {
        var found = AbstractValue(type: .named("Bool", []))
        found.isTested = value.absent.isEmpty
        let holdsForZero: Bool? =
            switch symbol {
            case "==": number == 0
            case "!=": number != 0
            case "<": 0 < number
            case "<=": 0 <= number
            case ">": 0 > number
            case ">=": 0 >= number
            default: nil
            }
        // In Swift, nil is compared as such: `text?.count == 0` is false.
        let holds = isObjectiveC ? holdsForZero : symbol == "==" ? false : symbol == "!=" ? true : holdsForZero
        if holds == true { found.present = value.absent } else { found.absent = value.absent }
        if !isObjectiveC { found.isTested = true }
        return found
    }

    /// What is known about the condition that two values are equal.
    func compare(_ left: AbstractValue, _ right: AbstractValue, at offset: Int) -> AbstractValue {
        var found = AbstractValue(type: .named("Bool", []))
        found.absent = left.absent.union(right.absent)
        found.isTested = true
        for (value, other) in [(left, right), (right, left)] {
            let texts = (other.texts.isEmpty ? other.element.first?.texts ?? [] : other.texts).compactMap(\.literal)
            switch value.role {
            case .actionIdentifier:
                note(Set(texts.map { KeyText($0) }), as: .comparedAction, at: offset)
            case .categoryIdentifier:
                comparedCategories += texts.map { ($0, place(offset)) }
                let all = other.texts.isEmpty ? other.element.first?.texts ?? [] : other.texts
                if !texts.isEmpty, texts.count == all.count, !other.mayBeOther {
                    found.categories = CategorySet(Set(texts))
                }
            default:
                if !texts.isEmpty, !other.texts.isEmpty, !value.reads.isEmpty, !value.isNumber,
                    isObjectiveC || value.conversions.isEmpty
                {
                    note(value.reads) { $0.casts.insert(.string) }
                }
            }
        }
        return found
    }

    /// Whether an expression ends the process.
    func crashes(_ expression: CodeExpression) -> Bool {
        switch expression.kind {
        case .attempt(let inner, _), .forced(let inner): return crashes(inner)
        case .call(let callee, let arguments):
            switch callee.kind {
            case .name(let name):
                let isVariable = type.map { !names.properties(name, of: $0).isEmpty } ?? false
                if isVariable || local(name) != nil { return false }
                let own = (names.functionsByName[name] ?? []) + (type.map { names.methods(name, of: $0) } ?? [])
                if SystemTypes.crashing.contains(name) { return own.isEmpty || arguments.isEmpty && name == "abort" }
                return neverReturn(fitting(own, arguments))
            case .member(let base?, let name) where name.hasPrefix("raise"):
                return base.lastWordIs("NSException") || names.methodsByName[name] == nil && isException(base)
            case .member(let base?, let name):
                // A function of the system with its module before it, or a method of the target.
                guard case .name(let owner) = base.kind else { return false }
                if ["Swift", "Darwin", "Foundation"].contains(owner) { return SystemTypes.crashing.contains(name) }
                let type = owner == "self" ? self.type : names.type(named: owner, in: self.type)
                return neverReturn(type.map { names.methods(name, of: $0) } ?? [])
            case .closure(let closure):
                return closure.body.contains { if case .expression(let inner) = $0 { crashes(inner) } else { false } }
            default: return false
            }
        default: return false
        }
    }

    private func neverReturn(_ functions: [Int]) -> Bool {
        !functions.isEmpty && functions.allSatisfy { names.functions[$0].declaration.result?.name == "Never" }
    }

    private func isException(_ expression: CodeExpression) -> Bool {
        let meaning = evaluate(expression)
        if meaning.type?.unwrapped.name == "NSException" { return true }
        switch expression.kind {
        case .call(let callee, _): return isException(callee)
        case .member(let base?, _): return isException(base)
        case .name(let name): return name == "NSException"
        default: return false
        }
    }
}

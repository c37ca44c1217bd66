// SPDX-License-Identifier: MIT

import SourceText

extension Template {
    /// The compiled program as text, for tests.
    package var listing: String { program.listing }
}

extension Program {
    /// The program as text: a line for each instruction with its operands resolved and the bytes of the template that it
    /// comes from, then a line for each span, whose end is where rendering goes on after an error inside it.
    package var listing: String {
        var lines: [String] = []
        for index in 0..<instructions.count {
            let number = String(index)
            let place = range(of: index)
            let text = operands(of: instructions.base[index])
            lines.append(
                String(repeating: " ", count: max(0, 4 - number.utf8.count)) + number
                    + "  \(instructions.base[index].operation)" + (text.isEmpty ? "" : " " + text)
                    + "  @\(place.start)..<\(place.end)"
            )
        }
        for index in 0..<spans.count {
            let span = spans.base[index]
            let node = self.node(of: span)
            lines.append(
                "span \(span.start)..<\(span.end)  line \(node.line)" + (node.isBlank ? " blank" : "")
                    + " loops \(span.loops) captures \(span.captures) cases \(span.cases)"
                    + "  @\(node.range.start)..<\(node.range.end)"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func range(of instruction: Int) -> SourceRange { tree[parts[instruction]].range }

    private func operands(of instruction: Instruction) -> String {
        let a = Int(instruction.a)
        let b = Int(instruction.b)
        switch instruction.operation {
        case .text: return quoted(UnsafeBufferPointer(start: text.base + a, count: b))
        case .emitPath: return described(paths.base[a])
        case .pushPath: return described(paths.base[a]) + mayMiss(b)
        case .pushConstant: return described(constants.base[a])
        case .pushLoopField: return LoopField(rawValue: instruction.b).map { "\($0)" } ?? "?"
        case .step: return described(Steps(first: instruction.a, count: 1), steps) + mayMiss(b)
        case .index: return a == 1 ? "mayMiss" : ""
        case .makeObject: return keyLists[a].joined(separator: " ")
        case .copy, .drop: return "\(a)"
        case .filter, .filterAndEmit: return "\(environment.filters[a].name) \(b)"
        case .compare: return Comparison(rawValue: UInt32(a + 1)).map { "\($0)" } ?? "?"
        case .testBlank, .testEmpty: return a == 1 ? "negated" : ""
        case .fail: return errors[a].message
        case .jump, .jumpIfFalse, .jumpIfTrue, .passInterrupt, .caseSubject, .caseMatch, .caseElse: return "to \(a)"
        case .takeInterrupt: return "break to \(a) continue to \(b)"
        case .interrupt: return a == 1 ? "break" : "continue"
        case .assign, .captureEnd: return nameList[a].text
        case .counter: return "\(nameList[a].text) \(b)"
        case .loopBegin, .tableBegin: return described(loops[a]) + " or to \(b)"
        case .loopNext, .tableNext: return "to \(a)"
        case .cycle: return "\(b) or to \(a)"
        case .loadPartial: return ""
        case .partial: return described(partials[a])
        case .custom: return "\(customTags[a].name) \(customTags[a].count) or to \(b)"
        case .score: return "nodes \(a) work \(b)"
        case .emit, .emitTurn, .findVariable, .makeRange, .captureBegin, .captureChanged, .loopEnd, .tableEnd,
            .caseBegin, .caseReturn, .caseEnd, .partialValue, .end:
            return ""
        }
    }

    private func mayMiss(_ operand: Int) -> String { operand == 1 ? " mayMiss" : "" }

    private func quoted(_ bytes: Bytes) -> String { quoted(String(decoding: bytes, as: UTF8.self)) }

    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\"", "\\": quoted += "\\\(scalar)"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private func described(_ path: Path) -> String {
        nameList[Int(path.root)].text + described(path.steps, steps)
            + " from \(path.range.start)..<\(path.range.end)"
    }

    private func described(_ run: Steps, _ table: FixedTable<Step>) -> String {
        (0..<Int(run.count)).map { offset in
            let step = table.base[Int(run.first) + offset]
            let key = keys.base[Int(step.key)].text
            return switch step.kind {
            case .key: ".\(key)"
            case .size, .first, .last: ".\(key)?"
            case .element: "[\(step.index)]"
            case .attribute: "${\(key)}" + (step.spelled.count > 0 ? "(\(described(step.spelled, spellings)))" : "")
            }
        }.joined()
    }

    private func described(_ constant: Value) -> String {
        switch constant {
        case .drop(let drop): "\(type(of: drop))"
        case .range(let range): "\(range.lower)...\(range.upper)"
        case .string(let text): quoted(text)
        case .null: "nil"
        case .array, .object, .bool, .integer, .float, .bigInteger, .time: constant.text
        }
    }

    private func described(_ loop: LoopInfo) -> String {
        var words = [nameList[loop.variable].text]
        words.append("named '\(nameList[loop.resumeName].text)'")
        if let name = loop.loopName { words.append("as \(nameList[name].text)") }
        if loop.hasOffset { words.append("offset") }
        if loop.resumes { words.append("resumes") }
        if loop.hasLimit { words.append("limit") }
        if loop.hasColumns { words.append("columns") }
        if loop.isReversed { words.append("reversed") }
        return words.joined(separator: " ")
    }

    private func described(_ partial: PartialInfo) -> String {
        var words = ["\(partial.kind)"]
        if partial.isLoop { words.append("for") } else if partial.hasValue { words.append("with") }
        if let alias = partial.alias { words.append("as \(alias)") }
        words += partial.arguments.map { nameList[$0].text + ":" }
        return words.joined(separator: " ")
    }
}

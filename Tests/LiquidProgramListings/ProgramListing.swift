// SPDX-License-Identifier: MIT

import DiagnosticSources

// A release build cannot import more of a module than it exports, so the tests that use this are of debug builds.
#if DEBUG
    @testable package import LiquidTemplates

    extension Template {
        /// The compiled program as text.
        package var listing: String { program.listing }

        /// The text of the program that a ``Recorder`` runs.
        package var recordingListing: String {
            Compiler.program(of: program.parsed, recording: .branchesAndSpans).listing
        }
    }

    extension Program {
        /// The program as text: a line for each instruction, with its operands resolved and the bytes of the template
        /// that it comes from, then a line for each span, whose end is the instruction at which rendering continues
        /// after an error in it.
        fileprivate var listing: String {
            var lines: [String] = []
            for index in 0..<instructions.count {
                let number = String(index)
                let place = places[index]
                let text = operands(of: instructions[index])
                lines.append(
                    String(repeating: " ", count: max(0, 4 - number.utf8.count)) + number
                        + "  \(name(of: instructions[index]))" + (text.isEmpty ? "" : " " + text)
                        + "  @\(place.start)..<\(place.end)"
                )
            }
            for index in 0..<spans.count {
                let span = spans[index]
                lines.append(
                    "span \(span.start)..<\(span.end)  line \(span.line)" + (span.isBlank ? " blank" : "")
                        + " loops \(span.loops) captures \(span.captures) cases \(span.cases)"
                        + "  @\(span.node.start)..<\(span.node.end)"
                )
            }
            return lines.joined(separator: "\n") + "\n"
        }

        /// The name of the instruction's case.
        private func name(of instruction: Instruction) -> Substring { "\(instruction)".prefix { $0 != "(" } }

        private func operands(of instruction: Instruction) -> String {
            switch instruction {
            case .text(let start, let count):
                return quoted(String(decoding: text[Int(start)..<Int(start + count)], as: UTF8.self))
            case .emitPath(let path): return described(paths[Int(path)])
            case .pushPath(let path, let mayMiss): return described(paths[Int(path)]) + self.mayMiss(mayMiss)
            case .pushConstant(let constant): return described(constants[Int(constant)])
            case .pushLoopField(let field), .emitLoopField(let field): return "\(field)"
            case .step(let step, let to):
                return described(Steps(first: step, count: 1)) + mayMiss(steps[Int(step)].mayMiss) + " or to \(to)"
            case .index(let mayMiss, let to): return (mayMiss ? "mayMiss " : "") + "or to \(to)"
            case .makeObject(let keys): return lists.keyLists[Int(keys)].joined(separator: " ")
            case .drop(let count), .unbindArguments(let count): return "\(count)"
            case .filter(let filter, let count), .filterAndEmit(let filter, let count):
                return "\(environment.filters[Int(filter)].name) \(count)"
            case .apply(let call), .applyAndEmit(let call): return described(calls[Int(call)])
            case .applyToPath(let call), .applyToPathAndEmit(let call):
                let call = calls[Int(call)]
                return described(paths[Int(call.path)]) + mayMiss(call.mayMiss) + " | " + described(call)
            case .compare(let comparison): return "\(comparison)"
            case .testBlank(let isNegated), .testEmpty(let isNegated): return isNegated ? "negated" : ""
            case .fail(let error): return lists.errors[Int(error)].message
            case .jumpUnless(let test, let to), .jumpIf(let test, let to):
                return described(tests[Int(test)]) + " to \(to)"
            case .jump(let to), .jumpIfFalse(let to), .jumpIfTrue(let to), .passInterrupt(let to), .caseSubject(let to),
                .caseMatch(let to), .caseElse(let to), .loopNext(let to), .tableNext(let to):
                return "to \(to)"
            case .takeInterrupt(let breakTo, let continueTo): return "break to \(breakTo) continue to \(continueTo)"
            case .interrupt(let interrupt): return "\(interrupt)"
            case .assign(let name), .captureEnd(let name), .bindArgument(let name): return names[Int(name)].text
            case .counter(let name, let step): return "\(names[Int(name)].text) \(step)"
            case .loopBegin(let loop, let to), .tableBegin(let loop, let to):
                return described(loops[Int(loop)]) + " or to \(to)"
            case .cycle(let count, let to): return "\(count) or to \(to)"
            case .partial(let partial): return described(lists.partials[Int(partial)])
            case .custom(let tag, let to):
                return "\(lists.customTags[Int(tag)].name) \(lists.customTags[Int(tag)].count) or to \(to)"
            case .recordBranch(let branch): return "\(branch) \(lists.branches[Int(branch)].kind)"
            case .recordDefault(let branch, let count): return "\(branch) \(count)"
            case .recordSpan(let mayBePartial): return mayBePartial ? "mayBePartial" : ""
            case .score(let nodes, let work): return "nodes \(nodes) work \(work)"
            case .emit, .emitCycled, .findVariable, .makeRange, .copy, .captureBegin, .captureChanged, .loopEnd,
                .tableEnd, .caseBegin, .caseReturn, .caseEnd, .loadPartial, .partialValue, .emitPartial, .end:
                return ""
            }
        }

        private func mayMiss(_ mayMiss: Bool) -> String { mayMiss ? " mayMiss" : "" }

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
            names[Int(path.root)].text + described(path.steps)
                + " from \(path.range.start)..<\(path.range.end)"
        }

        private func described(_ run: Steps) -> String { described(run, in: steps[0..<steps.count]) }

        private func described(_ run: Steps, in table: some Collection<Step>) -> String {
            table.dropFirst(Int(run.first)).prefix(Int(run.count)).map { step in
                let key = keys[Int(step.key)].text
                return switch step.kind {
                case .key: ".\(key)"
                case .size, .first, .last: ".\(key)?"
                case .element: "[\(step.index)]"
                case .attribute:
                    "${\(key)}"
                        + (step.spelled.count > 0 ? "(\(described(step.spelled, in: lists.spellings)))" : "")
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

        private func described(_ call: FilterCall) -> String {
            let arguments = (call.constants..<call.constants + call.count).map { described(constants[Int($0)]) }
            return ([environment.filters[Int(call.filter)].name] + arguments).joined(separator: " ")
        }

        private func described(_ test: Test) -> String {
            let subject =
                switch test.subject {
                case .path(let path): described(paths[Int(path)])
                case .loopField(let field): "forloop.\(field)"
                }
            return switch test.relation {
            case .isTruthy: subject
            case .isBlank(let isNegated): subject + (isNegated ? " notEqual blank" : " equal blank")
            case .isEmpty(let isNegated): subject + (isNegated ? " notEqual empty" : " equal empty")
            case .compares(let comparison, let constant):
                subject + " \(comparison) \(described(constants[Int(constant)]))"
            }
        }

        private func described(_ loop: LoopInfo) -> String {
            var words = [names[loop.variable].text]
            words.append("named '\(names[loop.resumeName].text)'")
            if let name = loop.loopName { words.append("as \(names[name].text)") }
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
            words += partial.arguments.map { names[$0].text + ":" }
            return words.joined(separator: " ")
        }
    }
#endif

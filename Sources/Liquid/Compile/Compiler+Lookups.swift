// SPDX-License-Identifier: MIT

/// Code for variables and the paths into their values.
extension Compiler {
    /// The path of a lookup without computed steps; nil for any other lookup.
    mutating func staticPath(_ lookup: LookupSyntax) -> Int32? {
        let first = steps.count
        if let root = addSteps(of: lookup) { return path(root, from: first) }
        steps.truncate(to: first)
        return nil
    }

    /// Adds the steps of a lookup and returns the name that it starts from; nil if a step must be computed.
    private mutating func addSteps(of lookup: LookupSyntax) -> Int? {
        let root = lookup.rootPart
        let name: Int
        switch root.kind {
        case .variable:
            if loopField(of: lookup) != nil || isPartialsMember(root) { return nil }
            name = self.name(root)
        case .attribute: name = addAttribute(root)
        default: return nil
        }
        for segment in lookup.steps {
            switch segment.cursor.kind {
            case .index:
                guard segment.index.cursor.kind == .string else { return nil }
                steps.append(step(bytes(of: segment.index), .key))
            case .attributeKey: steps.append(attributeStep(segment.cursor.attribute))
            default: steps.append(step(bytes(of: segment)))
            }
        }
        return name
    }

    /// Adds the step for an attribute, and returns the name of the member that holds attributes.
    private mutating func addAttribute(_ root: SyntaxCursor) -> Int {
        steps.append(attributeStep(root.attribute))
        return names.number(of: Name(environment.attributesMember))
    }

    /// Whether a variable is the member of the dialect whose attributes are partials.
    @inline(__always)
    func isPartialsMember(_ part: SyntaxCursor) -> Bool {
        environment.partialsMember.map { $0.isSpelled(by: bytes(of: part)) } ?? false
    }

    /// The index of a path: a name and the steps after it, which are those from `first` on.
    private mutating func path(_ root: Int, from first: Int) -> Int32 {
        let steps = Program.Steps(first: Int32(first), count: Int32(steps.count - first))
        work += Int(steps.count) * Self.workOfInstruction
        paths.append(Program.Path(root: Int32(root), steps: steps, range: tree[part].range))
        return Int32(paths.count - 1)
    }

    private mutating func step(_ key: Bytes, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: key)))
    }

    /// A step `.name`; `size`, `first` and `last` also work on values without such a key.
    private mutating func step(_ key: Bytes) -> Program.Step {
        let kind: Program.Step.Kind =
            switch key.count {
            case 4 where ByteSearch.isSame(Bytes("size"), key, at: 0): .size
            case 4 where ByteSearch.isSame(Bytes("last"), key, at: 0): .last
            case 5 where ByteSearch.isSame(Bytes("first"), key, at: 0): .first
            default: .key
            }
        return step(key, kind)
    }

    /// The step of `${name}`: the attribute with exactly this name or, if there is none, the path that the name spells.
    private mutating func attributeStep(_ name: String) -> Program.Step {
        var step = Program.Step(kind: .attribute, key: Int32(keys.number(of: Name(name))))
        guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }) else { return step }
        let first = spellings.count
        for part in name.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            var text = String(part)
            var inner = text.withUTF8 { self.step($0) }
            if let index = Int(part) {
                inner.kind = .element
                inner.index = index
            }
            spellings.append(inner)
        }
        step.spelled = Program.Steps(first: Int32(first), count: Int32(spellings.count - first))
        work += (spellings.count - first) * Self.workOfInstruction
        return step
    }

    mutating func pushLookup(_ lookup: LookupSyntax) {
        if let path = staticPath(lookup) {
            emit(.pushPath(path, mayMiss: asksForExistence))
            return
        }
        let root = lookup.rootPart
        var steps = lookup.steps
        switch root.kind {
        case .variable:
            if let field = loopField(of: lookup) {
                emit(.pushLoopField(field))
                _ = steps.next()
            } else if isPartialsMember(root), let first = steps.first, first.cursor.kind == .attributeKey {
                pushConstant(.string(first.cursor.attribute))
                emit(.partialValue)
                _ = steps.next()
            } else {
                let path = path(name(root), from: self.steps.count)
                emit(.pushPath(path, mayMiss: asksForExistence))
            }
        case .attribute:
            let first = self.steps.count
            let path = path(addAttribute(root), from: first)
            emit(.pushPath(path, mayMiss: asksForExistence))
        case .computed:
            push(ExpressionSyntax(root.first))
            emit(.findVariable)
        case .root: push(ExpressionSyntax(root.first))
        default: pushConstant(.null)
        }
        pushSteps(steps)
    }

    /// Writes code that replaces the value on the stack by the value at the end of a path.
    mutating func pushSteps(_ steps: SyntaxSequence<LookupSyntax.Step>) {
        for segment in steps {
            switch segment.cursor.kind {
            case .index:
                push(segment.index)
                emit(.index(mayMiss: asksForExistence))
            case .attributeKey: emit(attributeStep(segment.cursor.attribute))
            default: emit(step(bytes(of: segment)))
            }
        }
    }

    private mutating func emit(_ step: Program.Step) {
        steps.append(step)
        emit(.step(Int32(steps.count - 1), mayMiss: asksForExistence))
    }

    /// The property of the innermost `for` that a lookup begins with; nil if it may mean anything else.
    @inline(__always)
    private func loopField(of lookup: LookupSyntax) -> LoopField? {
        guard knowsLoop.last == true, isSpelled("forloop", NameSyntax(lookup.rootPart)), let step = lookup.steps.first,
            step.cursor.kind == .key, let field = LoopField(step.text), field != .parentloop
        else { return nil }
        return field
    }
}

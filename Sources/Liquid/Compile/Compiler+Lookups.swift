// SPDX-License-Identifier: MIT

/// Variables and the paths behind them.
extension Compiler {
    /// The path of a lookup whose every step is known now; nil for any other.
    mutating func staticPath(_ lookup: Int) -> Int? {
        let first = steps.count
        if let root = addSteps(of: lookup) { return path(root, from: first) }
        steps.truncate(to: first)
        return nil
    }

    /// Adds the steps of a lookup and yields the name that they start from; nil where a step must be computed.
    private mutating func addSteps(of lookup: Int) -> Int? {
        let root = lookup + 1
        let name: Int
        switch tree[root].kind {
        case .variable:
            if loopField(lookup) != nil || isPartialsMember(root) { return nil }
            name = self.name(root)
        case .attribute: name = addAttribute(tree[root])
        default: return nil
        }
        var segment = root + 1
        let end = tree.endOfPart(lookup)
        while segment < end {
            switch tree[segment].kind {
            case .index:
                guard tree[segment + 1].kind == .string else { return nil }
                steps.append(step(bytes(of: segment + 1), .key))
            case .attributeKey: steps.append(attributeStep(source.attribute(tree[segment])))
            default: steps.append(step(bytes(of: segment)))
            }
            segment = tree.endOfPart(segment)
        }
        return name
    }

    /// Adds the step to an attribute, and yields the name that it starts from.
    private mutating func addAttribute(_ root: SyntaxTree.Part) -> Int {
        steps.append(attributeStep(source.attribute(root)))
        return names.number(of: Name(environment.attributesMember))
    }

    private func isPartialsMember(_ part: Int) -> Bool {
        environment.partialsMember.map { $0.isSpelled(by: bytes(of: part)) } ?? false
    }

    /// The path of a name and the steps behind it, which are those from `first` on.
    private mutating func path(_ root: Int, from first: Int) -> Int {
        let steps = Program.Steps(first: Int32(first), count: Int32(steps.count - first))
        work += Int(steps.count) * Self.workOfInstruction
        paths.append(Program.Path(root: Int32(root), steps: steps, range: tree[part].range))
        return paths.count - 1
    }

    private mutating func step(_ key: Bytes, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: key)))
    }

    /// `.name`, which for `size`, `first` and `last` also asks values that have no such key.
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

    /// `${name}`: the attribute of exactly that name, else the path that the name spells.
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

    mutating func pushLookup(_ lookup: Int) {
        let existence = asksForExistence ? 1 : 0
        if let path = staticPath(lookup) {
            emit(.pushPath, path, existence)
            return
        }
        let root = lookup + 1
        var steps = tree.endOfPart(root)
        switch tree[root].kind {
        case .variable:
            if let field = loopField(lookup) {
                emit(.pushLoopField, 0, Int(field.rawValue))
                steps += 1
            } else if isPartialsMember(root), steps < tree.endOfPart(lookup), tree[steps].kind == .attributeKey {
                emit(.pushConstant, constant(.string(source.attribute(tree[steps]))))
                emit(.partialValue)
                steps += 1
            } else {
                let path = path(name(root), from: self.steps.count)
                emit(.pushPath, path, existence)
            }
        case .attribute:
            let first = self.steps.count
            let path = path(addAttribute(tree[root]), from: first)
            emit(.pushPath, path, existence)
        case .computed:
            push(root + 1)
            emit(.findVariable)
        case .root: push(root + 1)
        default: emit(.pushConstant, constant(.null))
        }
        pushSteps(of: lookup, from: steps)
    }

    /// Writes code that replaces a value by what the steps of a path lead to, from one of them on.
    mutating func pushSteps(of lookup: Int, from first: Int) {
        var segment = first
        let end = tree.endOfPart(lookup)
        while segment < end {
            switch tree[segment].kind {
            case .index:
                push(segment + 1)
                emit(.index, asksForExistence ? 1 : 0)
            case .attributeKey: emit(attributeStep(source.attribute(tree[segment])))
            default: emit(step(bytes(of: segment)))
            }
            segment = tree.endOfPart(segment)
        }
    }

    private mutating func emit(_ step: Program.Step) {
        steps.append(step)
        emit(.step, steps.count - 1, asksForExistence ? 1 : 0)
    }

    /// The property of the innermost loop that a lookup begins with, where nothing else can be meant.
    private func loopField(_ lookup: Int) -> LoopField? {
        guard knowsLoop.last == true, isSpelled("forloop", lookup + 1), tree[lookup].size > 2,
            tree[lookup + 2].kind == .key, let field = LoopField(text(of: lookup + 2)), field != .parentloop
        else { return nil }
        return field
    }
}

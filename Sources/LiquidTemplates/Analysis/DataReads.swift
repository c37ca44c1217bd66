// SPDX-License-Identifier: MIT

/// The part of the data that a template may read.
public enum DataReads: Sendable, Hashable {
    /// Every part: the template reads names that are known only when it is rendered.
    case everything
    /// At most the values at these paths, with everything inside them.
    case paths(Set<VariablePath>)

    /// Adds the reads of another template.
    public mutating func formUnion(_ other: DataReads) {
        guard case .paths(var paths) = self, case .paths(let others) = other else {
            self = .everything
            return
        }
        // Releases the stored set first, so that it is changed in place and not copied.
        self = .everything
        paths.formUnion(others)
        self = .paths(paths)
    }
}

extension TemplateAnalysis {
    /// The part of the data that the template and its partials may read.
    ///
    /// - Parameter partial: the analysis of a partial that the template renders; nil if it is unknown, which makes
    ///   the result ``DataReads/everything``.
    /// - Returns: an upper bound of what is read.
    public func dataReads(partial: (PartialUse) -> TemplateAnalysis? = { _ in nil }) -> DataReads {
        var paths: Set<VariablePath> = []
        var seen: Set<PartialName> = []
        var pending = [self]
        while let analysis = pending.popLast() {
            if analysis.readsAnyVariable { return .everything }
            for read in analysis.reads where read.mayReadData {
                if read.path.root == .computed { return .everything }
                paths.insert(read.path)
            }
            for use in analysis.partials {
                guard let name = use.name else { return .everything }
                guard seen.insert(PartialName(kind: use.kind, name: .name(name))).inserted else { continue }
                guard let found = partial(use) else { return .everything }
                pending.append(found)
            }
        }
        return .paths(paths)
    }
}

private struct PartialName: Hashable {
    var kind: PartialUse.Kind
    var name: VariablePath.Root
}

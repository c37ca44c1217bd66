// SPDX-License-Identifier: MIT

/// The part of the data that a template may read.
public enum DataReads: Sendable, Hashable {
    /// Any part: names that are known only at rendering are read.
    case everything
    /// At most what these paths lead to, with all that is in it.
    case paths(Set<VariablePath>)

    /// Adds what another template reads.
    public mutating func formUnion(_ other: DataReads) {
        guard case .paths(var paths) = self, case .paths(let others) = other else {
            self = .everything
            return
        }
        // The set is not shared while it grows, so that it is not copied.
        self = .everything
        paths.formUnion(others)
        self = .paths(paths)
    }
}

extension TemplateAnalysis {
    /// The part of the data that the template and its partials may read.
    ///
    /// - Parameter partial: the analysis of a partial that the template names; nil where it is not known, which makes the
    ///   answer ``DataReads/everything``.
    /// - Returns: what may be read; more than is read where that is known only at rendering.
    public func dataReads(
        partial: (PartialUse) -> TemplateAnalysis? = { _ in nil }
    ) -> DataReads {
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

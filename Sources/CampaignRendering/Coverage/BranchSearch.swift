// SPDX-License-Identifier: MIT

public import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// A user that takes a certain branch, found from the branch's conditions and confirmed by rendering.
public struct BranchExample: Sendable {
    /// The index of the branch that was looked for.
    public let branch: Int

    /// The indices of all branches that the user takes.
    public let branches: [Int]

    /// The user in the short form, as JSON.
    public let profile: String

    /// The outcome of the user's message.
    public let outcome: Outcome

    /// Whether a template asked for the time.
    public let readsClock: Bool
}

/// Looks for users that take certain branches of a campaign.
///
/// Each condition compares what it reads with certain values, which give a few candidates. Combinations of candidates
/// are added to known users and rendered until one takes the branch; then all values that the branch does not need are
/// removed.
public struct BranchSearch: ~Copyable {
    /// A change of the data: a path and its new value, or nil to remove the value.
    struct Change {
        let path: VariablePath
        let value: Value?
    }

    /// The maximum number of messages that are rendered for one branch.
    private static let limit = 4_000

    /// The maximum work of all messages together, in the units of `Limits.work`.
    public static let workLimit = 120_000_000

    /// The units of work that a message takes in addition to the work of its templates.
    private static let messageWork = 600

    private let map: CoverageMap
    private var session: RenderSession
    private var bases: [RenderContext]

    /// Once ``bases`` has this many users, no more are added.
    private static let foundLimit = 32
    private var renderings = 0

    /// The work that is left now, and the least that has to be left after the current branch.
    private var (workLeft, workAfterBranch): (Int, Int)

    /// The maximum work for one branch, so that a few branches that nobody can take do not use up the work for the
    /// rest.
    private let branchWorkLimit: Int

    /// The requirements of the branches in the text that was looked at last.
    private var requirements: (firstBranch: Int, BranchRequirements)?

    /// Whether the search has used up its work; a user may then exist even for a branch for which none was found.
    public var isOver: Bool { workLeft <= 0 }

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - map: the branches of the renderer's campaign.
    ///   - renderer: renders the campaign.
    ///   - bases: users to start from, such as the users of tests; a user without data is always tried as well.
    ///   - work: the maximum work of all messages together, in the units of `Limits.work`.
    public init(
        _ map: CoverageMap, _ renderer: CampaignRenderer, bases: [RenderContext], work: Int = Self.workLimit
    ) {
        self.map = map
        (workLeft, workAfterBranch, branchWorkLimit) = (work, 0, work / 50)
        session = renderer.session(counting: map)
        self.bases = bases + [.empty]
    }

    /// Finds a user that takes a branch.
    ///
    /// - Parameters:
    ///   - branch: the index of the branch.
    ///   - isReduced: whether to remove the values that the branch does not need; otherwise the result is one of the
    ///     users to start from, with a few values changed.
    /// - Returns: the user; nil if none is found.
    public mutating func example(of branch: Int, isReduced: Bool = true) -> BranchExample? {
        guard !isOver else { return nil }
        renderings = 0
        workAfterBranch = max(workLeft - branchWorkLimit, 0)
        let requirements = requirements(of: branch)
        for base in bases {
            guard let found = search(branch, base, requirements[...], []) else { continue }
            // This user may pass a condition that ends other messages before they reach other branches.
            if bases.count < Self.foundLimit { bases.append(found) }
            return confirmed(branch, isReduced ? reduced(found, branch) : found)
        }
        return nil
    }

    private mutating func requirements(of branch: Int) -> [[BranchRequirements.Alternative]] {
        let text = map.text(ofBranch: branch)
        let known = requirements.flatMap { $0.firstBranch == text.firstBranch ? $0.1 : nil } ?? BranchRequirements(text)
        requirements = (text.firstBranch, known)
        return known.alternatives(forBranch: branch - text.firstBranch)
    }

    /// Tries all combinations of alternatives, in the order of the conditions; later changes replace earlier ones.
    private mutating func search(
        _ branch: Int,
        _ base: RenderContext,
        _ requirements: ArraySlice<[[Change]]>,
        _ changes: [Change]
    ) -> RenderContext? {
        guard let alternatives = requirements.first else {
            let context = base.applying(changes)
            return takes(branch, context) ? context : nil
        }
        for alternative in alternatives {
            if renderings >= Self.limit || workLeft <= workAfterBranch { return nil }
            if let found = search(branch, base, requirements.dropFirst(), changes + alternative) { return found }
        }
        return nil
    }

    private mutating func takes(_ branch: Int, _ context: RenderContext) -> Bool {
        renderings += 1
        _ = session.render(Profile(context: context))
        workLeft -= session.engine.work + Self.messageWork
        return session.coverageRecorder?.lastBranches.contains(branch) ?? false
    }

    /// The user without the values that the branch does not need; the kind of outcome stays the same.
    private mutating func reduced(_ context: RenderContext, _ branch: Int) -> RenderContext {
        var context = context
        let kind = Self.kind(of: session.render(Profile(context: context)))
        for (namespace, members) in context.namespaces {
            for key in members.keys {
                var builder = LiquidObject.Builder()
                for (other, value) in zip(context.members(of: namespace).keys, context.members(of: namespace).values)
                where !other.utf8.elementsEqual(key.utf8) { builder.set(other, value) }
                var smaller = context
                smaller.setMembers(LiquidObject(builder), of: namespace)
                guard takes(branch, smaller) else { continue }
                if Self.kind(of: session.render(Profile(context: smaller))) == kind { context = smaller }
            }
        }
        context.namespaces.removeAll { $0.members.count == 0 }
        return context
    }

    private static func kind(of outcome: Outcome) -> String {
        switch outcome {
        case .rendered: "rendered"
        case .aborted(let reason): "aborted \(reason)"
        case .failed(let error): "failed \(error.rule?.name ?? "")"
        }
    }

    private mutating func confirmed(_ branch: Int, _ context: RenderContext) -> BranchExample? {
        // The user is rendered from the JSON that is written, as JSON cannot express every value.
        var json = context.shortForm
        guard let profile = json.withUTF8({ try? Profile(json: $0) }) else { return nil }
        let outcome = session.render(profile)
        let branches = session.coverageRecorder?.lastBranches ?? []
        guard branches.contains(branch) else { return nil }
        return BranchExample(
            branch: branch,
            branches: branches,
            profile: json,
            outcome: outcome,
            readsClock: session.readsClock
        )
    }
}

extension RenderContext {
    /// The context with different values at some paths.
    fileprivate func applying(_ changes: [BranchSearch.Change]) -> RenderContext {
        var context = self
        for change in changes {
            let namespace: String
            var steps: [String] = []
            switch change.path.root {
            case .attribute(let name):
                namespace = BrazeEnvironment.attributesMember
                steps = [name]
            case .name(let name): namespace = name
            case .computed: continue
            }
            for segment in change.path.segments {
                switch segment {
                case .key(let key), .attribute(let key): steps.append(key)
                case .index(let index): steps.append(String(index))
                case .computed: break
                }
            }
            guard !steps.isEmpty else { continue }
            let members = context.members(of: namespace).setting(steps[...], to: change.value)
            context.setMembers(members, of: namespace)
        }
        return context
    }

    /// The context as the JSON of the short form.
    package var shortForm: String {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.key("user")
        Value.object(members(of: BrazeEnvironment.attributesMember).writingTimes()).write(json: &json)
        for namespace in BrazeNamespace.all where namespace.name != BrazeEnvironment.attributesMember {
            let members = members(of: namespace.name)
            guard members.count > 0 else { continue }
            json.key(namespace.contextKey)
            Value.object(members.writingTimes()).write(json: &json)
        }
        json.endObject()
        return json.buffer.string() + "\n"
    }
}

extension LiquidObject {
    /// The object with a different value at a path of keys; nil removes the value.
    fileprivate func setting(_ path: ArraySlice<String>, to value: Value?) -> LiquidObject {
        guard let key = path.first else { return self }
        var builder = Builder()
        var wasFound = false
        for (other, old) in zip(keys, values) {
            guard other.utf8.elementsEqual(key.utf8) else {
                builder.set(other, old)
                continue
            }
            wasFound = true
            if let new = Self.value(path.dropFirst(), in: old, to: value) { builder.set(other, new) }
        }
        if !wasFound, let new = Self.value(path.dropFirst(), in: nil, to: value) { builder.set(key, new) }
        return LiquidObject(builder)
    }

    private static func value(_ path: ArraySlice<String>, in old: Value?, to value: Value?) -> Value? {
        guard let key = path.first else { return value }
        if let index = Int(key) {
            guard let value else { return .array([]) }
            let inner = Self.value(path.dropFirst(), in: nil, to: value) ?? .null
            return .array((0...min(max(index, 0), 16)).map { $0 == index ? inner : .null })
        }
        if case .object(let object)? = old { return .object(object.setting(path, to: value)) }
        return value == nil ? old : .object(LiquidObject.empty.setting(path, to: value))
    }
}

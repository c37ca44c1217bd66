// SPDX-License-Identifier: MIT

public import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// A user that takes an arm, found from the arm's conditions and confirmed by rendering.
public struct ArmExample: Sendable {
    /// The arm that was sought.
    public let arm: Int

    /// The arms that the user takes.
    public let arms: [Int]

    /// The user in the short form, as JSON.
    public let profile: String

    /// What becomes of the message.
    public let outcome: Outcome

    /// Whether a template asked for the time.
    public let readsClock: Bool
}

/// Looks for users that take given arms of a campaign.
///
/// The values that a condition compares with give a few candidates for what it reads. Combinations of candidates are
/// laid over known users and rendered, until one takes the arm; then everything that is not needed for it is removed.
public struct ArmSearch: ~Copyable {
    /// A change of the data: a path, and its new value, nil for none.
    struct Change {
        let path: VariablePath
        let value: Value?
    }

    /// How many messages are rendered for one arm at most.
    private static let limit = 4_000

    /// The units of work of all messages that are rendered at most; see ``Limits/work``.
    public static let workLimit = 120_000_000

    /// The units of work of a message besides those that its templates count.
    private static let messageWork = 600

    private let map: CoverageMap
    private var session: RenderSession
    private var bases: [RenderContext]

    /// How many of the users that were found are used to begin with for other arms.
    private static let foundLimit = 32
    private var renderings = 0

    /// The work that is left, and how much of it has to be left after the current arm.
    private var (workLeft, workAfterArm): (Int, Int)

    /// The work for one arm, so that the others are tried as well where nobody can take a few of them.
    private let armWorkLimit: Int

    /// What the arms of the last text need.
    private var requirements: (firstArm: Int, ArmRequirements)?

    /// Whether the search has done as much work as it may: arms for which no user is found may have one.
    public var isOver: Bool { workLeft <= 0 }

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - map: the arms of the renderer's campaign.
    ///   - renderer: renders the campaign.
    ///   - bases: users to begin with, such as those of tests; a user without data is always tried as well.
    ///   - work: the units of work of all messages that are rendered at most.
    public init(
        _ map: CoverageMap, _ renderer: CampaignRenderer, bases: [RenderContext], work: Int = Self.workLimit
    ) {
        self.map = map
        (workLeft, workAfterArm, armWorkLimit) = (work, 0, work / 50)
        session = renderer.session(counting: map)
        self.bases = bases + [.empty]
    }

    /// A user that takes an arm; nil where none is found.
    ///
    /// - Parameters:
    ///   - arm: the index of the arm.
    ///   - isReduced: whether the values that the arm does not need are removed; else the user is one of those to begin
    ///     with, with a few other values.
    /// - Returns: the user.
    public mutating func example(of arm: Int, isReduced: Bool = true) -> ArmExample? {
        guard !isOver else { return nil }
        renderings = 0
        workAfterArm = max(workLeft - armWorkLimit, 0)
        let requirements = requirements(of: arm)
        for base in bases {
            guard let found = search(arm, base, requirements[...], []) else { continue }
            // It may pass a condition that ends the message before it comes to other arms.
            if bases.count < Self.foundLimit { bases.append(found) }
            return confirmed(arm, isReduced ? reduced(found, arm) : found)
        }
        return nil
    }

    private mutating func requirements(of arm: Int) -> [[ArmRequirements.Alternative]] {
        let text = map.text(ofArm: arm)
        let known = requirements.flatMap { $0.firstArm == text.firstArm ? $0.1 : nil } ?? ArmRequirements(text)
        requirements = (text.firstArm, known)
        return known.alternatives(forArm: arm - text.firstArm)
    }

    /// Tries all combinations of alternatives, in the order of the conditions; later changes replace earlier ones.
    private mutating func search(
        _ arm: Int,
        _ base: RenderContext,
        _ requirements: ArraySlice<[[Change]]>,
        _ changes: [Change]
    ) -> RenderContext? {
        guard let alternatives = requirements.first else {
            let context = base.applying(changes)
            return takes(arm, context) ? context : nil
        }
        for alternative in alternatives {
            if renderings >= Self.limit || workLeft <= workAfterArm { return nil }
            if let found = search(arm, base, requirements.dropFirst(), changes + alternative) { return found }
        }
        return nil
    }

    private mutating func takes(_ arm: Int, _ context: RenderContext) -> Bool {
        renderings += 1
        _ = session.render(Profile(context: context))
        workLeft -= session.engine.work + Self.messageWork
        return session.coverageRecorder?.lastArms.contains(arm) ?? false
    }

    /// The user without the values that the arm does not need; how the message ends stays the same.
    private mutating func reduced(_ context: RenderContext, _ arm: Int) -> RenderContext {
        var context = context
        let kind = Self.kind(of: session.render(Profile(context: context)))
        for (namespace, members) in context.namespaces {
            for key in members.keys {
                var builder = LiquidObject.Builder()
                for (other, value) in zip(context.members(of: namespace).keys, context.members(of: namespace).values)
                where !other.utf8.elementsEqual(key.utf8) { builder.set(other, value) }
                var smaller = context
                smaller.setMembers(LiquidObject(builder), of: namespace)
                guard takes(arm, smaller) else { continue }
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

    private mutating func confirmed(_ arm: Int, _ context: RenderContext) -> ArmExample? {
        // What is written is what is rendered: JSON has no times, for example.
        var json = context.shortForm
        guard let profile = json.withUTF8({ try? Profile(json: $0) }) else { return nil }
        let outcome = session.render(profile)
        let arms = session.coverageRecorder?.lastArms ?? []
        guard arms.contains(arm) else { return nil }
        return ArmExample(
            arm: arm,
            arms: arms,
            profile: json,
            outcome: outcome,
            readsClock: session.readsClock
        )
    }
}

extension RenderContext {
    /// The context with other values at some paths.
    fileprivate func applying(_ changes: [ArmSearch.Change]) -> RenderContext {
        var context = self
        for change in changes {
            let namespace: String
            var steps: [String] = []
            switch change.path.root {
            case .attribute(let name):
                namespace = BrazeEnvironment.attributesMember
                steps = [name]
            case .name(let name):
                guard BrazeNamespace.all.contains(where: { $0.name == name }) else { continue }
                namespace = name
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
    /// The object with another value at a path of keys; nil removes it.
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

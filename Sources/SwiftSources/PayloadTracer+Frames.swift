// SPDX-License-Identifier: MIT

/// The functions that are being run, and the names in their scopes.
extension PayloadTracer {
    /// A call of a function that is being run.
    final class Frame {
        let file: Int
        var owner: Int?
        var receiver: TracedValue?
        var generics: [String: CodeTypeName] = [:]
        let result: CodeTypeName?
        let isAccessor: Bool
        /// The number of calls from the function at which the run started to this one.
        let depth: Int
        let isClosure: Bool
        /// Whether it is run without a push and without its callers, such as the action of a button.
        var isAside = false
        /// Whether the function at which the run started ends with it, so that nothing is shown where it leaves.
        var isLast = false
        /// Whether that function ends with the current statement.
        var isAtEnd = false
        /// Whether it has passed a push to a function that returns nothing, and so has already done something with it.
        var hasPassedPush = false
        /// Whether it may have shown something where the current statement is reached.
        var mayHaveShown = false
        /// The function, or the one that contains the closure.
        let function: CodeFunction?
        var returned = TracedValue()
        var returnsNull = false
        var hasReturned = false
        /// Whether it returns a value other than nil outside of the branches of conditions.
        var returnsOtherwise = false
        /// The circumstances in which its body began to run.
        var begun: Circumstances?
        /// Whether it returns nil or nothing, at some place.
        var givesNothing = false
        /// Whether it returns what may hold a push at a place that only some of the pushes reach.
        var givesForSome = false
        /// Whether it returns such a value at a place that all of them reach, but those without a pair.
        var givesForAll = false
        /// The number of nested blocks that are being run.
        var bodyDepth = 0
        /// The reads that, if missing, make the function return a value other than nil.
        var otherReturns: [Int] = []
        var nullAbsence: [Int] = []
        var throwing: [Int] = []
        /// The reads that the conditions around the current statement have tested.
        var tested: [[Int]] = []
        var branchReturns: [Int] = []
        var loops = 0
        /// The pushes for which the statements that have been run may leave.
        var exits = Exits()
        /// The labels around the current statement, with the ``bodyDepth`` of the statements that have them.
        var labels: [CodeTarget: Int] = [:]
        /// Whether what it assigns to properties is assigned in all builds.
        var isOfAllBuilds: Bool { build == .all && !(function?.isConditional ?? false) }
        /// The builds that compile the current statement.
        var build = Build.all
        /// Whether ``returned`` is returned in some builds only.
        var returnsInBuild = false
        var catches = 0
        /// The fields that an initializer has set.
        var fields: [String: TracedValue]?

        init(
            file: Int,
            owner: Int?,
            receiver: TracedValue?,
            result: CodeTypeName?,
            isAccessor: Bool = false,
            depth: Int,
            isClosure: Bool = false,
            function: CodeFunction? = nil
        ) {
            self.file = file
            self.owner = owner
            self.receiver = receiver
            self.result = result
            self.isAccessor = isAccessor
            self.depth = depth
            self.isClosure = isClosure
            self.function = function
        }
    }

    /// Prepares the run of a function that returns nothing, or of a closure that is run once.
    ///
    /// - Parameters:
    ///   - frame: the function or closure.
    ///   - caller: the function that calls it.
    ///   - passesPush: whether it gets a push.
    func begin(_ frame: Frame, calledLastBy caller: Frame, passesPush: Bool) {
        frame.isLast = caller.isAtEnd && !caller.hasPassedPush && caller.loops == 0
        frame.isAtEnd = frame.isLast
        if passesPush { caller.hasPassedPush = true }
    }

    /// The builds of an app that compile a part of its code.
    enum Build {
        case all, some
        /// Those for other systems than iOS.
        case none
    }

    /// The names of a scope and their values.
    final class Scope {
        var names: [String: TracedValue] = [:]
        /// The variables that are declared without a value, and have none yet.
        private var unset: Set<String> = []
        /// The variables whose values are those of some builds only.
        private var namesOfBuilds: Set<String> = []
        let parent: Scope?

        init(_ parent: Scope? = nil) { self.parent = parent }

        func lookUp(_ name: String) -> TracedValue? {
            var scope: Scope? = self
            while let current = scope {
                if let value = current.names[name] { return value }
                scope = current.parent
            }
            return nil
        }

        /// Declares a variable without a value, of which only the type may be known.
        func declare(_ name: String, _ value: TracedValue) {
            names[name] = value
            unset.insert(name)
        }

        /// Sets the first value of a name that a statement of some builds declares.
        func bind(_ name: String, _ value: TracedValue, _ build: Build) {
            guard names[name] != nil else {
                names[name] = value
                if build != .all { namesOfBuilds.insert(name) }
                return
            }
            set(name, value, build) { _ in value }
        }

        /// Assigns a value to the innermost variable with a name; false if there is none.
        func assign(_ name: String, _ value: TracedValue, _ build: Build) -> Bool {
            var scope: Scope? = self
            while let current = scope {
                if let known = current.names[name] {
                    if current.unset.remove(name) != nil {
                        let isUnknown = value.forms.isEmpty && value.sites.isEmpty
                        current.names[name] = isUnknown ? known.joined(value) : value
                        if self !== current, known.type?.isOptional ?? false, value.mayHoldPush {
                            current.names[name]?.isConditional = true
                        }
                        if build != .all { current.namesOfBuilds.insert(name) }
                    } else {
                        // In the block that declares it, the value takes the place of the one before.
                        current.set(name, value, build) { self === current ? value : $0.either(value) }
                    }
                    if known.type != nil { current.names[name]?.type = known.type }
                    return true
                }
                scope = current.parent
            }
            return false
        }

        private func set(_ name: String, _ value: TracedValue, _ build: Build, _ next: (TracedValue) -> TracedValue) {
            guard let known = names[name], build != .none else { return }
            switch (namesOfBuilds.contains(name), build != .all) {
            case (false, false): names[name] = next(known)
            case (true, false):
                names[name] = value.besides(known)
                namesOfBuilds.remove(name)
            case (false, true): names[name] = known.besides(value)
            case (true, true): names[name] = known.either(value)
            }
        }

        /// The variables that are nil.
        var nullNames: [(scope: Scope, name: String)] {
            var found: [(scope: Scope, name: String)] = []
            var scope: Scope? = self
            while let current = scope {
                for (name, value) in current.names
                where value.isNull || current.unset.contains(name) && value.type?.isOptional ?? false {
                    found.append((current, name))
                }
                scope = current.parent
            }
            return found
        }

        /// Replaces the value of a name in the innermost scope that has it.
        func replace(_ name: String, _ value: TracedValue) {
            var scope: Scope? = self
            while let current = scope {
                if current.names[name] != nil {
                    current.names[name] = value
                    return
                }
                scope = current.parent
            }
        }
    }

    /// A closure or local function with the scope that it captures.
    struct Captured {
        /// The declaration in the code, of which there is a value for each run of the function that contains it.
        var declaration: ObjectIdentifier
        var parameters: [CodeParameter]
        var body: [CodeStatement]
        var result: CodeTypeName?
        var isFunction: Bool
        var scope: Scope
        var frame: Frame
        var circumstances: Circumstances
        /// Whether the body gets to a push, by its names or by what it captures.
        var isFollowed = true
    }

    /// A closure in one run of the function that contains it.
    struct CaptureKey: Hashable {
        var closure: ObjectIdentifier
        var scope: ObjectIdentifier
    }
}

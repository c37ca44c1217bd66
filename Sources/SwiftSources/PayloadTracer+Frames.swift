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
        /// The function, or the one that contains the closure.
        let function: CodeFunction?
        var returned = TracedValue()
        var returnsNull = false
        var hasReturned = false
        /// Whether it returns a value other than nil outside of the branches of conditions.
        var returnsOtherwise = false
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

    /// The names of a scope and their values.
    final class Scope {
        var names: [String: TracedValue] = [:]
        /// The variables that are declared without a value, and have none yet.
        private var unset: Set<String> = []
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

        func assign(_ name: String, _ value: TracedValue) -> Bool {
            var scope: Scope? = self
            while let current = scope {
                if let known = current.names[name] {
                    var next = current.unset.remove(name) == nil ? known.either(value) : known.joined(value)
                    if known.type != nil { next.type = known.type }
                    current.names[name] = next
                    return true
                }
                scope = current.parent
            }
            return false
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

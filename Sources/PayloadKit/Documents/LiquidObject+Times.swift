// SPDX-License-Identifier: MIT

import BrazeLiquid
package import Liquid

extension LiquidObject {
    /// The object with every `{"$time": "2026-11-20T09:00:00Z"}` in it turned into a time.
    ///
    /// A text that is no time stays the object that it is.
    package func resolvingTimes() -> LiquidObject {
        LiquidObject(zip(keys, values).map { (key: $0, value: $1.resolvingTimes()) })
    }
}

extension Value {
    /// The value with every `{"$time": …}` in it turned into a time.
    package func resolvingTimes() -> Value {
        switch self {
        case .object(let object):
            if object.count == 1, case .string(let text)? = object["$time"], let time = Time(attribute: text) {
                return .time(time)
            }
            return .object(object.resolvingTimes())
        case .array(let elements): return .array(elements.map { $0.resolvingTimes() })
        default: return self
        }
    }
}

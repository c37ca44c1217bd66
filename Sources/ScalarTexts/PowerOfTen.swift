// SPDX-License-Identifier: MIT

/// Ten to a non-negative power; a `Double` holds the result exactly up to 22, an `Int` up to 18.
@inlinable
package func powerOfTen<Number: Numeric>(_ exponent: Int) -> Number {
    var power: Number = 1
    for _ in 0..<exponent { power *= 10 }
    return power
}

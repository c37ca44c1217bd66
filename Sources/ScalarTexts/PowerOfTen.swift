// SPDX-License-Identifier: MIT

/// Ten to a power from 0 on, which a double holds exactly up to 22, and an `Int` up to 18.
@inlinable
package func powerOfTen<Number: Numeric>(_ exponent: Int) -> Number {
    var power: Number = 1
    for _ in 0..<exponent { power *= 10 }
    return power
}

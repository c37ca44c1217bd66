// SPDX-License-Identifier: MIT

/// A number with its noun, such as `1 record` or `2 records`.
///
/// - Parameters:
///   - count: the number.
///   - noun: the noun for one.
///   - plural: the noun for any other number; `noun` with an `s` by default.
/// - Returns: the number and the noun.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 " + noun : "\(count) " + (plural ?? noun + "s")
}

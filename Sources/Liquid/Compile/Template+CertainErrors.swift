// SPDX-License-Identifier: MIT

extension Template {
    /// What fails wherever rendering comes there, whatever the data: operators that Liquid does not know, and filters with too
    /// many or too few arguments.
    public var certainErrors: [LiquidError] { program.errors }
}

// SPDX-License-Identifier: MIT

// These modules declare types that this module's API uses, such as values and the contexts of users. Clients see them
// with `import InAppMessages` alone.
@_exported public import BrazeLiquid
@_exported public import LiquidTemplates

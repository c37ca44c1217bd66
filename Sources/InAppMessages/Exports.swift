// SPDX-License-Identifier: MIT

// With `import InAppMessages` alone, clients see all types of this module's API, including values and the contexts of
// users.
@_exported public import BrazeLiquid
@_exported public import LiquidTemplates

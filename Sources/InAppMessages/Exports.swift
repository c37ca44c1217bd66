// SPDX-License-Identifier: MIT

// These modules have types of this module's API, such as values and the contexts of users. Clients see them with
// `import InAppMessages` alone.
@_exported public import BrazeLiquid
@_exported public import LiquidTemplates

// SPDX-License-Identifier: MIT

// `import InAppMessages` is enough to read all that the API of this module shows: values, and the contexts of users.
@_exported public import BrazeLiquid
@_exported public import LiquidTemplates

// SPDX-License-Identifier: MIT

// Test data is in a module of its own, because programs that are not tests use it too, and it needs no test library.
@_exported public import PayloadgenTestData

// SPDX-License-Identifier: MIT

// Data for tests that needs no test library is a target of its own, for programs that are not tests.
@_exported public import PayloadgenTestData

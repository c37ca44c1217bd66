// SPDX-License-Identifier: MIT

internal import FlyingFox

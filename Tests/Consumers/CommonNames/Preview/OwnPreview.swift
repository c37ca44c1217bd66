// SPDX-License-Identifier: MIT

/// Belongs to a module of the consumer.
public enum OwnPreview {}

// SPDX-License-Identifier: MIT

/// The user whom a record is about, identified as in Braze's `/users/track`.
public enum UserIdentifier: Sendable, Hashable {
    /// Braze's own id, which a push can carry in a key-value pair: `{{${braze_id}}}`.
    case brazeID(String)
    /// The id that the app gave to the user.
    case externalID(String)
    /// An alias of the user.
    ///
    /// Braze ignores data that is sent for an alias that it does not know.
    case alias(name: String, label: String)
}

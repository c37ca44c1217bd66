// SPDX-License-Identifier: MIT

/// Who a record is about, as Braze's `/users/track` names a user.
public enum UserIdentifier: Sendable, Hashable {
    /// Braze's own id, which a push can carry in a key-value pair: `{{${braze_id}}}`.
    case brazeID(String)
    /// The id that the app gave the user.
    case externalID(String)
    /// An alias of the user.
    ///
    /// Braze ignores what is sent about an alias that it does not know.
    case alias(name: String, label: String)
}

// SPDX-License-Identifier: MIT

/// A target whose package has a campaign.
public enum Checked {}

// SPDX-License-Identifier: MIT

// Lets users render, and use all types in the API, with `import PayloadKit` alone.
@_exported public import CampaignRendering

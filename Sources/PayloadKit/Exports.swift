// SPDX-License-Identifier: MIT

// `import PayloadKit` is enough to render, and to read all that the API shows.
@_exported public import CampaignRendering

// SPDX-License-Identifier: MIT

import CampaignPreview
import DiagnosticSources
import LiquidTemplates

extension PageTemplate {
    /// The page as HTML.
    func page(_ model: PageModel) throws(CommandFailure) -> ByteBuffer {
        do throws(LiquidError) { return try html(model) } catch {
            throw CommandFailure(.internalError, "the page cannot be written: \(error.message)")
        }
    }
}

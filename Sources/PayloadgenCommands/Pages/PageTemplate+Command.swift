// SPDX-License-Identifier: MIT

import CampaignPreview
import DiagnosticSources
import LiquidTemplates

extension PageTemplate {
    /// Renders the page as HTML; a fault is an internal error of the command.
    func page(_ model: PageModel) throws(CommandFailure) -> ByteBuffer {
        do throws(LiquidError) { return try html(model) } catch {
            throw CommandFailure(.internalError, "the page cannot be written: \(error.message)")
        }
    }
}

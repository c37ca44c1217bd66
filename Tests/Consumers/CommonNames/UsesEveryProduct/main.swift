// SPDX-License-Identifier: MIT

import Analytics
import Archives
import BrazeLiquid
import Core
import Documents
import ExtensionAnalytics
import Files
import InAppMessages
import InAppScenarios
import JSON
import Linting
import Liquid
import LiquidTemplates
import PayloadKit
import PayloadLinting
import Preview
import Reporting
import Utilities

let own: [Any.Type] = [
    OwnAnalytics.self, OwnArchives.self, OwnCore.self, OwnDocuments.self, OwnFiles.self, OwnJSON.self, OwnLinting.self,
    OwnLiquid.self, OwnPreview.self, OwnReporting.self, OwnUtilities.self,
]
let products: [Any.Type] = [
    BrazeFilters.self, Campaign.self, InAppMessage.self, Linter.self, PendingRecord.self, ScenarioFile.self,
    Template.self,
]
for type in own + products { print(String(reflecting: type)) }

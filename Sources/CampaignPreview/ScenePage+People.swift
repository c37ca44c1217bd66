// SPDX-License-Identifier: MIT

import PayloadKit

/// The left column of the page: people, branches, and the values on which the message depends.
extension ScenePage {
    func addPeople(to model: inout PageModel) {
        model["people"] = scene.recipients.map(person)
        model["list_choice"] = listChoice
        model["pages"] = pages
        model["cover"] = cover
        model["branches"] = branches
        model["context"] = context
        model["has_people"] = scene.people.count > 0
        model["fetches_images"] = scene.settings.fetchesImages
        model["dock"] = dock
    }

    func person(_ recipient: Recipient) -> PageModel {
        let person = recipient.person
        return [
            "number": person.number, "name": person.name, "initials": person.initials, "detail": person.detail,
            "style": recipient.style, "word": recipient.word, "link": view.link { $0.person = person.number },
            "is_chosen": person.number == scene.selected.person.number,
        ]
    }

    private var pages: PageModel? {
        let limit = People.listLimit
        guard scene.people.count > limit, !isStatic, scene.settings.people == nil, scene.cover == nil else {
            return nil
        }
        let last = min(view.first + limit, scene.people.count)
        return [
            "text": "\(grouped(view.first + 1)) to \(grouped(last)) of \(grouped(scene.people.count)) profiles",
            "earlier": view.first > 0 ? view.link { $0.first = max(0, $0.first - limit) } : nil,
            "later": last < scene.people.count ? view.link { $0.first += limit } : nil,
        ]
    }

    private var context: PageModel {
        let isOwn = scene.selected.person.hasOwnTrigger
        let given = zip(scene.trigger.keys, scene.trigger.values).map { ($0, $1.shown) }
        var inputs = (given + scene.proposedTrigger.map { ($0, "") }).map { name, value in
            input(name, "trigger:" + name, value, canEdit: canEdit && !isOwn)
        }
        var now = input("Now", "now", scene.invalidNow ?? scene.now.iso8601Text, canEdit: canEdit)
        now["is_invalid"] = scene.invalidNow != nil
        inputs.append(now)
        return [
            "inputs": inputs, "owner": isOwn ? scene.selected.person.name : nil, "is_invalid": scene.invalidNow != nil,
        ]
    }

    private func input(_ label: String, _ name: String, _ value: String, canEdit: Bool) -> PageModel {
        ["label": label, "name": ExactText(name), "value": ExactText(value), "can_edit": canEdit, "is_invalid": false]
    }

    /// The values for the bar at the bottom of small screens.
    private var dock: PageModel {
        let selected = scene.selected
        let text =
            switch selected.status {
            case .aborted(let reason): "Aborted: " + reason
            case .failed: selected.firstError?.message ?? "No notification"
            case .sent, .faulty:
                ["title", "body"].compactMap { selected.payload?.text(of: $0) }.joined(separator: " · ")
            }
        return ["name": selected.person.name, "style": selected.style, "word": selected.word, "text": ExactText(text)]
    }
}

# SPDX-License-Identifier: MIT
"""The texts of templates/lab-progress.campaign.yml in plain Liquid: attributes are variables."""
AbortMessage = "\x00abort"
SESSIONS = "{{ custom_attribute.completed_session_count | default: 0 }}"
NEXT = "api_trigger_properties.next_session_name"
DATE = "api_trigger_properties.next_session_complete_date"
TEXTS = {
    "title": "Well done, {{ first_name | default: 'you' }}",
    "body": "{%- assign done = custom_attribute.completed_session_count | default: 0 | plus: 0 -%}"
    "{%- assign total = custom_attribute.total_session_count | default: 12 | plus: 0 -%}"
    "{%- assign left = total | minus: done -%}"
    "{%- if left < 1 -%}" + AbortMessage + "{%- endif -%}"
    "You finished {{ done }} of {{ total }} sessions."
    "{%- if " + NEXT + " != blank %} Next: {{ " + NEXT + " }}, until {{ " + DATE + " | date: '%B %-d' }}.{% endif %}"
    " See you in the LAB.",
    "completed_session_count": SESSIONS,
    "total_session_count": "{{ custom_attribute.total_session_count | default: 12 }}",
    "next_session_name": "{{ " + NEXT + " | default: 'Your choice' }}",
    "next_session_complete_date": "{{ " + DATE + " }}",
    "sessions": '{"done": ' + SESSIONS + ', "name": "{{ first_name | json_escape }}"}',
}
EXTRAS = ["completed_session_count", "total_session_count", "next_session_name", "next_session_complete_date"]


def context(profile, trigger):
    return {
        "first_name": profile.get("first_name") or "",
        "custom_attribute": profile.get("custom_attributes") or {},
        "api_trigger_properties": trigger,
    }


if __name__ == "__main__":
    import json

    print(json.dumps({"abort": AbortMessage, "texts": TEXTS, "extras": EXTRAS}))

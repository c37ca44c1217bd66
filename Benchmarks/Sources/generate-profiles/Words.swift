// SPDX-License-Identifier: MIT

/// What the profiles are made of: a people's language, names, cities, zone and sentences.
struct People {
    let language: String
    let country: String
    let zone: String
    let firstNames: [String]
    let lastNames: [String]
    let cities: [String]
    let sentences: [String]

    static let all = [
        People(
            language: "en",
            country: "US",
            zone: "America/New_York",
            firstNames: ["Olivia", "Noah", "Ava", "Liam", "Mia", "Ethan", "Sean \\\"Buddy\\\""],
            lastNames: ["Smith", "O'Neil", "Garcia", "Brown", "Lee", "Van der Berg"],
            cities: ["New York", "Chicago", "Austin", "Winston-Salem"],
            sentences: [
                "Asked for a reminder two days before every session.",
                "Likes workshops in the evening, never on a Monday.",
                "Path C:\\\\lab\\\\notes, see https://example.com/a?b=c&d=e for more.",
                "Finished the first half of the course within a week 🎉 and told three friends.",
            ]
        ),
        People(
            language: "pt",
            country: "BR",
            zone: "America/Sao_Paulo",
            firstNames: ["Ana", "João", "Conceição", "Luís", "Inês"],
            lastNames: ["Silva", "Araújo", "Gonçalves", "Sá"],
            cities: ["São Paulo", "Brasília", "Ribeirão Preto"],
            sentences: ["Prefere sessões à noite e não lê e-mails.", "Já concluiu três cursos 🚀 este ano."]
        ),
        People(
            language: "ja",
            country: "JP",
            zone: "Asia/Tokyo",
            firstNames: ["結衣", "蓮", "陽葵", "湊"],
            lastNames: ["佐藤", "鈴木", "高橋"],
            cities: ["東京", "大阪市", "札幌"],
            sentences: ["毎週土曜日の午前中に参加しています。", "セッションの録画を見たいです。よろしくお願いします。"]
        ),
        People(
            language: "ko",
            country: "KR",
            zone: "Asia/Seoul",
            firstNames: ["민준", "서연", "도윤"],
            lastNames: ["김", "이", "박"],
            cities: ["서울", "부산"],
            sentences: ["다음 수업은 언제 시작하나요?", "알림은 저녁에만 보내 주세요."]
        ),
        People(
            language: "de",
            country: "DE",
            zone: "Europe/Berlin",
            firstNames: ["Jürgen", "Zoë", "Mats", "Käthe"],
            lastNames: ["Müller", "Weiß", "Schröder"],
            cities: ["Köln", "München", "Görlitz"],
            sentences: ["Möchte nur über neue Übungen informiert werden.", "Größe der Gruppe: höchstens zwölf."]
        ),
    ]

    static let tags = ["lab", "vip", "beta", "trial", "newsletter", "referral", "sale-2026", "📚"]
    static let models = ["iPhone 15 Pro", "iPhone SE (3rd generation)", "iPad Air", "iPhone 13 mini", "iPhone 17"]
    static let events = ["session_opened", "session_done", "quiz_passed", "video_paused", "cart_viewed"]
}

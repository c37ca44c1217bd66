// SPDX-License-Identifier: MIT

/// The style of the page, for light and dark mode and any width from that of a phone.
extension BatchPage {
    /// Text has a contrast of at least 4.5 to its background, and drawings of at least 3.
    static let style: StaticString = """

        :root { color-scheme: light dark; --ink: #1b2230; --soft: #535d6e; --ground: #ffffff; --card: #f2f4f7;
          --line: #c5ccd6; --bar: #2f6fd0; --texts: #2f6fd0; --extras: #0d7a69; --details: #a05a00; --structure: #6b7484;
          --limit: #b3261e; --budget: #8a5a00; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e7ebf1; --soft: #a9b3c2; --ground: #12161c; --card: #1d232c; --line: #3b4554; --bar: #7fadff;
            --texts: #7fadff; --extras: #4fc3ad; --details: #e2a75c; --structure: #8d97a6; --limit: #ff8a80;
            --budget: #f2bf66; }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
        h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
        h3 { font-size: 1rem; margin: 1.5rem 0 0; }
        p { margin: .25rem 0; color: var(--soft); }
        code { font: .9em ui-monospace, monospace; }
        .note { border-left: 4px solid var(--budget); padding-left: .75rem; color: var(--ink); }
        .totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .5rem;
          margin: .5rem 0; }
        .totals div { background: var(--card); border-radius: .5rem; padding: .5rem .75rem; }
        dt { color: var(--soft); font-size: .875rem; }
        dd { margin: 0; font-size: 1.125rem; font-weight: 600; font-variant-numeric: tabular-nums; }
        table { width: 100%; table-layout: fixed; border-collapse: collapse; margin: .5rem 0; font-size: .9375rem; }
        caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .25rem; }
        th, td { text-align: left; vertical-align: top; padding: .375rem .5rem; border-bottom: 1px solid var(--line);
          font-weight: 400; }
        thead th { color: var(--soft); font-size: .875rem; }
        th:first-child { padding-left: 0; }
        td:last-child, th:last-child { padding-right: 0; }
        thead th:last-child { width: 8.5rem; }
        article thead th:first-child { width: 30%; }
        article thead th:last-child { width: 4rem; }
        article tr > :last-child { text-align: right; }
        small { color: var(--soft); font-size: .875rem; }
        .number { font-variant-numeric: tabular-nums; overflow-wrap: normal; }
        .value { white-space: pre-wrap; }
        .unseen { border-left: 4px solid var(--limit); padding-left: .5rem !important; }
        .long { max-height: 12rem; overflow: auto; }
        .name { border-left: 4px solid; padding-left: .5rem !important; }
        summary { cursor: pointer; padding: .25rem 0; color: var(--soft); }
        summary:focus-visible, .long:focus-visible { outline: 3px solid var(--bar); outline-offset: 2px; border-radius: 2px; }
        svg { display: block; width: 100%; }
        svg text { fill: var(--ink); font-size: .8125rem; font-variant-numeric: tabular-nums; }
        .distribution { height: 234px; overflow: visible; }
        .bar, .part rect { fill: var(--bar); shape-rendering: crispEdges; }
        .axis { stroke: var(--soft); }
        .limit { stroke: var(--limit); stroke-width: 2; }
        .budget { stroke: var(--budget); stroke-dasharray: 6 3; }
        .part { height: 6px; background: var(--card); }
        .costs { height: 24px; background: var(--card); margin: .25rem 0; }
        .costs rect { stroke: var(--ground); stroke-width: .5; }
        rect.texts { fill: var(--texts); }
        rect.extras { fill: var(--extras); }
        rect.details { fill: var(--details); }
        rect.structure { fill: var(--structure); }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .5rem 0; padding: 0; list-style: none;
          font-size: .875rem; }
        .legend li { border-left: .875rem solid; padding-left: .375rem; line-height: 1.2; }
        li.texts, th.texts { border-left-color: var(--texts); }
        li.extras, th.extras { border-left-color: var(--extras); }
        li.details, th.details { border-left-color: var(--details); }
        li.structure, th.structure { border-left-color: var(--structure); }

        """
}

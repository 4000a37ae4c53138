package volsh.bench.report;

/** The style sheet, light and dark. The colours of runs are distinguishable with colour blindness. */
final class Sheet {
    static final String CSS = """
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b2430; --soft: #5b6777; --grid: #e3e7ec; --raised: #f4f6f9; --mark: #fff4d6;
              --c0: #2f6fde; --c1: #d9690f; --c2: #12805c; --c3: #b03a8c; --c4: #7a5c00; --c5: #5a5f6b; }
            @media (prefers-color-scheme: dark) {
              :root { --paper: #12171e; --ink: #e6ebf2; --soft: #9aa7b8; --grid: #2a333f; --raised: #1a212b; --mark: #3a3216;
                --c0: #6ea3ff; --c1: #ff9b52; --c2: #46c79b; --c3: #ee86cb; --c4: #d9b645; --c5: #aab3c0; } }
            * { box-sizing: border-box; }
            body { margin: 0 auto; max-width: 1000px; padding: 24px 20px 40px; background: var(--paper); color: var(--ink);
              font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
            h1 { font-size: 24px; margin: 0 0 8px; overflow-wrap: anywhere; }
            h2 { font-size: 17px; margin: 28px 0 6px; }
            code { font-family: ui-monospace, Consolas, monospace; font-size: 13px; overflow-wrap: anywhere; }
            .runs { list-style: none; margin: 0; padding: 0; color: var(--soft); }
            .runs b { color: var(--ink); font-weight: 600; }
            .key { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 8px; background: currentColor; }
            .verdict { margin: 18px 0 6px; padding: 10px 16px 12px; border-left: 4px solid var(--c0); background: var(--raised); border-radius: 0 6px 6px 0; }
            .verdict h2 { margin: 0 0 4px; }
            .verdict p { margin: 4px 0; }
            figure { margin: 10px 0 18px; }
            figcaption { color: var(--soft); font-size: 13px; margin-bottom: 4px; }
            svg { display: block; width: 100%; height: auto; }
            svg text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: var(--ink); }
            svg .label { text-anchor: end; }
            svg .tick { text-anchor: middle; fill: var(--soft); }
            svg .value.in { text-anchor: end; fill: var(--paper); }
            svg .grid { stroke: var(--grid); }
            .s0 { --s: var(--c0); } .s1 { --s: var(--c1); } .s2 { --s: var(--c2); } .s3 { --s: var(--c3); } .s4 { --s: var(--c4); } .s5 { --s: var(--c5); }
            .k0 { color: var(--c0); } .k1 { color: var(--c1); } .k2 { color: var(--c2); } .k3 { color: var(--c3); } .k4 { color: var(--c4); } .k5 { color: var(--c5); }
            svg rect, svg circle { fill: var(--s); }
            svg .thin { stroke: var(--s); stroke-width: 1.5; }
            svg .thick { stroke: var(--s); stroke-width: 5; stroke-linecap: round; }
            svg .ring { fill: var(--paper); stroke: var(--s); stroke-width: 2; }
            svg polyline { fill: none; stroke: var(--s); stroke-width: 2.5; stroke-linejoin: round; }
            .scroll { overflow-x: auto; }
            @media (max-width: 700px) { figure { overflow-x: auto; } svg { min-width: 720px; } body { padding: 16px 12px 32px; } }
            table { border-collapse: collapse; font-size: 13px; }
            th, td { padding: 4px 10px 4px 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--grid); font-variant-numeric: tabular-nums; }
            th { color: var(--soft); font-weight: 600; }
            tbody th, th.text, td.text { text-align: left; }
            tr.differs td { background: var(--mark); }
            footer { margin-top: 32px; color: var(--soft); font-size: 12px; }
            """;

    private Sheet() {}
}

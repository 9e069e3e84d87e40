// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What is the same on every schedule's page: its looks and its places.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

inline constexpr char html_looks[] = R"html(<style>
:root { --back: #ffffff; --panel: #f6f7f9; --lane: #f1f3f6; --line: #d5dae1; --text: #1d2430; --quiet: #667085; --accent: #1f5fbf;
  --bad: #d3202f; --bad-back: #fdecec; --good: #1b7f4b; --good-back: #e6f5ec; --on: #111827; --idle: #c3c9d2; }
:root[data-theme=dark] { --back: #12161c; --panel: #1a2028; --lane: #191f27; --line: #323b47; --text: #e4e8ee; --quiet: #93a0b2;
  --accent: #7fb2ff; --bad: #ff5c66; --bad-back: #3a1b20; --good: #5fd393; --good-back: #16301f; --on: #ffffff; --idle: #3a4452; }
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--back); color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; overflow: hidden; }
header { padding: 10px 16px 8px; border-bottom: 1px solid var(--line); }
.row { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; }
h1 { font-size: 17px; font-weight: 650; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0 0 6px; overflow-wrap: anywhere; }
h3 { font-size: 11px; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet); margin: 14px 0 4px; font-weight: 600; }
.chip { padding: 1px 10px; border-radius: 99px; font-weight: 600; font-size: 13px; color: var(--good); background: var(--good-back); }
.chip.bad { color: var(--bad); background: var(--bad-back); }
.quiet { color: var(--quiet); }
#refusal { margin: 8px 0 2px; padding: 8px 12px; border-left: 4px solid var(--bad); background: var(--bad-back); border-radius: 4px;
  overflow-wrap: anywhere; font-weight: 550; }
#tools { margin-top: 8px; }
input[type=search], select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: 6px; padding: 3px 9px; }
input[type=search] { width: 210px; }
button { cursor: pointer; }
button:hover, select:hover { border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#legend { margin-top: 8px; gap: 4px; max-height: 58px; overflow: auto; }
#legend button { padding: 0 8px 0 6px; font-size: 12.5px; border-color: transparent; background: none; display: flex; align-items: center;
  gap: 6px; }
#legend button[aria-pressed=true] { border-color: var(--accent); background: var(--panel); }
.dot { width: 11px; height: 11px; border-radius: 3px; display: inline-block; flex: none; }
main { flex: 1; display: flex; min-height: 0; }
#stage { flex: 1; position: relative; min-width: 0; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; touch-action: none; }
aside { width: 344px; border-left: 1px solid var(--line); background: var(--panel); padding: 14px 16px; overflow: auto; font-size: 13px; }
aside table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
aside td { padding: 1px 0; vertical-align: top; overflow-wrap: anywhere; }
aside td:first-child { color: var(--quiet); padding-right: 12px; white-space: nowrap; width: 1%; }
.sums td:first-child { width: auto; white-space: normal; }
.sums td:not(:first-child) { text-align: right; }
aside ul { margin: 0; padding: 0; list-style: none; }
aside li { padding: 2px 0; overflow-wrap: anywhere; }
a { color: var(--accent); cursor: pointer; text-decoration: none; }
a:hover { text-decoration: underline; }
.bad-text { color: var(--bad); font-weight: 600; }
footer { padding: 4px 16px; border-top: 1px solid var(--line); color: var(--quiet); font-size: 12px; }
@media (max-width: 760px) {
  main { flex-direction: column; }
  aside { width: auto; max-height: 42%; border-left: 0; border-top: 1px solid var(--line); }
  footer { display: none; }
}
</style>
</head>
<body>
<header>
<div class="row"><h1 id="title"></h1><span id="verdict" class="chip"></span><span id="facts" class="quiet"></span></div>
<p id="refusal" hidden></p>
<div class="row" id="tools">
<input type="search" id="find" placeholder="Find a task or a buffer" aria-label="Find a task or a buffer" spellcheck="false">
<span id="found" class="quiet" role="status"></span>
<label>Colour <select id="by"><option value="stem">operation</option><option value="layer">layer</option>
<option value="bytes">bytes</option></select></label>
<label title="Lines from tasks to those that wait for them"><input type="checkbox" id="edges" checked> waits</label>
<span><button id="less" title="Zoom out (-)">&minus;</button> <button id="more" title="Zoom in (+)">+</button>
<button id="whole" title="Whole schedule (0)">Whole</button></span>
<button id="theme" title="Light or dark">Dark</button>
</div>
<div class="row" id="legend"></div>
</header>
<main><div id="stage">
<canvas id="lanes" tabindex="0" role="img" aria-label="The schedule: a lane for each queue, a column for each level"></canvas>
</div><aside id="side" aria-live="polite"></aside></main>
<footer>A lane is a queue, a column a level: each task stands as early as its waits and its queue allow. Drag to move, wheel to zoom,
click to keep a task, arrow keys to walk, / to search.</footer>
<noscript>This page draws the schedule with a script that it contains; scripts are switched off.</noscript>
)html";

}  // namespace netra::inline v0::detail

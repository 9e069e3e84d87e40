// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The program on a schedule's page, first part: reads the data and knows where tasks stand.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

inline constexpr char html_drawing[] = R"html(<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const by_id = id => document.getElementById(id);
const make = (tag, text, kind) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (kind) e.className = kind;
  return e;
};
const number = n => n.toLocaleString('en-US');
const size = n => n < 10240 ? number(n) + ' B' : n < 10485760 ? number(Math.round(n / 1024)) + ' KiB'
                                                              : number(Math.round(n / 1048576)) + ' MiB';
const plural = (n, what) => number(n) + ' ' + what + (n === 1 ? '' : 's');

// ---- the data, task by task
const N = data.tasks.length / 7, tasks = [];
for (let i = 0, s = 0, w = 0, a = 0; i < N; ++i) {
  const [name, tile, queue, level, signals, waits, accesses] = data.tasks.slice(i * 7, i * 7 + 7);
  tasks.push({i, name, tile, queue, level, col: 0, bytes: 0, s, ns: signals, w, nw: waits, a, na: accesses});
  s += signals, w += 3 * waits, a += 5 * accesses;
}
const signallers = new Map();
for (const t of tasks)
  for (let k = t.s; k < t.s + t.ns; ++k) {
    if (!signallers.has(data.signals[k])) signallers.set(data.signals[k], []);
    signallers.get(data.signals[k]).push(t.i);
  }
const counts = new Map(data.held);  // initial values of counters
// what is the same for all layers and tiles: of o_proj[3] the part before the bracket, of 82:L0.gate_proj[t23] gate_proj
const names = data.names.map(([name, op]) => {
  const own = /^(.*)\[(\d+)\]$/.exec(name), other = /^(?:\d+:)?(?:L(\d+)\.)?(.*?)(?:\[t\d+\])?$/.exec(name);
  return own ? {name, op, stem: own[1], layer: +own[2]} : {name, op, stem: other[2] || name, layer: other[1] ? +other[1] : -1};
});
const title = t => names[t.name].name + (tiles_of[t.name] > 1 ? ' \u00b7 tile ' + t.tile : '');
const tiles_of = new Array(names.length).fill(0);
for (const t of tasks) ++tiles_of[t.name];
const waits_of = t => { const r = []; for (let k = t.w; k < t.w + 3 * t.nw; k += 3) r.push(data.waits.slice(k, k + 3)); return r; };
const accesses_of = t => {
  const r = [];
  for (let k = t.a; k < t.a + 5 * t.na; k += 5) {
    const [x, row, end_row, first, end] = data.accesses.slice(k, k + 5);
    r.push({buffer: x >> 1, write: x & 1, row, end_row, first, end});
  }
  return r;
};
for (const t of tasks)
  t.bytes = data.costs.length ? data.costs[4 * t.i] + data.costs[4 * t.i + 1] + data.costs[4 * t.i + 2]
                              : accesses_of(t).reduce((n, x) => n + (x.end_row - x.row) * (x.end - x.first), 0);
const before = t => {  // tasks whose signals it waits for
  const r = new Set();
  for (const [c, n] of waits_of(t)) for (let k = c; k < c + n; ++k) for (const p of signallers.get(k) || []) r.add(p);
  return [...r];
};
const after = t => {
  const mine = new Set(data.signals.slice(t.s, t.s + t.ns)), r = [];
  for (const u of tasks)
    for (let k = u.w; k < u.w + 3 * u.nw; k += 3) {
      const c = data.waits[k], n = data.waits[k + 1];
      let hit = false;
      for (const m of mine) hit = hit || (m >= c && m < c + n);
      if (hit) { r.push(u.i); break; }
    }
  return r;
};

// ---- columns: a level each; tasks that never run stand behind the last one, in the order of their queue
const lanes = Array.from({length: data.queues}, () => []);
for (const t of tasks) lanes[t.queue].push(t);
const never = tasks.filter(t => t.level < 0);
const first_never = data.levels;
const blocked = new Set();
for (const lane of lanes) {
  let k = 0;
  for (const t of lane) t.col = t.level < 0 ? first_never + k++ : t.level;
  const head = lane.find(t => t.level < 0);
  if (head) blocked.add(head.i);
}
const columns = tasks.reduce((n, t) => Math.max(n, t.col + 1), 1);
const layer_at = new Array(columns).fill(-1);
for (const t of tasks) if (names[t.name].layer >= 0 && layer_at[t.col] < 0) layer_at[t.col] = names[t.name].layer;

// ---- what is refused: pairs of tasks that the checker named, and what the blocked heads of queues wait for
const red = [], bad = new Set();
const mark = (from, to, wait) => {
  bad.add(from), bad.add(to);
  if (from !== to && !red.some(e => e[0] === from && e[1] === to)) red.push([from, to, wait]);
};
for (let k = 0; k < data.refused.length; k += 3) mark(data.refused[k], data.refused[k + 1], data.refused[k + 2]);
const named = new Set(bad);
const final_counts = new Map(counts);
for (const t of tasks)
  if (t.level >= 0)
    for (let k = t.s; k < t.s + t.ns; ++k) final_counts.set(data.signals[k], (final_counts.get(data.signals[k]) || 0) + 1);
const unmet = t => {  // [counter, threshold, what it reaches] of the waits that never end
  const r = [];
  for (const [c, n, threshold] of waits_of(t))
    for (let k = c; k < c + n; ++k) if ((final_counts.get(k) || 0) < threshold) r.push([k, threshold, final_counts.get(k) || 0]);
  return r;
};
if (!named.size)
  for (const i of blocked) {
    bad.add(i);
    for (const [c] of unmet(tasks[i])) for (const p of signallers.get(c) || []) if (tasks[p].level < 0 && red.length < 400) mark(p, i, 1);
  }

// ---- colours
const palette = ['#3f78c4', '#2f9e8f', '#b98a12', '#8c66c4', '#5f9e3a', '#cf6f1c', '#2f8fb8', '#a9784f', '#7d8aa0',
  '#5a5fd0', '#84901f', '#1f7a6b'];
const stems = [...new Set(names.map(n => n.stem))];
const layers = names.reduce((n, x) => Math.max(n, x.layer + 1), 0);
const most_bytes = tasks.reduce((n, t) => Math.max(n, t.bytes), 1);
const layer_colour = l => l < 0 ? '#7d8aa0' : `hsl(${45 + 240 * l / Math.max(1, layers - 1)} 58% 52%)`;
const bytes_colour = b => {
  const much = Math.sqrt(b / most_bytes);
  return `hsl(214 ${30 + 45 * much}% ${dark() ? 24 + 46 * much : 86 - 48 * much}%)`;
};
const stem_index = new Map(stems.map((s, i) => [s, i]));
const colour_of = t => mode === 'stem' ? palette[stem_index.get(names[t.name].stem) % palette.length]
                     : mode === 'layer' ? layer_colour(names[t.name].layer) : bytes_colour(t.bytes);
const dark = () => document.documentElement.dataset.theme === 'dark';
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- the view
let mode = 'stem', kept = -1, over = -1, zoom = 1, left = 0, top_ = 0, hits = null, chosen = new Set(), due = false;
const canvas = by_id('lanes'), g = canvas.getContext('2d');
const fonts = 'system-ui, "DejaVu Sans", sans-serif';
const gutter = 54, ruler = 40, pad = 12;  // of the lanes: left, above, and before the first column
const width = () => canvas.clientWidth - gutter, height = () => canvas.clientHeight - ruler;
const base_col = () => Math.min(150, (width() - 8 - pad) / columns), base_row = () => Math.max(1.2, Math.min(84, (height() - 8) / data.queues));
const col_w = () => Math.min(Math.max(170, base_col()), base_col() * zoom);
const row_h = () => Math.min(Math.max(44, base_row()), base_row() * zoom);
const x_of = c => gutter + pad + c * col_w() - left, y_of = q => ruler + q * row_h() - top_;
const clamp = (v, low, high) => Math.max(low, Math.min(high, v));
const settle = () => {
  left = clamp(left, 0, Math.max(0, columns * col_w() - width() + 8 + pad));
  top_ = clamp(top_, 0, Math.max(0, data.queues * row_h() - height() + 8));
};
const zoom_at = (factor, x, y) => {
  const c = (x - gutter - pad + left) / col_w(), q = (y - ruler + top_) / row_h();
  zoom = clamp(zoom * factor, 1, Math.max(1, 170 / base_col(), 44 / base_row()));
  left = c * col_w() - (x - gutter - pad), top_ = q * row_h() - (y - ruler);
  redraw();
};
const redraw = () => { if (!due) due = true, requestAnimationFrame(draw); };
const lit = t => (!hits || hits.has(t.i)) && (!chosen.size || chosen.has(names[t.name].stem));

const space = () => { const w = col_w(); return w > 20 ? Math.min(34, w * .22) : w > 5 ? 1 : w > 2.5 ? .5 : 0; };  // right of a task
const curve = (from, to) => {
  const a = tasks[from], b = tasks[to], w = col_w(), h = row_h();
  const x1 = x_of(a.col) + w - space(), y1 = y_of(a.queue) + h / 2, x2 = x_of(b.col) + 1, y2 = y_of(b.queue) + h / 2;
  g.beginPath();
  g.moveTo(x1, y1);
  if (x2 >= x1) {
    const bend = Math.max(8, (x2 - x1) / 2);
    g.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  } else {  // backwards: around, so that the arrow still enters from the left
    const lift = a.queue === b.queue ? h * .75 : 0, reach = Math.min(46, 10 + w / 3);
    g.bezierCurveTo(x1 + reach, y1 - lift, x2 - reach, y2 - lift, x2, y2);
  }
  g.stroke();
  return [x2, y2];
};
const arrow = (from, to, colour, thick) => {
  g.strokeStyle = g.fillStyle = colour, g.lineWidth = thick;
  const [x, y] = curve(from, to), r = 3 + thick * 1.6;
  g.beginPath(), g.moveTo(x, y), g.lineTo(x - r, y - r * .6), g.lineTo(x - r, y + r * .6), g.fill();
};
const unordered = (from, to) => {
  const a = tasks[from], b = tasks[to], x1 = x_of(a.col) + (col_w() - space()) / 2, y1 = y_of(a.queue) + row_h() / 2;
  const x2 = x_of(b.col) + (col_w() - space()) / 2, y2 = y_of(b.queue) + row_h() / 2;
  g.setLineDash([7, 5]), g.strokeStyle = style('--bad'), g.lineWidth = 2.5;
  g.beginPath(), g.moveTo(x1, y1), g.lineTo(x2, y2), g.stroke(), g.setLineDash([]);
  g.fillStyle = style('--bad');
  for (const [x, y] of [[x1, y1], [x2, y2]]) g.beginPath(), g.arc(x, y, 4, 0, 7), g.fill();
};
const place = (t, grow) => {
  const w = col_w(), h = row_h(), gap_x = w > 5 ? 1 : 0, gap_y = h > 12 ? Math.min(4, h / 9) : h > 5 ? 1 : 0;
  return [x_of(t.col) + gap_x - grow, y_of(t.queue) + gap_y - grow, w - gap_x - space() + 2 * grow, h - 2 * gap_y + 2 * grow];
};
const rounded = () => col_w() > 14 && row_h() > 12 && g.roundRect;
const box = (t, grow) => { g.beginPath(); if (rounded()) g.roundRect(...place(t, grow), 4); else g.rect(...place(t, grow)); };
)html";

}  // namespace netra::inline v0::detail

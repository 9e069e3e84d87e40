// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The program on a schedule's page, second part: lanes, tasks, edges and what the side says.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

inline constexpr char html_painting[] = R"html(
const lengths = new Map();  // of texts, in the font of the tasks' names
const long = text => {
  if (!lengths.has(text)) g.font = '600 12px ' + fonts, lengths.set(text, g.measureText(text).width);
  return lengths.get(text);
};
function draw() {
  due = false;
  settle();
  const ratio = window.devicePixelRatio || 1, W = canvas.clientWidth, H = canvas.clientHeight;
  if (canvas.width !== Math.round(W * ratio) || canvas.height !== Math.round(H * ratio))
    canvas.width = Math.round(W * ratio), canvas.height = Math.round(H * ratio);
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, W, H);
  const w = col_w(), h = row_h(), ink = style('--text'), quiet = style('--quiet'), badly = style('--bad');
  const low = Math.max(0, Math.floor((left - pad) / w)), high = Math.min(columns, Math.ceil((left + W - gutter) / w) + 1);
  const first = Math.max(0, Math.floor(top_ / h)), last = Math.min(data.queues, Math.ceil((top_ + H - ruler) / h) + 1);
  const bottom = Math.min(H, y_of(data.queues)), right = Math.min(W, x_of(columns));
  g.save();
  g.beginPath(), g.rect(gutter, ruler, W - gutter, H - ruler), g.clip();
  g.fillStyle = style('--lane');
  const gap = h > 8 ? 1 : 0;
  for (let q = first; q < last; ++q) if (gap || q % 2 === 0) g.fillRect(gutter, y_of(q) + gap, right - gutter, h - 2 * gap);
  if (never.length) {
    const x = x_of(first_never) - (data.levels ? Math.max(1, space() / 2) : 0);
    g.fillStyle = style('--bad-back'), g.fillRect(x, ruler, W - x, bottom - ruler);
    g.strokeStyle = badly, g.lineWidth = 1.5, g.setLineDash([4, 4]);
    g.beginPath(), g.moveTo(x, ruler), g.lineTo(x, bottom), g.stroke(), g.setLineDash([]);
  }
  const visible = [], round = rounded();
  for (let q = first; q < last; ++q) for (const t of lanes[q]) if (t.col >= low && t.col < high) visible.push(t);
  for (const t of visible) {
    g.globalAlpha = lit(t) ? t.level < 0 ? .45 : 1 : .13;
    g.fillStyle = colour_of(t);
    if (round) box(t, 0), g.fill(); else g.fillRect(...place(t, 0));
  }
  g.globalAlpha = 1;
  if (w > 34 && h > 13) {
    g.textBaseline = 'middle';
    for (const t of visible) {
      const two = h > 32, tile = tiles_of[t.name] > 1 ? String(t.tile) : '', n = names[t.name], room = w - space() - 10;
      const below = two && tile && long('tile ' + tile) <= room;
      const text = [n.name + (below || !tile ? '' : ' ' + tile), n.name, n.stem].find(s => long(s) <= room) || '';
      g.globalAlpha = lit(t) ? 1 : .3;
      g.fillStyle = mode === 'bytes' || t.level < 0 ? ink : '#fff';
      g.font = '600 12px ' + fonts;
      const y = y_of(t.queue) + h / 2;
      g.fillText(text, x_of(t.col) + 7, below ? y - 8 : y);
      g.font = '11px ' + fonts;
      if (below) g.fillText('tile ' + tile, x_of(t.col) + 7, y + 8);
    }
    g.globalAlpha = 1;
  }
  const focus = kept >= 0 ? kept : over;
  if (by_id('edges').checked && visible.length <= 260 && focus < 0 && !red.length) {
    g.globalAlpha = .38, g.strokeStyle = quiet, g.lineWidth = 1;
    let drawn = 0;
    for (const t of visible) for (const p of before(t)) if (drawn < 6000) ++drawn, curve(p, t.i);
    g.globalAlpha = 1;
  }
  if (focus >= 0) {
    const t = tasks[focus], from = before(t).slice(0, 1000), to = after(t).slice(0, 1000);
    g.lineWidth = 1.5;
    g.strokeStyle = quiet;
    for (const s of to) box(tasks[s], .5), g.stroke();
    g.strokeStyle = style('--accent');
    for (const p of from) box(tasks[p], .5), g.stroke();
    g.globalAlpha = clamp(12 / to.length, .15, .7);
    for (const s of to) arrow(focus, s, quiet, 1.2);
    g.globalAlpha = clamp(12 / from.length, .15, 1);
    for (const p of from) arrow(p, focus, style('--accent'), 1.6);
    g.globalAlpha = 1;
  }
  for (const i of bad) g.strokeStyle = badly, g.lineWidth = w > 8 ? 2.5 : 1.5, box(tasks[i], w > 8 ? 1 : 0), g.stroke();
  for (const [from, to, wait] of red) if (wait) arrow(from, to, badly, 2.2); else unordered(from, to);
  for (const i of new Set([over, kept])) if (i >= 0) g.strokeStyle = style('--on'), g.lineWidth = 2, box(tasks[i], 1), g.stroke();
  if (hits && hits.size < 400 && hits.size) {
    g.strokeStyle = style('--on'), g.lineWidth = 1.2;
    for (const i of hits) box(tasks[i], .5), g.stroke();
  }
  g.restore();
  draw_ruler(w, low, high, W, quiet, badly);
  g.font = '11px ' + fonts, g.textBaseline = 'middle', g.textAlign = 'right', g.fillStyle = quiet;
  const every = Math.ceil(14 / h);
  for (let q = first; q < last; ++q)
    if (q % every === 0 && y_of(q) + h / 2 > ruler + 5) g.fillText((data.queues > 99 ? 'q ' : 'queue ') + q, gutter - 7, y_of(q) + h / 2);
  g.textAlign = 'left';
}
function draw_ruler(w, low, high, W, quiet, badly) {
  g.save();
  g.beginPath(), g.rect(gutter, 0, W - gutter, ruler), g.clip();
  g.textBaseline = 'middle', g.font = '11px ' + fonts;
  for (let c = low; c < high;) {  // a band for each layer
    let end = c + 1;
    while (end < columns && layer_at[end] === layer_at[c]) ++end;
    if (layer_at[c] >= 0) {
      const x = Math.max(gutter, x_of(c)), wide = Math.min(W, x_of(end)) - x;
      g.globalAlpha = .3, g.fillStyle = layer_colour(layer_at[c]), g.fillRect(x, 3, wide - 1, 16), g.globalAlpha = 1;
      const text = wide > 54 ? 'layer ' + layer_at[c] : wide > 15 ? String(layer_at[c]) : '';
      g.fillStyle = style('--text'), g.fillText(text, x + 4, 11.5);
    }
    c = end;
  }
  g.fillStyle = quiet;
  let step = 1;
  for (let k = 0; step * w < 42; ++k) step *= k % 3 === 1 ? 2.5 : 2;
  for (let c = Math.floor(low / step) * step; c < Math.min(high, data.levels); c += step)
    g.fillRect(x_of(c), 33, 1, 6), g.fillText((c === 0 ? 'level ' : '') + c, x_of(c) + 4, 31);
  if (never.length) g.fillStyle = badly, g.font = '600 12px ' + fonts, g.fillText('never runs', x_of(first_never) + 2, 31);
  g.restore();
}

// ---- the side: a task, or the schedule
const line = (table, what, text) => { const r = table.insertRow(); r.insertCell().textContent = what; r.insertCell().textContent = text; };
const task_link = i => {
  const a = make('a', title(tasks[i]));
  a.tabIndex = 0;
  a.onclick = () => go(i);
  a.onkeydown = e => { if (e.key === 'Enter') go(i); };
  return a;
};
const task_list = (to, which) => {  // tiles of one group that follow each other are named together
  const sorted = [...which].sort((a, b) => a - b);
  let shown = 0;
  for (let k = 0; k < sorted.length; ++shown) {
    const at = n => tasks[sorted[n]];
    let end = k + 1;
    while (end < sorted.length && at(end).name === at(k).name && at(end).tile === at(end - 1).tile + 1) ++end;
    if (shown === 12) { to.append(', and ' + number(sorted.length - k) + ' more'); break; }
    if (shown) to.append(', ');
    to.append(task_link(sorted[k]));
    if (end - k > 1) to.append(' to ' + at(end - 1).tile);
    k = end;
  }
};
const counters_text = (c, n) => n === 1 ? 'c' + c : `c${c}..c${c + n - 1}`;
const list = (side, heading, items) => {
  if (!items.length) return;
  const ul = make('ul');
  ul.append(...items);
  side.append(make('h3', heading), ul);
};
function show_task(side, t) {
  side.append(make('h2', title(t)));
  const table = make('table'), n = names[t.name];
  if (n.op) line(table, 'Operation', n.op);
  if (n.layer >= 0) line(table, 'Layer', n.layer);
  line(table, 'Queue', t.queue);
  line(table, 'Level', t.level < 0 ? 'never runs' : t.level);
  if (data.costs.length) {
    const [weights, activations, caches, flops] = data.costs.slice(4 * t.i, 4 * t.i + 4);
    for (const [what, n] of [['Weights', weights], ['Activations', activations], ['Caches', caches]]) if (n) line(table, what, size(n));
    if (flops) line(table, 'Arithmetic', number(flops) + ' flop');
  } else line(table, 'Bytes', size(t.bytes));
  side.append(table);
  const never_met = new Map(unmet(t).map(([c, threshold, reached]) => [c, reached]));
  list(side, 'Waits for', waits_of(t).map(([c, count, threshold]) => {
    const li = make('li'), word = c >= data.words_from, which = new Set();
    for (let k = c; k < c + count; ++k) for (const p of signallers.get(k) || []) which.add(p);
    if (word) li.append('the words of '); else li.append(`${counters_text(c, count)} \u2265 ${threshold}: `);
    if (which.size) task_list(li, which); else li.append(make('span', 'no task signals this', 'bad-text'));
    let k = c;
    while (k < c + count && !never_met.has(k)) ++k;
    if (t.level < 0 && k < c + count) li.append(make('span', `, never met: c${k} stays at ${never_met.get(k)}`, 'bad-text'));
    return li;
  }));
  const touched = accesses_of(t).map(x => {
    const b = data.buffers[x.buffer], li = make('li'), a = make('a', b[0] || 'buffer ' + x.buffer);
    a.onclick = () => { by_id('find').value = b[0]; find(); };
    li.append(a, ` bytes ${number(x.first)} to ${number(x.end)}`);
    if (data.words_from >= 0 && b[1] === 'state') li.append(x.row ? ', this step' : x.end_row === 1 ? ', earlier steps' : ', all steps');
    else if (b[3] > 1) li.append(x.end_row - x.row === b[3] ? ' of each row' : ` of rows ${number(x.row)} to ${number(x.end_row)}`);
    li.append(make('span', ' ' + b[1], 'quiet'));
    return {write: x.write, li};
  });
  list(side, 'Reads', touched.filter(x => !x.write).map(x => x.li));
  list(side, 'Writes', touched.filter(x => x.write).map(x => x.li));
  const signals = data.signals.slice(t.s, t.s + t.ns).filter(c => data.words_from < 0 || c < data.words_from);
  if (signals.length) list(side, 'Adds 1 to', [make('li', signals.map(c => 'c' + c).join(', '))]);
  const next = after(t);
  if (next.length) { const li = make('li'); task_list(li, next); list(side, 'Awaited by', [li]); }
}
function show_schedule(side) {
  side.append(make('h2', 'Schedule'));
  const table = make('table'), groups = new Map();
  line(table, 'Tasks', number(N)), line(table, 'Queues', number(data.queues)), line(table, 'Levels', number(data.levels));
  line(table, 'Counters', number(data.counters)), line(table, 'Buffers', number(data.buffers.length));
  let bytes = 0, busiest = 0, work = new Array(data.queues).fill(0);
  for (const t of tasks) bytes += t.bytes, work[t.queue] += t.bytes;
  busiest = work.indexOf(Math.max(...work));
  line(table, 'Bytes', size(bytes));
  const excess = bytes ? 100 * work[busiest] * data.queues / bytes - 100 : 0;
  const uneven = `queue ${busiest} has ${excess.toFixed(1)} % more than the mean`;
  if (data.queues > 1) line(table, 'Balance', excess < .05 ? 'every queue has the same' : uneven);
  if (never.length) line(table, 'Never run', number(never.length));
  side.append(table);
  const listed = which => [...which].slice(0, 12).map(i => {
    const li = make('li');
    li.append(task_link(i), ` on queue ${tasks[i].queue}`);
    return li;
  });
  list(side, 'Named by the checker', listed(named));
  list(side, 'Blocked first', listed(blocked));
  for (const t of tasks) { const k = names[t.name].stem, n = groups.get(k) || [0, 0]; n[0] += 1, n[1] += t.bytes, groups.set(k, n); }
  side.append(make('h3', 'Operations'));
  const sums = make('table', undefined, 'sums');
  for (const [stem, [count, sum]] of [...groups].sort((a, b) => b[1][1] - a[1][1]).slice(0, 24)) {
    line(sums, stem, plural(count, 'task'));
    sums.rows[sums.rows.length - 1].insertCell().textContent = size(sum);
  }
  side.append(sums);
}
function show() {
  const side = by_id('side'), i = over >= 0 ? over : kept;
  side.replaceChildren();
  if (i >= 0) show_task(side, tasks[i]); else show_schedule(side);
  redraw();
}
function legend() {
  const to = by_id('legend');
  to.replaceChildren();
  const entry = (colour, text) => {
    const e = make('button'), dot = make('span', undefined, 'dot');
    dot.style.background = colour, e.append(dot, text);
    return e;
  };
  if (mode === 'stem')
    for (const s of stems.slice(0, 60)) {
      const e = entry(palette[stem_index.get(s) % palette.length], s);
      e.setAttribute('aria-pressed', chosen.has(s));
      e.onclick = () => { if (!chosen.delete(s)) chosen.add(s); legend(), redraw(); };
      to.append(e);
    }
  else {
    const steps = mode === 'layer' ? Math.min(layers, 12) : 5;
    for (let k = 0; k < steps; ++k) {
      const part = steps < 2 ? 0 : k / (steps - 1);
      const at = Math.round(mode === 'layer' ? (layers - 1) * part : most_bytes * part ** 2);
      const e = entry(mode === 'layer' ? layer_colour(at) : bytes_colour(at), mode === 'layer' ? 'layer ' + at : size(at));
      e.disabled = true, to.append(e);
    }
  }
}
)html";

}  // namespace netra::inline v0::detail

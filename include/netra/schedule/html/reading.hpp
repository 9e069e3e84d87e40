// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The program on a schedule's page, last part: what a reader does, and how the page starts.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

inline constexpr char html_reading[] = R"html(
// ---- what a reader does
function go(i) {
  kept = i, over = -1;
  const t = tasks[i], w = col_w(), h = row_h();
  if (x_of(t.col) < gutter || x_of(t.col) + w > canvas.clientWidth) left = (t.col + .5) * w - width() / 2;
  if (y_of(t.queue) < ruler || y_of(t.queue) + h > canvas.clientHeight) top_ = (t.queue + .5) * h - height() / 2;
  show();
}
function find(next) {
  const text = by_id('find').value.trim().toLowerCase();
  const old = hits;
  hits = text ? new Set() : null;
  if (text) {
    const buffers = new Set(data.buffers.flatMap((b, i) => b[0].toLowerCase() === text ? [i] : []));
    const exact = /^(.*?\S)\s+(?:tile\s+)?(\d+)$/.exec(text);
    for (const t of tasks) {
      const name = names[t.name].name.toLowerCase();
      if (name.includes(text) || (exact && name.includes(exact[1]) && t.tile === +exact[2]) ||
          (buffers.size && accesses_of(t).some(x => buffers.has(x.buffer)))) hits.add(t.i);
    }
    by_id('found').textContent = hits.size ? plural(hits.size, 'task') : 'none';
    const order = [...hits];
    if (next && order.length) { const at = order.indexOf(kept); return go(order[(at + 1) % order.length]); }
  } else by_id('found').textContent = '';
  show();
}
const task_at = (x, y) => {
  const c = Math.floor((x - gutter - pad + left) / col_w()), q = Math.floor((y - ruler + top_) / row_h());
  if (x < gutter || y < ruler || q < 0 || q >= data.queues) return -1;
  const lane = lanes[q];
  let a = 0, b = lane.length;
  while (a < b) { const m = (a + b) >> 1; if (lane[m].col < c) a = m + 1; else b = m; }
  return a < lane.length && lane[a].col === c ? lane[a].i : -1;
};
const held = new Map();
let moved = 0, apart = 0;
canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId), held.set(e.pointerId, [e.offsetX, e.offsetY]), moved = 0, apart = 0; };
canvas.onpointermove = e => {
  const x = e.offsetX, y = e.offsetY;
  if (held.has(e.pointerId)) {
    const [ox, oy] = held.get(e.pointerId);
    held.set(e.pointerId, [x, y]);
    if (held.size === 2) {
      const [[ax, ay], [bx, by]] = [...held.values()], now = Math.hypot(ax - bx, ay - by);
      if (apart) zoom_at(now / apart, (ax + bx) / 2, (ay + by) / 2);
      apart = now, moved = 99;
      return;
    }
    moved += Math.abs(x - ox) + Math.abs(y - oy);
    if (moved > 4) left -= x - ox, top_ -= y - oy, canvas.style.cursor = 'grabbing', redraw();
    return;
  }
  const i = task_at(x, y);
  canvas.style.cursor = i >= 0 ? 'pointer' : 'grab';
  if (i !== over) over = i, show();
};
canvas.onpointerup = canvas.onpointercancel = e => {
  held.delete(e.pointerId), canvas.style.cursor = 'grab';
  if (moved > 4 || e.type !== 'pointerup') return;
  const i = task_at(e.offsetX, e.offsetY);
  kept = i === kept ? -1 : i, show();
};
canvas.onpointerleave = () => { if (over >= 0) over = -1, show(); };
canvas.onwheel = e => {
  e.preventDefault();
  const unit = e.deltaMode === 1 ? 16 : 1;
  if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) left += (e.deltaX || e.deltaY) * unit, redraw();
  else zoom_at(Math.exp(-e.deltaY * unit / 400), e.offsetX, e.offsetY);
};
const middle = factor => zoom_at(factor, gutter + width() / 2, ruler + height() / 2);
const walk = (columns_on, queues_on) => {
  if (kept < 0) return go(over >= 0 ? over : 0);
  const t = tasks[kept];
  if (queues_on) {
    for (let q = t.queue + queues_on; q >= 0 && q < data.queues; q += queues_on)
      if (lanes[q].length) return go(lanes[q].reduce((a, b) => Math.abs(b.col - t.col) < Math.abs(a.col - t.col) ? b : a).i);
    return;
  }
  const next = lanes[t.queue][lanes[t.queue].indexOf(t) + columns_on];
  if (next) go(next.i);
};
const keys = {ArrowRight: () => walk(1, 0), ArrowLeft: () => walk(-1, 0), ArrowDown: () => walk(0, 1), ArrowUp: () => walk(0, -1),
  '+': () => middle(1.4), '=': () => middle(1.4), '-': () => middle(1 / 1.4), '0': () => { zoom = 1, redraw(); },
  Escape: () => { kept = -1, by_id('find').value = '', find(); }, '/': () => by_id('find').focus()};
document.onkeydown = e => {
  const typing = e.target.tagName === 'INPUT' && e.target.type === 'search' || e.target.tagName === 'SELECT';
  if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key] || (typing && e.key !== 'Escape')) return;
  e.preventDefault(), keys[e.key]();
};
by_id('find').oninput = () => find();
by_id('find').onkeydown = e => { if (e.key === 'Enter') find(true); };
by_id('by').onchange = e => { mode = e.target.value, chosen.clear(), legend(), redraw(); };
by_id('edges').onchange = redraw;
by_id('more').onclick = () => middle(1.4);
by_id('less').onclick = () => middle(1 / 1.4);
by_id('whole').onclick = () => { zoom = 1, redraw(); };
const set_theme = name => {
  document.documentElement.dataset.theme = name;
  by_id('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
  legend(), redraw();
};
by_id('theme').onclick = () => set_theme(dark() ? 'light' : 'dark');
new ResizeObserver(redraw).observe(canvas);

by_id('title').textContent = data.title;
by_id('verdict').textContent = data.reason === 'accepted' ? 'accepted' : 'refused: ' + data.reason.replaceAll('_', ' ');
by_id('verdict').classList.toggle('bad', data.reason !== 'accepted');
by_id('refusal').textContent = data.sentence;
by_id('refusal').hidden = data.reason === 'accepted';
by_id('facts').textContent = `${plural(N, 'task')} on ${plural(data.queues, 'queue')}, ${plural(data.levels, 'level')}` +
  (never.length ? `, ${number(never.length)} never run` : '');
// a link may say what to show: #find=o_proj&task=3&colour=layer&zoom=4&theme=dark
const wanted = new URLSearchParams(location.hash.slice(1));
set_theme(wanted.get('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
if (['layer', 'bytes'].includes(wanted.get('colour'))) by_id('by').value = mode = wanted.get('colour'), legend();
if (wanted.has('find')) by_id('find').value = wanted.get('find'), find();
if (+wanted.get('zoom') > 1) zoom_at(+wanted.get('zoom'), gutter, ruler);
if (wanted.has('task') && tasks[+wanted.get('task')]) go(+wanted.get('task')); else show();
</script>
</body>
</html>
)html";

}  // namespace netra::inline v0::detail

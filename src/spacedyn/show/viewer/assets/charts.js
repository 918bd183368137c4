"use strict";
// Curves beside the view, with a cursor at the present time; a click or a drag on them goes to a time.

const LINES = ["#5aa9ff", "#ff7a90", "#51d88a", "#f2c94c", "#6fe0ff", "#d38cff", "#b0b8c4"];
const AXIS_LINES = { x: "#ff7070", y: "#51d88a", z: "#5aa9ff" };
const LEFT = 46, RIGHT = 6, TOP = 6, BOTTOM = 16;

function steps(low, high, most) {
  const power = Math.pow(10, Math.floor(Math.log10((high - low) / most || 1)) - 1), marks = [];
  const count = (step) => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  const step = power * ([5, 10, 20, 25, 50, 100, 200].find((m) => count(m * power) <= most + 1) ?? 500);
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) marks.push(k * step);
  return marks;
}

function shown(x) {
  const a = Math.abs(x);
  if (a === 0) return "0";
  return a < 1e-3 || a >= 1e5 ? x.toExponential(1) : String(Number(x.toPrecision(4)));
}

class Chart {
  constructor(parent, panel, numbers, times, events, go) {
    Object.assign(this, { panel, times, events });
    this.series = panel.curves.map((run) => run && numbers.of(run));
    this.colors = panel.labels.map((label, i) =>
      panel.labels.length <= 3 && AXIS_LINES[label] ? AXIS_LINES[label] : LINES[i % LINES.length]);
    const box = document.createElement("div");
    box.className = "chart";
    box.innerHTML = "<h2><span></span><em></em></h2><div class=plot><canvas></canvas><div class=cursor></div></div>" +
      "<div class=legend></div>";
    box.querySelector("h2 span").textContent = panel.title;
    box.querySelector("h2 em").textContent = panel.unit;
    this.values = panel.labels.map((label, i) => {
      const line = document.createElement("span");
      line.innerHTML = "<i></i><u style='text-decoration:none;overflow:hidden;text-overflow:ellipsis'></u><b></b>";
      line.firstChild.style.background = this.colors[i];
      line.children[1].textContent = label;
      box.querySelector(".legend").append(line);
      return line.lastChild;
    });
    const widest = Math.max(...panel.labels.map((label) => label.length));
    box.style.setProperty("--least", Math.max(104, 62 + 6 * widest) + "px");
    this.plot = box.querySelector(".plot");
    this.canvas = box.querySelector("canvas");
    this.cursor = box.querySelector(".cursor");
    parent.append(box);
    const seek = (e) => {
      const r = this.plot.getBoundingClientRect();
      go(this.from + ((e.clientX - r.left - LEFT) / (r.width - LEFT - RIGHT)) * (this.to - this.from));
    };
    this.plot.addEventListener("pointerdown", (e) => { this.plot.setPointerCapture(e.pointerId); seek(e); });
    this.plot.addEventListener("pointermove", (e) => { if (e.buttons & 1) seek(e); });
    this.from = Math.min(...times.map((t) => t[0]));
    this.to = Math.max(...times.map((t) => t[t.length - 1]));
    this.range();
  }

  range() {
    let low = Infinity, high = -Infinity;
    for (const data of this.series) for (const x of data ?? []) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    if (!(low <= high)) [low, high] = [-1, 1];
    if (this.panel.ticks) [low, high] = [1, 3];
    const size = Math.max(Math.abs(low), Math.abs(high));
    const least = this.panel.least || (low === high ? 0.05 : 1e-12) * size || 0.5;  // marks of a constant differ, too
    if (high - low < 2 * least) [low, high] = [(low + high) / 2 - least, (low + high) / 2 + least];
    const room = 0.06 * (high - low);
    [this.low, this.high] = [low - room, high + room];
  }

  draw() {
    const { canvas, plot } = this, ratio = window.devicePixelRatio || 1, w = plot.clientWidth, h = plot.clientHeight;
    if (!w) return;
    [canvas.width, canvas.height] = [Math.round(w * ratio), Math.round(h * ratio)];
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    const px = (t) => LEFT + ((t - this.from) / (this.to - this.from || 1)) * (w - LEFT - RIGHT);
    const py = (v) => TOP + ((this.high - v) / (this.high - this.low)) * (h - TOP - BOTTOM);
    c.font = "10px system-ui, sans-serif";
    c.lineWidth = 1;
    c.fillStyle = "#8b95a7";
    c.textBaseline = "middle";
    c.textAlign = "right";
    const names = this.panel.ticks, marks = names ? Object.keys(names).map(Number) : steps(this.low, this.high, 4);
    for (const v of marks) {
      c.strokeStyle = Math.abs(v) < 1e-9 * (this.high - this.low) ? "#3a4558" : "#1f2733";
      c.beginPath();
      c.moveTo(LEFT, py(v));
      c.lineTo(w - RIGHT, py(v));
      c.stroke();
      c.fillText(names ? (names[v].length > 8 ? names[v].slice(0, 6) + "." : names[v]) : shown(v), LEFT - 5, py(v));
    }
    c.textBaseline = "alphabetic";
    c.textAlign = "center";
    for (const t of steps(this.from, this.to, 6)) c.fillText(shown(t), Math.min(px(t), w - 12), h - 3);
    c.strokeStyle = "#f2c94c90";
    c.setLineDash([2, 3]);
    for (const e of this.events.slice(0, 60)) {
      c.beginPath();
      c.moveTo(px(e.time), TOP);
      c.lineTo(px(e.time), h - BOTTOM);
      c.stroke();
    }
    c.lineJoin = "round";
    const n = this.panel.labels.length;
    for (let run = this.series.length - 1; run >= 0; run--) {
      const data = this.series[run], times = this.times[run];
      c.setLineDash(run ? [4, 3] : []);
      c.globalAlpha = run ? 0.55 : 1;
      for (let i = n - 1; data && i >= 0; i--) {
        c.strokeStyle = this.colors[i];
        c.lineWidth = run ? 1.1 : 1.5;
        c.beginPath();
        for (let k = 0; k < times.length; k++) c.lineTo(px(times[k]), py(data[k * n + i]));
        c.stroke();
      }
    }
    this.px = px;
  }

  mark(time, k, f) {
    if (!this.px) return;
    this.cursor.style.left = this.px(time).toFixed(1) + "px";
    const n = this.values.length, data = this.series[0];
    if (data) this.values.forEach((cell, i) => {
      const a = data[k * n + i], b = data[(k + 1) * n + i] ?? a;
      cell.textContent = this.panel.ticks?.[a] ?? shown(a + f * (b - a));
    });
  }
}

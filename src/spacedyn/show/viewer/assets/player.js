"use strict";
// The page: playing, choosing what is shown, keys.

const ICONS = {
  play: '<svg width="14" height="14" viewBox="0 0 14 14" fill="currentColor"><path d="M3 1l10 6-10 6z"/></svg>',
  pause: '<svg width="14" height="14" viewBox="0 0 14 14" fill="currentColor"><path d="M2 1h4v12H2zM8 1h4v12H8z"/></svg>',
  charts: '<svg width="16" height="14" viewBox="0 0 16 14" fill="none" stroke="currentColor" stroke-width="1.6">' +
    '<path d="M1 1v12h14M3 10l4-5 3 3 4-6"/></svg>',
};
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128];

const HELP = [["drag", "turn"], ["shift + drag, right button, two fingers", "shift"], ["wheel, pinch, + −", "zoom"],
  ["space", "play, pause"], ["← →", "a little back or ahead; with shift, more"], ["home, end", "first, last"], ["[ ]", "slower, faster"],
  ["t, f, m, F, R", "trails, frames, momentum, forces, reaction"], ["p", "plots"], ["r", "camera as it was"], ["click on a plot", "go to that time"],
  ["?", "this list"]];

class Player {
  constructor(header, numbers) {
    const $ = (name) => document.querySelector(name);
    Object.assign(this, { header, $, playing: false, speed: header.speed });
    $("h1").textContent = header.title;
    $(".subtitle").textContent = header.subtitle;
    $(".verdict").textContent = header.verdict;
    $(".verdict").classList.toggle("bad", header.bad);
    this.choice = { ...header.choice };
    this.renderer = new Renderer($(".view"));
    this.scene = new Scene(this.renderer, header, numbers);
    const times = this.scene.actors.map((a) => a.time);
    this.from = Math.min(...times.map((t) => t[0]));
    this.to = Math.max(...times.map((t) => t[t.length - 1]));
    this.orbit = new Orbit($(".view"), header.up, 3.2 * this.scene.size, () => this.refresh());
    const runs = header.chart_actors.map((i) => times[i]);
    this.charts = header.panels.map((p) => new Chart($(".charts"), p, numbers, runs, header.events, (t) => this.seek(t)));
    this.moving = this.to > this.from;
    this.build();
    this.layout();
    new ResizeObserver(() => this.layout()).observe($(".stage"));
    new ResizeObserver(() => this.layout()).observe($(".charts"));
    this.renderer.canvas.addEventListener("webglcontextlost", () => this.say("the browser took the graphics away; load the page again"));
    this.seek(header.begin ?? this.from);
    if (header.autoplay && this.moving) this.toggle();
  }

  say(text) {
    this.$(".notice").hidden = false;
    this.$(".notice").textContent = text;
  }

  build() {
    const { $, header, choice } = this, options = $(".options");
    $(".charts-button").innerHTML = ICONS.charts;
    $(".charts-button").onclick = () => this.showCharts();
    if (!header.panels.length) { $(".charts-button").remove(); $("main").classList.add("plain"); }
    if (!this.moving) $(".transport").remove();
    this.follow = this.select(options, "follow", [["stay", "camera stays"], ["base", "follow base"],
      ["mass", "follow centre of mass"], ...this.scene.actors[0].endpoints.map((e, i) => [String(i), "follow " + e.name])],
      choice.follow, (v) => {
        Object.assign(choice, { follow: v });
        Object.assign(this.orbit, { shift: [0, 0, 0], distance: this.orbit.start.distance * (isNaN(v) ? 1 : 0.6) });
      });
    const on = { trails: this.moving && this.scene.actors.some((a) => a.trails.length), frames: true,
      momentum: this.scene.actors.some((a) => a.momentum) };
    for (const kind of ["forces", "reaction"]) on[kind] = this.scene.actors.some((a) => a.arrows.some((r) => r.kind === kind));
    for (const name of Object.keys(on)) if (on[name]) this.button(options, name, name, () => (choice[name] = !choice[name]), () => choice[name]);
    this.select(options, "backdrop", [["stars", "stars"], ["ground", "ground"], ["none", "plain"]], choice.backdrop,
      (v) => (choice.backdrop = v));
    if (this.scene.actors.length > 1)
      this.button(options, "apart", "side by side", () => (choice.apart = !choice.apart), () => choice.apart);
    this.button(options, "help", "?", () => (this.helped = !this.helped), () => Boolean(this.helped));
    $(".options .help").title = "keys and mouse (?)";
    $(".help-text").innerHTML = HELP.map(([keys, what]) => `<dt>${keys}</dt><dd>${what}</dd>`).join("");
    $(".play")?.addEventListener("click", () => this.toggle());
    const slider = $(".time");
    if (slider) {
      [slider.min, slider.max] = [this.from, this.to];
      slider.addEventListener("input", () => this.seek(Number(slider.value)));
      this.speeds = $(".speed");
      for (const s of SPEEDS) this.speeds.append(new Option("× " + s, s));
      this.speeds.value = this.speed;
      this.speeds.onchange = () => (this.speed = Number(this.speeds.value));
      for (const e of header.events) {
        const mark = document.createElement("button");
        mark.style.left = (100 * (e.time - this.from)) / (this.to - this.from) + "%";
        mark.title = mark.ariaLabel = `${e.name}, ${Number(e.time.toPrecision(6))} s`;
        mark.onclick = () => { this.seek(e.time); mark.blur(); };
        $(".marks").append(mark);
      }
    }
    document.addEventListener("keydown", (e) => this.key(e));
    this.icon();
  }

  select(parent, label, entries, value, changed) {
    const box = document.createElement("select");
    box.className = label;
    box.setAttribute("aria-label", label);
    for (const [key, text] of entries) box.append(new Option(text, key));
    box.value = value;
    box.onchange = () => { changed(box.value); this.refresh(); box.blur(); };
    parent.append(box);
    return box;
  }

  button(parent, name, text, flip, state) {
    const box = document.createElement("button");
    box.className = name;
    box.textContent = text;
    box.setAttribute("aria-pressed", state());
    box.onclick = () => { flip(); box.setAttribute("aria-pressed", state()); this.refresh(); };
    parent.append(box);
  }

  icon() {
    const play = this.$(".play");
    if (!play) return;
    play.innerHTML = this.playing ? ICONS.pause : ICONS.play;
    play.setAttribute("aria-label", this.playing ? "pause" : "play");
  }

  showCharts() {
    this.$("main").classList.toggle("plain");
    this.layout();
  }

  layout() {
    for (const chart of this.charts) chart.draw();
    this.keysShown = undefined;
    this.refresh();
  }

  toggle() {
    if (!this.moving) return;
    this.playing = !this.playing;
    if (this.playing && this.time >= this.to) this.seek(this.from);
    this.clock = performance.now();
    this.icon();
    this.refresh();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.from), this.to);
    this.scene.seek(this.time);
    this.refresh();
  }

  refresh() {
    if (this.asked || !this.scene || !this.orbit) return;
    this.asked = requestAnimationFrame((now) => { this.asked = 0; this.frame(now); });
  }

  frame(now) {
    if (this.playing) {
      const next = this.time + (Math.min(now - this.clock, 250) / 1000) * this.speed;
      this.clock = now;
      if (next >= this.to) { this.playing = false; this.icon(); }
      this.time = Math.min(next, this.to);
      this.scene.seek(this.time);
    }
    this.scene.draw(this.orbit, this.choice);
    const slider = this.$(".time"), leader = this.scene.actors[0];
    if (slider) slider.value = this.time;
    this.$(".help-text").hidden = !this.helped;
    this.$(".clock").innerHTML = this.moving ? `${this.time.toFixed(2)} <small>s</small>` : "";
    for (const chart of this.charts) chart.mark(this.time, leader.k, leader.f);
    this.name();
    if (this.playing) this.refresh();
  }

  /** Names of the runs, where there are several: over their stages, or in a row. */
  name() {
    const { actors } = this.scene, box = this.$(".labels"), { apart } = this.choice;
    this.keys();
    if (actors.length < 2) return;
    const room = Math.max(40, 20 + this.keysHeight);  // above the clock and the keys
    this.$(".keys").style.bottom = apart ? "" : 14 + 24 * actors.length + "px";
    if (box.children.length !== actors.length)
      box.replaceChildren(...actors.map((a) => {
        const span = document.createElement("span");
        span.textContent = a.name;
        span.style.color = `rgb(${a.color.map((x) => Math.round(255 * x))})`;
        return span;
      }));
    const { width, height } = this.renderer.canvas, stages = this.scene.stages(apart);
    [...box.children].forEach((span, i) => {
      const [x, y, w] = stages[apart ? i : 0].box;
      span.style.left = apart ? (100 * (x + w / 2)) / width + "%" : "12px";
      span.style.transform = apart ? "" : "none";
      span.style.bottom = apart ? `calc(${(100 * y) / height}% + ${room}px)` : 10 + 24 * (actors.length - 1 - i) + "px";
    });
  }

  /** What the arrows are: made anew when others are shown, or there is another room for them. */
  keys() {
    const lines = this.header.keys.filter((k) => this.choice[k.of]), box = this.$(".keys");
    if (this.keysShown === String(lines.map((k) => k.of))) return;
    this.keysShown = String(lines.map((k) => k.of));
    box.replaceChildren(...lines.map((k) => {
      const line = document.createElement("span");
      line.textContent = k.text;
      line.style.borderColor = `rgb(${k.color.map((x) => Math.round(255 * x))})`;
      return line;
    }));
    this.keysHeight = box.offsetHeight;
    box.style.pointerEvents = box.scrollHeight > box.clientHeight ? "auto" : "none";  // many of them are scrolled
  }

  key(e) {
    if (e.target.matches?.("select, input:not(.time)") || e.ctrlKey || e.metaKey || e.altKey) return;
    const step = (this.to - this.from) / (e.shiftKey ? 20 : 200), at = SPEEDS.indexOf(this.speed);
    const faster = (d) => { this.speed = SPEEDS[Math.min(Math.max(at + d, 0), SPEEDS.length - 1)]; this.speeds.value = this.speed; };
    const acts = {
      " ": () => this.toggle(), ArrowRight: () => this.seek(this.time + step), ArrowLeft: () => this.seek(this.time - step),
      Home: () => this.seek(this.from), End: () => this.seek(this.to), "[": () => faster(-1), "]": () => faster(1),
      p: () => this.showCharts(), r: () => this.orbit.reset(), "+": () => this.orbit.zoom(0.85), "-": () => this.orbit.zoom(1.18),
    };
    for (const name of ["trails", "frames", "momentum"]) acts[name[0]] = () => this.$(".options ." + name)?.click();
    acts.F = () => this.$(".options .forces")?.click();
    acts.R = () => this.$(".options .reaction")?.click();
    acts["?"] = () => this.$(".options .help").click();
    if (this.helped) acts.Escape = acts["?"];
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
  }
}

(function start() {
  const text = (id) => document.getElementById(id).textContent;
  try {
    window.film = new Player(JSON.parse(text("film-header")), new Numbers(text("film-numbers")));
  } catch (error) {
    const notice = document.querySelector(".notice");
    notice.hidden = false;
    notice.textContent = error.message;
    console.error(error);
  }
})();

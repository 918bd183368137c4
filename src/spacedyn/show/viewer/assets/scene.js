"use strict";
// Robots over time: where everything is at an instant, and how it is drawn.

/** Typed arrays out of the one block of numbers that the page carries. */
class Numbers {
  constructor(text) {
    const raw = atob(text.trim());
    this.bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) this.bytes[i] = raw.charCodeAt(i);
  }

  of([kind, offset, count]) {
    const kinds = { f8: Float64Array, f4: Float32Array, i2: Int16Array, i1: Int8Array, u1: Uint8Array, u2: Uint16Array,
      u4: Uint32Array };
    return new kinds[kind](this.bytes.buffer, offset, count);
  }
}

const spot = (data, k) => [data[3 * k], data[3 * k + 1], data[3 * k + 2]];
const mixed = (data, k, f) => [0, 1, 2].map((j) => data[3 * k + j] + f * (data[3 * k + 3 + j] - data[3 * k + j]));

class Actor {
  constructor(renderer, header, numbers, models) {
    const get = (ref) => numbers.of(ref);
    Object.assign(this, header);
    this.meshes = models[header.model];
    this.count = this.bodies.length;
    this.time = get(header.time);
    this.base = get(header.base);
    this.position = get(header.position);
    this.quaternion = get(header.quaternion);
    this.mass = header.mass && get(header.mass);
    this.momentum = header.momentum && get(header.momentum);
    this.arrows = header.arrows.map((a) => ({ ...a, from: get(a.from), vector: get(a.vector) }));
    this.trails = header.trails.map((t) => ({ ...t, path: renderer.path(get(t.path)) }));
    this.seek(this.time[0]);
  }

  /** Stand where it stood at a time. */
  seek(time) {
    const t = this.time, last = t.length - 1;
    let low = 0, high = last;
    while (high - low > 1) {
      const mid = (low + high) >> 1;
      if (t[mid] <= time) low = mid; else high = mid;
    }
    this.k = Math.min(low, Math.max(last - 1, 0));
    this.f = last ? Math.min(Math.max((time - t[this.k]) / (t[this.k + 1] - t[this.k]), 0), 1) : 0;
    this.at = this.between(this.base);
  }

  between(data) {
    return this.time.length > 1 ? mixed(data, this.k, this.f) : spot(data, 0);
  }

  /** Place and attitude of a body, seen from an origin. */
  body(i, origin) {
    const { position: p, quaternion: q, count: n } = this, a = this.k * n + i, b = this.time.length > 1 ? a + n : a;
    const here = [0, 1, 2].map((j) => p[3 * a + j] + this.f * (p[3 * b + j] - p[3 * a + j]));
    let same = 0;
    for (let j = 0; j < 4; j++) same += q[4 * a + j] * q[4 * b + j];
    const sign = same < 0 ? -1 : 1;
    const turn = [0, 1, 2, 3].map((j) => (1 - this.f) * q[4 * a + j] + this.f * sign * q[4 * b + j]);
    const size = Math.hypot(...turn) || 1;
    return [add(sub(this.at, origin), here), turn.map((x) => x / size)];
  }

  /** Where the camera looks to follow something: 'base', 'mass', or an endpoint's number. */
  target(follow) {
    if (follow === "stay") return add(spot(this.base, 0), this.center);
    if (follow === "mass" && this.mass) return add(this.at, this.between(this.mass));
    const endpoint = this.endpoints[Number(follow)];
    if (endpoint) {
      const [place, turn] = this.body(endpoint.body, [0, 0, 0]);
      return add(place, rotate(turn, endpoint.position));
    }
    return add(this.at, this.center);
  }

  drawBodies(renderer, origin, part) {
    for (let i = 0; i < this.count; i++) {
      if (!this.meshes[i]) continue;
      const [place, turn] = this.body(i, origin);
      renderer.drawMesh(this.meshes[i], pose(place, turn), part);
    }
  }

  drawTrails(renderer, view, origin, color) {
    const shift = sub(spot(this.base, 0), origin);
    for (const trail of this.trails)
      renderer.drawPath(view, trail.path, [...(color ?? trail.color), 0.95], 2.4, shift, 0, this.k + 1, 1);
  }

  drawFrames(renderer, origin, thick) {
    const axes = [[0.92, 0.30, 0.32], [0.32, 0.80, 0.42], [0.32, 0.55, 0.98]];
    const triad = (place, turn, long) => axes.forEach((color, j) => {
      const axis = [0, 0, 0];
      axis[j] = long;
      renderer.drawArrow(place, rotate(turn, axis), 0.4 * thick, color);
    });
    for (let i = 0; i < this.count; i++) triad(...this.body(i, origin), 0.14 * this.size);
    for (const e of this.endpoints) {
      const [place, turn] = this.body(e.body, origin);
      triad(add(place, rotate(turn, e.position)), turnAfter(turn, e.quaternion), 0.1 * this.size);
    }
  }

  drawMomentum(renderer, origin, thick, colors) {
    if (!this.momentum || !this.mass) return;
    const from = add(sub(this.at, origin), this.between(this.mass)), long = 0.6 * this.size;
    for (const j of [0, 1]) {
      const data = this.momentum.subarray(3 * j * this.time.length, 3 * (j + 1) * this.time.length);
      renderer.drawArrow(from, scale(this.between(data), long), 0.8 * thick, colors[j]);
    }
  }

  drawArrows(renderer, origin, thick, kind) {
    for (const arrow of this.arrows) {
      if (arrow.kind !== kind) continue;
      const from = add(sub(this.at, origin), this.between(arrow.from)), vector = this.between(arrow.vector);
      if (!(length(vector) > 0)) continue;
      if (arrow.line) {
        const cord = along(from, vector, 0.4 * thick, length(vector));
        renderer.paint([...arrow.color, 1], renderer.veil, 0.6);
        renderer.drawMesh(renderer.shaft, cord);
      } else renderer.drawArrow(from, scale(vector, 0.6 * this.size), thick, arrow.color);
    }
  }
}

class Scene {
  constructor(renderer, header, numbers) {
    Object.assign(this, { renderer, header });
    const models = header.models.map((bodies) => bodies.map((b) => b && Object.assign(renderer.mesh({
      position: numbers.of(b.position), normal: numbers.of(b.normal), color: numbers.of(b.color),
      index: numbers.of(b.index), center: b.center, extent: b.extent, opaque: b.opaque }), { painted: true })));
    this.actors = header.actors.map((a) => new Actor(renderer, a, numbers, models));
    this.size = Math.max(...this.actors.map((a) => a.size));
  }

  seek(time) {
    for (const actor of this.actors) actor.seek(time);
  }

  /** Boxes on the canvas and who is in each: all together, or side by side. */
  stages(apart) {
    const { width, height } = this.renderer.canvas, n = apart ? this.actors.length : 1;
    const across = n === 1 ? 1 : Math.ceil(Math.sqrt((n * width) / height) - 1e-9), wide = Math.min(across, n);
    const rows = Math.ceil(n / wide), w = Math.floor(width / wide), h = Math.floor(height / rows);
    return Array.from({ length: n }, (_, i) => ({
      box: [(i % wide) * w, height - (1 + Math.floor(i / wide)) * h, w, h],
      actors: apart ? [this.actors[i]] : this.actors,
    }));
  }

  draw(orbit, choice) {
    const { renderer } = this;
    renderer.resize();
    for (const stage of this.stages(choice.apart)) {
      const origin = add(stage.actors[0].target(choice.follow), orbit.shift), view = this.look(orbit, stage.box);
      this.drawStage(view, stage.actors, origin, choice);
    }
  }

  look(orbit, box) {
    const eye = scale(orbit.toEye, orbit.distance), aspect = box[2] / box[3];
    const angle = aspect > 1 ? 0.62 : 2 * Math.atan(Math.tan(0.31) / Math.max(aspect, 0.5));
    const near = Math.max(0.02 * orbit.distance, orbit.distance - 40 * this.size);
    const lens = perspective(angle, aspect, Math.min(near, 0.1 * orbit.distance), orbit.distance + 60 * this.size);
    const sun = unit(add(add(scale(orbit.side, 0.55), scale(orbit.ahead, -0.5)), scale(orbit.up, 0.95)));
    const reach = 1.7 * this.size, light = multiply(orthographic(reach, 0, 8 * reach),
      lookAt(scale(sun, 4 * reach), [0, 0, 0], Math.abs(dot(sun, orbit.up)) > 0.98 ? orbit.side : orbit.up));
    return { box, eye, sun, up: orbit.up, light, camera: multiply(lens, lookAt(eye, [0, 0, 0], orbit.up)), orbit };
  }

  drawStage(view, actors, origin, choice) {
    const { renderer } = this, [leader, ...ghosts] = actors, thick = 0.011 * this.size, gl = renderer.gl;
    renderer.castShadows(view.light, () => leader.drawBodies(renderer, origin, "opaque"));
    renderer.begin(view, choice.backdrop === "stars");
    if (choice.backdrop === "ground") this.drawGround(view, origin);
    renderer.light(view);
    leader.drawBodies(renderer, origin, "opaque");
    if (choice.frames) actors.forEach((a) => a.drawFrames(renderer, origin, thick));
    renderer.drawThrough(() => actors.forEach((a) => {
      if (choice.momentum) a.drawMomentum(renderer, origin, thick, this.header.momentum_colors);
      for (const kind of ["forces", "reaction"]) if (choice[kind]) a.drawArrows(renderer, origin, thick, kind);
    }));
    if (choice.trails) actors.forEach((a) => a.drawTrails(renderer, view, origin, actors.length > 1 ? a.color : null));
    renderer.light(view);
    gl.enable(gl.BLEND);
    leader.drawBodies(renderer, origin, "clear");
    gl.disable(gl.BLEND);
    for (const ghost of ghosts) {
      renderer.paint([...ghost.color, 0.75], ghosts.length > 4 ? 0.22 : 0.4, 0.1);
      renderer.drawGhost(() => ghost.drawBodies(renderer, origin, "all"));
    }
  }

  drawGround(view, origin) {
    const { orbit } = view, height = this.header.floor - dot(origin, orbit.up), cell = this.header.cell;
    const place = [dot(origin, orbit.side), dot(origin, orbit.ahead)].map((x) => x % (5 * cell));
    this.renderer.drawGround(view, { origin: scale(orbit.up, height), side: orbit.side, ahead: orbit.ahead,
      radius: 14 * this.size, cell, offset: place });
  }
}

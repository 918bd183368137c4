"use strict";
// A camera that goes around a point: drag to turn, shift or right drag or two fingers to shift, wheel or pinch to zoom.

class Orbit {
  constructor(canvas, up, distance, changed) {
    this.up = unit(up);
    this.side = across(this.up);
    this.ahead = cross(this.up, this.side);
    this.start = { yaw: -0.9, pitch: 0.42, distance, shift: [0, 0, 0] };
    this.changed = changed;
    this.pointers = new Map();
    this.reset();
    canvas.addEventListener("pointerdown", (e) => this.down(canvas, e));
    canvas.addEventListener("pointermove", (e) => this.move(canvas, e));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(0.0012 * e.deltaY)); }, { passive: false });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
  }

  reset() {
    Object.assign(this, structuredClone(this.start));
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 0.05 * this.start.distance), 40 * this.start.distance);
    this.changed();
  }

  /** From the target to the eye, a unit vector. */
  get toEye() {
    const c = Math.cos(this.pitch);
    return add(add(scale(this.side, c * Math.cos(this.yaw)), scale(this.ahead, c * Math.sin(this.yaw))),
      scale(this.up, Math.sin(this.pitch)));
  }

  down(canvas, e) {
    canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
  }

  move(canvas, e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const now = [e.clientX, e.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      this.zoom(apart(before) / apart(now));
      this.slide(canvas, dx / 2, dy / 2);
    } else if (e.shiftKey || e.buttons & 6) {
      this.slide(canvas, dx, dy);
    } else {
      this.yaw -= 0.0065 * dx;
      this.pitch = Math.min(Math.max(this.pitch + 0.0065 * dy, -1.55), 1.55);
    }
    this.pointers.set(e.pointerId, now);
    this.changed();
  }

  slide(canvas, dx, dy) {
    const step = (1.1 * this.distance) / canvas.clientHeight, right = unit(cross(this.up, this.toEye));
    const upward = cross(this.toEye, right);
    this.shift = add(this.shift, add(scale(right, -dx * step), scale(upward, dy * step)));
  }
}

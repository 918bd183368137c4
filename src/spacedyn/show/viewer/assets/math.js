"use strict";
// Small vectors, quaternions (x, y, z, w) and 4x4 matrices by columns, as WebGL takes them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(a, 1 / (length(a) || 1));

/** Any unit vector across another. */
function across(a) {
  const k = Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(k, a));
}

function rotate(q, v) {
  const u = [q[0], q[1], q[2]], t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[3])), cross(u, t));
}

/** q times r: first r, then q. */
function turnAfter(q, r) {
  const [x, y, z, w] = q, [a, b, c, d] = r;
  return [w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d,
    w * d - x * a - y * b - z * c];
}

function multiply(a, b) {
  const m = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      m[4 * c + r] = sum;
    }
  return m;
}

/** Turned by a quaternion, scaled before, moved after. */
function pose(position, q, s = [1, 1, 1]) {
  const x = scale(rotate(q, [1, 0, 0]), s[0]), y = scale(rotate(q, [0, 1, 0]), s[1]);
  const z = scale(rotate(q, [0, 0, 1]), s[2]);
  return new Float32Array([...x, 0, ...y, 0, ...z, 0, ...position, 1]);
}

/** The z axis along a direction; x and y scaled alike. */
function along(position, direction, thickness, long) {
  const z = unit(direction), x = across(z), y = cross(z, x);
  return new Float32Array([...scale(x, thickness), 0, ...scale(y, thickness), 0, ...scale(z, long), 0, ...position, 1]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, (2 * far * near) / d, 0]);
}

function orthographic(r, near, far) {
  const d = near - far;
  return new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, 2 / d, 0, 0, 0, (far + near) / d, 1]);
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}

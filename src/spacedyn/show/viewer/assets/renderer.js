"use strict";
// WebGL 2 with nothing between: programs, buffers, a shadow map, and one call for each kind of thing that is drawn.

const SHADOW_SIZE = 2048;

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("this browser cannot draw in three dimensions (WebGL 2 is missing or switched off)");
    this.gl = gl;
    this.body = this.program(BODY_VERTEX, BODY_FRAGMENT);
    this.depth = this.program(BODY_VERTEX, DEPTH_FRAGMENT);
    this.line = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.star = this.program(STAR_VERTEX, STAR_FRAGMENT);
    this.sky = this.program(SKY_VERTEX, SKY_FRAGMENT);
    this.ground = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
    this.empty = gl.createVertexArray();
    this.makeShadow();
    this.makeStars(1400);
    this.shaft = this.mesh(turned([[0, 0], [1, 0], [1, 1], [0, 1]]));
    this.head = this.mesh(turned([[0, 0], [1, 0], [0, 1]]));
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    ["position", "normal", "color"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
    ["start", "end"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error("a shader was refused: " + gl.getProgramInfoLog(program));
    const of = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      of[name] = gl.getUniformLocation(program, name);
    }
    return { program, of };
  }

  buffer(data, kind) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(kind ?? gl.ARRAY_BUFFER, buffer);
    gl.bufferData(kind ?? gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return buffer;
  }

  /** Triangles: positions as 16-bit parts of a box, normals as 8-bit, colours as 8-bit; or plain floats. */
  mesh({ position, normal, color, index, center = [0, 0, 0], extent = [1, 1, 1], opaque }) {
    const gl = this.gl, array = gl.createVertexArray();
    const kinds = { Float32Array: gl.FLOAT, Int16Array: gl.SHORT, Int8Array: gl.BYTE };
    gl.bindVertexArray(array);
    [position, normal].forEach((data, i) => {
      this.buffer(data);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, kinds[data.constructor.name], true, 0, 0);
    });
    if (color) {
      this.buffer(color);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    }
    this.buffer(index, gl.ELEMENT_ARRAY_BUFFER);
    gl.bindVertexArray(null);
    const wide = index instanceof Uint32Array, size = index.length;
    return { array, count: size, opaque: opaque ?? size, kind: wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT,
      bytes: wide ? 4 : 2, center, extent };
  }

  /** A path of points (n, 3), drawn as n - 1 thick segments. */
  path(points) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.buffer(points);
    for (const i of [0, 1]) {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 12, 12 * i);
      gl.vertexAttribDivisor(i, 1);
    }
    gl.bindVertexArray(null);
    return { array, segments: points.length / 3 - 1 };
  }

  makeShadow() {
    const gl = this.gl;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  makeStars(count) {
    const gl = this.gl, data = new Float32Array(4 * count);
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let i = 0; i < count; i++) {
      const z = 2 * random() - 1, a = 2 * Math.PI * random(), r = Math.sqrt(1 - z * z);
      data.set([r * Math.cos(a), r * Math.sin(a), z, Math.pow(random(), 1.8)], 4 * i);
    }
    this.stars = { array: gl.createVertexArray(), count };
    gl.bindVertexArray(this.stars.array);
    this.buffer(data);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
  }

  resize() {
    const { canvas } = this, ratio = Math.min(window.devicePixelRatio || 1, 2);
    const w = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const h = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    this.ratio = ratio;
  }

  /** Draw into the shadow map what `draw` draws. */
  castShadows(light, draw) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.disable(gl.SCISSOR_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use(this.depth, light);
    this.current = this.depth;
    draw();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
  }

  use(program, camera) {
    const gl = this.gl;
    gl.useProgram(program.program);
    gl.uniformMatrix4fv(program.of.camera, false, camera);
    this.current = program;
  }

  /** A part of the canvas, cleared and with its backdrop. */
  begin(view, stars) {
    const gl = this.gl, [x, y, w, h] = view.box;
    gl.viewport(x, y, w, h);
    gl.scissor(x, y, w, h);
    gl.enable(gl.SCISSOR_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.depthMask(false);
    this.use(this.sky, view.camera);
    gl.uniform3fv(this.sky.of.low, stars ? [0.020, 0.026, 0.045] : [0.045, 0.052, 0.068]);
    gl.uniform3fv(this.sky.of.high, stars ? [0.035, 0.045, 0.080] : [0.105, 0.125, 0.165]);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (stars) {
      gl.enable(gl.BLEND);
      this.use(this.star, view.camera);
      gl.uniform1f(this.star.of.size, 1.7 * this.ratio);
      gl.bindVertexArray(this.stars.array);
      gl.drawArrays(gl.POINTS, 0, this.stars.count);
      gl.disable(gl.BLEND);
    }
    gl.depthMask(true);
  }

  drawGround(view, { origin, side, ahead, radius, cell, offset }) {
    const gl = this.gl, of = this.ground.of;
    this.use(this.ground, view.camera);
    gl.uniformMatrix4fv(of.light, false, view.light);
    gl.uniform3fv(of.origin, origin);
    gl.uniform3fv(of.side, side);
    gl.uniform3fv(of.ahead, ahead);
    gl.uniform1f(of.radius, radius);
    gl.uniform1f(of.cell, cell);
    gl.uniform1f(of.shadows, 1);
    gl.uniform2fv(of.offset, offset);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.BLEND);
  }

  /** Get ready for bodies: sun, eye, shadows. */
  light(view) {
    const gl = this.gl, of = this.body.of;
    this.use(this.body, view.camera);
    gl.uniformMatrix4fv(of.light, false, view.light);
    gl.uniform3fv(of.eye, view.eye);
    gl.uniform3fv(of.sun, view.sun);
    gl.uniform3fv(of.up, view.up);
    gl.uniform1f(of.shadows, 1);
    this.paint([0, 0, 0, 0], 1, 0);
  }

  paint(tint, opacity, glow) {
    const gl = this.gl, of = this.body.of;
    gl.uniform4fv(of.tint, tint);
    gl.uniform1f(of.opacity, opacity);
    gl.uniform1f(of.glow, glow);
  }

  drawMesh(mesh, model, part = "opaque") {
    const gl = this.gl, of = this.current.of;
    const from = part === "clear" ? mesh.opaque : 0, to = part === "opaque" ? mesh.opaque : mesh.count;
    if (to <= from) return;
    gl.uniformMatrix4fv(of.model, false, model);
    gl.uniform3fv(of.center, mesh.center);
    gl.uniform3fv(of.extent, mesh.extent);
    gl.bindVertexArray(mesh.array);
    if (!mesh.painted) gl.vertexAttrib4f(2, 1, 1, 1, 1);
    gl.drawElements(gl.TRIANGLES, to - from, mesh.kind, from * mesh.bytes);
  }

  /** What `draw` draws, and faintly what of it is hidden behind something. */
  drawThrough(draw) {
    const gl = this.gl;
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER);
    this.veil = 0.28;
    draw();
    this.veil = 1;
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    draw();
  }

  /** Blended, but only what is nearest: first its depth, then its colour. */
  drawGhost(draw) {
    const gl = this.gl;
    gl.colorMask(false, false, false, false);
    draw();
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    draw();
    gl.disable(gl.BLEND);
  }

  drawPath(view, path, color, width, shift, first, last, fade) {
    const gl = this.gl, of = this.line.of, count = Math.min(last, path.segments);
    if (count <= 0) return;
    this.use(this.line, view.camera);
    gl.uniform2f(of.pixels, view.box[2] / 2, view.box[3] / 2);
    gl.uniform3fv(of.shift, shift);
    gl.uniform1f(of.width, 0.5 * width * this.ratio);
    gl.uniform1f(of.first, first);
    gl.uniform1f(of.last, count);
    gl.uniform1f(of.fade, fade);
    gl.uniform4fv(of.color, color);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.bindVertexArray(path.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawArrow(from, vector, thickness, color) {
    const long = length(vector), tip = Math.min(4.5 * thickness, 0.5 * long);
    if (long < 1e-9) return;
    this.paint([...color, 1], this.veil ?? 1, 0.45);
    this.drawMesh(this.shaft, along(from, vector, thickness, long - tip));
    this.drawMesh(this.head, along(add(from, scale(unit(vector), long - tip)), vector, 2.4 * thickness, tip));
  }
}

/** A profile of (radius, z) turned about z, as floats for `Renderer.mesh`. */
function turned(profile, sides = 20) {
  const position = [], normal = [], index = [];
  for (let i = 0; i + 1 < profile.length; i++) {
    const [[r0, z0], [r1, z1]] = [profile[i], profile[i + 1]], size = Math.hypot(z1 - z0, r1 - r0);
    for (let k = 0; k <= sides; k++) {
      const a = (2 * Math.PI * k) / sides, c = Math.cos(a), s = Math.sin(a), n = position.length / 3;
      position.push(r0 * c, r0 * s, z0, r1 * c, r1 * s, z1);
      for (let twice = 0; twice < 2; twice++)
        normal.push((c * (z1 - z0)) / size, (s * (z1 - z0)) / size, (r0 - r1) / size);
      if (k < sides) index.push(n, n + 2, n + 3, n, n + 3, n + 1);
    }
  }
  return { position: new Float32Array(position), normal: new Float32Array(normal), index: new Uint16Array(index) };
}

"use strict";
// The looks: lit bodies with shadows, thick lines, stars, and a ground with a grid.

const SHADOW = `
uniform highp sampler2DShadow shadow_map;
uniform float shadows;
float shade(vec4 where, float facing) {
  vec3 p = where.xyz / where.w * 0.5 + 0.5;
  if (shadows < 0.5 || p.z > 1.0) return 1.0;
  float sum = 0.0, bias = mix(0.0035, 0.0008, facing), texel = 1.0 / 2048.0;
  for (int i = -1; i <= 1; i++)
    for (int k = -1; k <= 1; k++) sum += texture(shadow_map, vec3(p.xy + 1.3 * texel * vec2(i, k), p.z - bias));
  return sum / 9.0;
}`;

const BODY_VERTEX = `#version 300 es
in vec3 position; in vec3 normal; in vec4 color;
uniform mat4 model, camera, light;
uniform vec3 center, extent;
out vec3 v_normal, v_place; out vec4 v_color, v_light;
void main() {
  vec4 p = model * vec4(center + extent * position, 1.0);
  v_place = p.xyz; v_normal = mat3(model) * normal; v_color = color; v_light = light * p;
  gl_Position = camera * p;
}`;

const BODY_FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_normal, v_place; in vec4 v_color, v_light;
uniform vec3 eye, sun, up; uniform vec4 tint; uniform float opacity, glow;
out vec4 result;
${SHADOW}
void main() {
  vec3 n = normalize(v_normal) * (gl_FrontFacing ? 1.0 : -1.0), e = normalize(eye - v_place);
  vec3 paint = pow(mix(v_color.rgb, tint.rgb, tint.a), vec3(2.2));
  float facing = max(dot(n, sun), 0.0), lit = facing * shade(v_light, facing);
  vec3 sky = mix(vec3(0.10, 0.10, 0.12), vec3(0.26, 0.29, 0.36), 0.5 + 0.5 * dot(n, up));
  float fill = 0.22 * max(dot(n, e), 0.0);
  float shine = 0.30 * pow(max(dot(n, normalize(sun + e)), 0.0), 40.0) * lit;
  float rim = 0.16 * pow(1.0 - max(dot(n, e), 0.0), 3.0);
  vec3 c = paint * (sky + fill + 1.25 * vec3(1.0, 0.97, 0.92) * lit) + shine + rim * vec3(0.4, 0.55, 0.85);
  c = mix(c, paint * 1.1, glow);
  c = c / (1.0 + 0.18 * c);
  result = vec4(pow(c, vec3(1.0 / 2.2)), v_color.a * opacity);
}`;

const DEPTH_FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_color; out vec4 result;
void main() { result = vec4(0.0); }`;

const LINE_VERTEX = `#version 300 es
in vec3 start, end;
uniform mat4 camera; uniform vec2 pixels; uniform vec3 shift; uniform float width, first, last;
out float v_age;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec4 a = camera * vec4(start + shift, 1.0), b = camera * vec4(end + shift, 1.0);
  a.w = max(a.w, 1e-4); b.w = max(b.w, 1e-4);
  vec2 d = (b.xy / b.w - a.xy / a.w) * pixels;
  d = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  vec4 p = corner.x < 0.5 ? a : b;
  p.xy += (corner.y - 0.5) * 2.0 * width * vec2(-d.y, d.x) / pixels * p.w;
  v_age = (float(gl_InstanceID) + corner.x - first) / max(last - first, 1.0);
  gl_Position = p;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in float v_age; uniform vec4 color; uniform float fade; out vec4 result;
void main() { result = vec4(color.rgb, color.a * mix(1.0, 0.15 + 0.85 * v_age * v_age, fade)); }`;

const STAR_VERTEX = `#version 300 es
in vec4 star; uniform mat4 camera; uniform float size; out float v_light;
void main() {
  vec4 p = camera * vec4(star.xyz, 0.0);
  gl_Position = p.xyww; v_light = star.w; gl_PointSize = size * (1.0 + 1.8 * star.w * star.w);
}`;

const STAR_FRAGMENT = `#version 300 es
precision highp float;
in float v_light; out vec4 result;
void main() {
  float d = length(gl_PointCoord - 0.5);
  result = vec4(mix(vec3(0.75, 0.82, 1.0), vec3(1.0, 0.95, 0.88), fract(v_light * 7.3)), (1.0 - smoothstep(0.2, 0.5, d))
    * (0.3 + 0.7 * v_light));
}`;

const SKY_VERTEX = `#version 300 es
out vec2 v_place;
void main() {
  v_place = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID >> 1) * 4 - 1);
  gl_Position = vec4(v_place, 1.0, 1.0);
}`;

const SKY_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_place; uniform vec3 low, high; out vec4 result;
void main() {
  float t = smoothstep(-1.2, 1.2, v_place.y), grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9, 78.2))) * 43758.5);
  result = vec4(mix(low, high, t) * (1.0 - 0.22 * dot(v_place, v_place) * 0.5) + (grain - 0.5) / 160.0, 1.0);
}`;

const GROUND_VERTEX = `#version 300 es
uniform mat4 camera, light; uniform vec3 origin, side, ahead; uniform float radius;
out vec2 v_place; out vec4 v_light; out float v_far;
void main() {
  vec2 c = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID >> 1) * 2 - 1);
  vec3 p = origin + radius * (c.x * side + c.y * ahead);
  v_place = radius * c; v_light = light * vec4(p, 1.0); v_far = length(c);
  gl_Position = camera * vec4(p, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_place; in vec4 v_light; uniform vec2 offset; uniform float cell, radius; out vec4 result;
${SHADOW}
float grid(vec2 p, float width) {
  vec2 w = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
  return (1.0 - min(min(d.x, d.y) / width, 1.0)) * (1.0 - smoothstep(0.15, 0.6, max(w.x, w.y)));
}
void main() {
  float far = length(v_place) / radius, dim = 1.0 - smoothstep(0.25, 1.0, far);
  vec2 p = (v_place + offset) / cell;
  float line = max(0.35 * grid(p, 1.2), 0.75 * grid(p / 5.0, 1.6));
  float dark = 1.0 - 0.62 * (1.0 - shade(v_light, 1.0));
  vec3 c = mix(vec3(0.115, 0.13, 0.16), vec3(0.30, 0.35, 0.43), line) * dark;
  result = vec4(c, dim);
}`;

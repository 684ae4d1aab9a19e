// Cosine and sine to single precision, for dynamics that must agree with Gymnasium on every adapter:
// WGSL promises only an absolute error of 2^-11 for its own sin and cos.
// Source: Cephes sinf.c (Moshier 1992): Cody-Waite reduction by pi/2, then a polynomial on [-pi/4, pi/4].
// Good to about 1e-7 for |angle| < 8192.

const PI = 3.14159265358979323846;

// (cos angle, sin angle)
fn cos_sin(angle: f32) -> vec2f {
  let quarter = round(angle * 0.63661977236758134308);
  let r = ((angle - quarter * 1.5703125) - quarter * 4.837512969970703125e-4) - quarter * 7.54978995489188216e-8;
  let r2 = r * r;
  let sine = r + r * r2 * (-1.6666654611e-1 + r2 * (8.3321608736e-3 - r2 * 1.9515295891e-4));
  let cosine = 1.0 - 0.5 * r2 + r2 * r2 * (4.166664568298827e-2 + r2 * (-1.388731625493765e-3 + r2 * 2.443315711809948e-5));
  switch (i32(quarter) & 3) {
    case 1: { return vec2f(-sine, cosine); }
    case 2: { return vec2f(-cosine, -sine); }
    case 3: { return vec2f(sine, -cosine); }
    default: { return vec2f(cosine, sine); }
  }
}

// The same angle in [-pi, pi).
fn wrap_angle(angle: f32) -> f32 {
  return angle - 2.0 * PI * floor((angle + PI) / (2.0 * PI));
}

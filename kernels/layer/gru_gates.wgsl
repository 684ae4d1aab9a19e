// One step of a gated recurrent unit (Cho et al. 2014, arXiv:1406.1078; in the form of PyTorch's GRUCell), once
// its two products are known: a = W_i x + b_i and c = W_h h + b_h, three gates each in the order r, z, n:
//   r = σ(a_r + c_r)   z = σ(a_z + c_z)   n = tanh(a_n + r ⊙ c_n)   h' = (1 - z) ⊙ n + z ⊙ h
// x depends on the token alone, so a is looked up by token: inputs [V, 3H]. Sequence s reads its token at
// token_first + s token_stride, its state h at row first + s of the states and writes h' to row after + s.
// A sequence whose flag running[s running_stride] is 0 keeps its state.
// Shapes: recurrent [S, 3H]; states [*, H]; gates [*, 4H], where row first + s keeps r, z, n and c_n for the
// backward pass. One invocation a unit and sequence. bounded_tanh and sigmoid are activation.ts's.

@group(0) @binding(0) var<storage, read> inputs: array<f32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> recurrent: array<f32>;
@group(0) @binding(3) var<storage, read> running: array<u32>;
@group(0) @binding(4) var<storage, read_write> states: array<f32>;
@group(0) @binding(5) var<storage, read_write> gates: array<f32>;

struct Uniforms {
  sequences: u32,
  hidden: u32,
  token_first: u32,
  token_stride: u32,
  running_stride: u32,
  first: u32,
  after: u32,
}
@group(0) @binding(6) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  let size = u.hidden;
  if (i >= u.sequences * size) { return; }
  let s = i / size;
  let j = i % size;
  let a = tokens[u.token_first + s * u.token_stride] * 3u * size + j;
  let c = s * 3u * size + j;
  let h = states[(u.first + s) * size + j];

  let r = sigmoid(inputs[a] + recurrent[c]);
  let z = sigmoid(inputs[a + size] + recurrent[c + size]);
  let c_n = recurrent[c + 2u * size];
  let n = bounded_tanh(inputs[a + 2u * size] + r * c_n);
  let next = (1.0 - z) * n + z * h;

  let to = (u.first + s) * 4u * size + j;
  gates[to] = r;
  gates[to + size] = z;
  gates[to + 2u * size] = n;
  gates[to + 3u * size] = c_n;
  states[(u.after + s) * size + j] = select(next, h, running[s * u.running_stride] == 0u);
}

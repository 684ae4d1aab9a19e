/**
 * Where each tensor of a policy lies in the one parameter buffer, and how it begins. Gradients and
 * optimiser moments use the same layout, so that one dispatch updates everything and a checkpoint is
 * one download.
 */
import { Random, STREAM } from '../../../kernels/random/threefry';

export interface Tensor {
  /** As in CleanRL: `actor.0.weight`, `critic.2.bias`, `actor_logstd`. */
  readonly name: string;
  /** Row-major; weights are [outputs, inputs]. */
  readonly shape: readonly number[];
  readonly offset: number;
  readonly initial: Initial;
}

/** Matrices: gain of an orthogonal one, or deviation of normal numbers. Vectors: the constant they begin with. */
export type Initial = number | { readonly normal: number };

export class Layout {
  readonly tensors: Tensor[] = [];
  size = 0;

  add(name: string, shape: readonly number[], initial: Initial): number {
    const offset = this.size;
    this.tensors.push({ name, shape, offset, initial });
    this.size += shape.reduce((product, n) => product * n, 1);
    return offset;
  }

  /** Initial parameters for a seed. */
  initialize(seed: number): Float32Array {
    const parameters = new Float32Array(this.size);
    for (const [index, { shape, offset, initial }] of this.tensors.entries()) {
      const size = shape.reduce((product, n) => product * n, 1);
      const random = new Random(seed, STREAM.initialise, index, 0);
      if (typeof initial === 'object')
        for (let i = offset; i < offset + size; i++) parameters[i] = initial.normal * random.normal();
      else if (shape.length === 2) parameters.set(orthogonal(shape[0], shape[1], initial, random), offset);
      else parameters.fill(initial, offset, offset + size);
    }
    return parameters;
  }
}

/**
 * A matrix with orthonormal rows or columns, whichever are fewer, times `gain`
 * (Saxe, McClelland, Ganguli 2013; torch.nn.init.orthogonal_). Gram-Schmidt on normal numbers, twice,
 * since once leaves rounding errors.
 */
export function orthogonal(rows: number, columns: number, gain: number, random: Random): Float32Array {
  const [few, many] = [Math.min(rows, columns), Math.max(rows, columns)];
  const vectors: Float64Array[] = [];
  while (vectors.length < few) {
    const vector = Float64Array.from({ length: many }, () => random.normal());
    for (const other of [...vectors, ...vectors]) {
      const overlap = dot(vector, other);
      for (let i = 0; i < many; i++) vector[i] -= overlap * other[i];
    }
    const length = Math.sqrt(dot(vector, vector));
    if (length > 1e-6) vectors.push(vector.map((x) => x / length));
  }
  const matrix = new Float32Array(rows * columns);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++)
      matrix[r * columns + c] = gain * (rows <= columns ? vectors[r][c] : vectors[c][r]);
  return matrix;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

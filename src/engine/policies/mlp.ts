/**
 * Multi-layer perceptron policies: an actor that puts out logits or means, and a critic that puts out
 * V(s), apart or on one trunk. A policy is a list of linear layers; forward and backward walk it with
 * the kernels of kernels/layer. Nothing here waits for the device.
 */
import type { Kernel } from '../../../kernels/kernel';
import type { ActivationName } from '../../../kernels/layer/activation';
import { ACTIVATIONS } from '../../../kernels/layer/activation';
import { type LinearForm, linearBackwardInput, linearBackwardWeight, linearForward } from '../../../kernels/layer/linear';
import type { Role } from '../../../kernels/layer/linear_tiles';
import { sum } from '../../../kernels/reduce/sum';
import type { DeviceBuffer } from '../device/executor';
import type { BufferPool } from '../device/pool';
import { Layout } from './layout';

export interface MlpShape {
  readonly observationSize: number;
  readonly hidden: readonly number[];
  readonly activation: ActivationName;
  readonly trunk: 'separate' | 'shared';
  /** Logits, or means of the action's dimensions. */
  readonly outputs: number;
  /** Without a critic the values are 0 and nothing of one is stored. */
  readonly critic: boolean;
  /** Diagonal Gaussian: adds a state-independent log-deviation a dimension, beginning at this. */
  readonly initialLogStd?: number;
}

/** Which form each kernel takes and into how many parts a weight gradient is split; see device/tuning.ts. */
export interface MlpForms {
  readonly rows: LinearForm;
  readonly weights: LinearForm;
  readonly parts: number;
}

/** Rows of observations: a run of them, or those that `indices` names from `first` on. */
export interface Rows {
  readonly observations: DeviceBuffer;
  readonly first: number;
  readonly count: number;
  readonly indices?: DeviceBuffer;
}

type Tower = 'actor' | 'critic';

interface Layer {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  readonly weight: number;
  readonly bias: number;
  /** Of its own output; heads have none. */
  readonly activation: ActivationName;
  /** Of its input: what made it. */
  readonly below: ActivationName;
  readonly forward: ReturnType<typeof linearForward>;
  readonly backwardInput: ReturnType<typeof linearBackwardInput>;
  readonly backwardWeight: ReturnType<typeof linearBackwardWeight>;
}

/** Rows whose values are computed at once, so that hidden activations need not fit for a whole rollout. */
const CHUNK_ROWS = 16_384;
const HIDDEN_GAIN = Math.SQRT2;
const ACTOR_GAIN = 0.01;
const CRITIC_GAIN = 1;

export class Mlp {
  readonly layout = new Layout();
  readonly logStdOffset: number;
  private readonly trunk: readonly Layer[];
  private readonly towers: Readonly<Record<Tower, readonly Layer[]>>;
  private readonly heads: Readonly<Record<Tower, Layer | undefined>>;
  private readonly logStdGradient: ReturnType<typeof linearBackwardWeight>;

  constructor(
    readonly shape: MlpShape,
    private readonly forms: MlpForms,
    private readonly pool: BufferPool,
  ) {
    const shared = shape.trunk === 'shared';
    const top = shape.hidden.at(-1) ?? shape.observationSize;
    const last: ActivationName = shape.hidden.length > 0 ? shape.activation : 'identity';
    this.trunk = shared ? this.tower('trunk') : [];
    const critic = shape.critic && !shared ? this.tower('critic') : [];
    const index = shared ? '' : `.${2 * shape.hidden.length}`;
    const pair = shared && shape.critic;
    const criticHead = shape.critic ? this.layer(`critic${index}`, top, 1, CRITIC_GAIN, 'identity', last, pair ? 'last' : 'alone') : undefined;
    const actor = shared ? [] : this.tower('actor');
    this.heads = { critic: criticHead, actor: this.layer(`actor${index}`, top, shape.outputs, ACTOR_GAIN, 'identity', last, pair ? 'first' : 'alone') };
    this.towers = { actor, critic };
    this.logStdOffset = shape.initialLogStd === undefined ? 0 : this.layout.add('actor_logstd', [shape.outputs], shape.initialLogStd);
    this.logStdGradient = linearBackwardWeight({ inputs: 0, outputs: shape.outputs }, 'plain');
  }

  /** Every kernel that the policy runs, to compile ahead. */
  kernels(): Kernel[] {
    const layers = [...this.trunk, ...this.towers.actor, ...this.towers.critic, this.heads.actor, this.heads.critic].filter((layer) => layer !== undefined);
    const all = layers.flatMap((layer) => [layer.forward, layer.backwardWeight, ...(this.isFirst(layer) ? [] : [layer.backwardInput])]);
    return [...all, ...(this.shape.initialLogStd === undefined ? [] : [this.logStdGradient]), sum] as unknown as Kernel[];
  }

  /** rows → logits or means, `outputs` [*, A] from row `outputFirst` on. */
  actor(parameters: DeviceBuffer, rows: Rows, outputs: DeviceBuffer, outputFirst = 0): void {
    const top = this.hiddenForward(parameters, 'actor', rows);
    this.head(this.heads.actor as Layer, parameters, rows, top, outputs, outputFirst);
  }

  /** rows → values, `values` [*] from row `outputFirst` on, in chunks where there are many. */
  critic(parameters: DeviceBuffer, rows: Rows, values: DeviceBuffer, outputFirst = 0): void {
    for (let at = 0; at < rows.count; at += CHUNK_ROWS) {
      const chunk = { ...rows, first: rows.first + at, count: Math.min(CHUNK_ROWS, rows.count - at) };
      const top = this.hiddenForward(parameters, 'critic', chunk);
      this.head(this.heads.critic as Layer, parameters, chunk, top, values, outputFirst + at);
    }
  }

  /** Both for one minibatch, leaving the hidden activations for `backward`. */
  forward(parameters: DeviceBuffer, rows: Rows, outputs: DeviceBuffer, values: DeviceBuffer): void {
    this.actor(parameters, rows, outputs);
    if (!this.heads.critic) return;
    // On a shared trunk the actor's pass has left what the critic's head needs.
    const top = this.shape.trunk === 'shared' ? this.hidden('actor', this.shape.hidden.length - 1, rows.count) : this.hiddenForward(parameters, 'critic', rows);
    this.head(this.heads.critic, parameters, rows, top, values, 0);
  }

  /**
   * Gradient of the loss with respect to all parameters, into `gradient` [parameters]. `outputGradient`
   * is the loss kernel's: sections [B, A] of the actor's outputs, [B] of the values, [B, A] of log σ.
   */
  backward(parameters: DeviceBuffer, rows: Rows, outputGradient: DeviceBuffer, gradient: DeviceBuffer): void {
    const { outputs, trunk } = this.shape;
    const valueFirst = rows.count * outputs;
    if (this.shape.initialLogStd !== undefined) this.backwardLogStd(rows.count, outputGradient, valueFirst + rows.count);
    const actorHead = this.heads.actor as Layer;
    if (trunk === 'shared') {
      const heads: [Layer, number][] = [[actorHead, 0]];
      if (this.heads.critic) heads.push([this.heads.critic, valueFirst]);
      this.backwardTower(parameters, 'actor', this.trunk, heads, rows, outputGradient);
    } else {
      this.backwardTower(parameters, 'actor', this.towers.actor, [[actorHead, 0]], rows, outputGradient);
      if (this.heads.critic) this.backwardTower(parameters, 'critic', this.towers.critic, [[this.heads.critic, valueFirst]], rows, outputGradient);
    }
    const { parts } = this.split(rows.count);
    this.pool.executor.run(sum, { input: this.partials(), sums: gradient }, { rows: parts, columns: this.layout.size, partials: 1 });
  }

  private tower(name: string): Layer[] {
    const { hidden, activation, observationSize } = this.shape;
    return hidden.map((width, i) =>
      this.layer(`${name}.${2 * i}`, hidden[i - 1] ?? observationSize, width, HIDDEN_GAIN, activation, i === 0 ? 'identity' : activation),
    );
  }

  private layer(name: string, inputs: number, outputs: number, gain: number, activation: ActivationName, below: ActivationName, role: Role = 'alone'): Layer {
    const shape = { inputs, outputs };
    return {
      name,
      ...shape,
      weight: this.layout.add(`${name}.weight`, [outputs, inputs], gain),
      bias: this.layout.add(`${name}.bias`, [outputs], 0),
      activation,
      below,
      forward: linearForward(shape, activation, this.forms.rows),
      backwardInput: linearBackwardInput(shape, below, this.forms.rows, role),
      backwardWeight: linearBackwardWeight(shape, this.forms.weights),
    };
  }

  private isFirst(layer: Layer): boolean {
    return layer === this.trunk[0] || layer === this.towers.actor[0] || layer === this.towers.critic[0] || this.shape.hidden.length === 0;
  }

  private layersOf(tower: Tower): readonly Layer[] {
    return this.shape.trunk === 'shared' ? this.trunk : this.towers[tower];
  }

  /** Activations of a hidden layer; followed by its pre-activations where the derivative needs them. */
  private hidden(tower: Tower, index: number, rows: number): DeviceBuffer {
    const width = this.shape.hidden[index];
    const sections = ACTIVATIONS[this.shape.activation].needsInput ? 2 : 1;
    const owner = this.shape.trunk === 'shared' ? 'trunk' : tower;
    return this.pool.f32(`${owner} hidden ${index}`, rows * width * sections);
  }

  private preOffset(width: number, rows: number): number {
    return ACTIVATIONS[this.shape.activation].needsInput ? rows * width : 0;
  }

  private partials(): DeviceBuffer {
    return this.pool.f32('gradient parts', this.forms.parts * this.layout.size);
  }

  /** How a minibatch is split for the weight gradients. */
  private split(rows: number): { parts: number; part_rows: number } {
    const part_rows = Math.max(1, Math.ceil(rows / this.forms.parts));
    return { parts: Math.ceil(rows / part_rows), part_rows };
  }

  private source(rows: Rows) {
    return { input_first: rows.first, gather: rows.indices ? 1 : 0, indices_first: rows.first };
  }

  private noIndices(): DeviceBuffer {
    return this.pool.u32('no indices', 1);
  }

  private hiddenForward(parameters: DeviceBuffer, tower: Tower, rows: Rows): DeviceBuffer {
    let input = rows.observations;
    for (const [index, layer] of this.layersOf(tower).entries()) {
      const output = this.hidden(tower, index, rows.count);
      const source = index === 0 ? this.source(rows) : { input_first: 0, gather: 0, indices_first: 0 };
      this.pool.executor.run(
        layer.forward,
        { parameters, input, indices: rows.indices ?? this.noIndices(), output },
        { rows: rows.count, ...sizes(layer), ...places(layer), ...source, output_first: 0, pre_offset: this.preOffset(layer.outputs, rows.count) },
      );
      input = output;
    }
    return input;
  }

  private head(layer: Layer, parameters: DeviceBuffer, rows: Rows, input: DeviceBuffer, output: DeviceBuffer, output_first: number): void {
    const source = this.shape.hidden.length === 0 ? this.source(rows) : { input_first: 0, gather: 0, indices_first: 0 };
    this.pool.executor.run(
      layer.forward,
      { parameters, input, indices: rows.indices ?? this.noIndices(), output },
      { rows: rows.count, ...sizes(layer), ...places(layer), ...source, output_first, pre_offset: 0 },
    );
  }

  /** From the heads' gradients down to the first layer. Two heads on one trunk add up before the derivative. */
  private backwardTower(parameters: DeviceBuffer, tower: Tower, layers: readonly Layer[], heads: readonly [Layer, number][], rows: Rows, outputGradient: DeviceBuffer): void {
    const depth = layers.length;
    for (const [head, first] of heads) {
      this.backwardWeights(head, outputGradient, first, depth, tower, rows);
      if (depth > 0) this.backwardInputs(parameters, head, outputGradient, first, depth - 1, tower, rows);
    }
    for (let index = depth - 1; index >= 0; index--) {
      const gradient = this.hiddenGradient(index, rows.count);
      this.backwardWeights(layers[index], gradient, 0, index, tower, rows);
      if (index > 0) this.backwardInputs(parameters, layers[index], gradient, 0, index - 1, tower, rows);
    }
  }

  private hiddenGradient(index: number, rows: number): DeviceBuffer {
    return this.pool.f32(`hidden gradient ${index}`, rows * this.shape.hidden[index]);
  }

  /** `depth` is how many hidden layers lie below the layer: its input is the one before. */
  private backwardWeights(layer: Layer, gradient: DeviceBuffer, gradient_first: number, depth: number, tower: Tower, rows: Rows): void {
    const input = depth === 0 ? rows.observations : this.hidden(tower, depth - 1, rows.count);
    const source = depth === 0 ? this.source(rows) : { input_first: 0, gather: 0, indices_first: 0 };
    this.pool.executor.run(
      layer.backwardWeight,
      { gradient, input, indices: rows.indices ?? this.noIndices(), partials: this.partials() },
      { rows: rows.count, ...sizes(layer), ...places(layer), gradient_first, ...source, ...this.split(rows.count), stride: this.layout.size },
    );
  }

  private backwardInputs(
    parameters: DeviceBuffer,
    layer: Layer,
    gradient: DeviceBuffer,
    gradient_first: number,
    index: number,
    tower: Tower,
    rows: Rows,
  ): void {
    this.pool.executor.run(
      layer.backwardInput,
      { parameters, gradient, made: this.hidden(tower, index, rows.count), result: this.hiddenGradient(index, rows.count) },
      {
        rows: rows.count,
        ...sizes(layer),
        weight: layer.weight,
        gradient_first,
        pre_offset: this.preOffset(layer.inputs, rows.count),
      },
    );
  }

  /** d log σ is a sum over rows, like the gradient of a bias: a linear layer without inputs. */
  private backwardLogStd(rows: number, gradient: DeviceBuffer, gradient_first: number): void {
    this.pool.executor.run(
      this.logStdGradient,
      { gradient, input: this.pool.f32('no input', 1), indices: this.noIndices(), partials: this.partials() },
      {
        rows, inputs: 0, outputs: this.shape.outputs,
        weight: this.logStdOffset, bias: this.logStdOffset, gradient_first,
        input_first: 0, gather: 0, indices_first: 0,
        ...this.split(rows), stride: this.layout.size,
      },
    );
  }
}

function sizes({ inputs, outputs }: Layer) {
  return { inputs, outputs };
}

function places({ weight, bias }: Layer) {
  return { weight, bias };
}

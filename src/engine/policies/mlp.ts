/**
 * Multi-layer perceptron policies: an actor that puts out logits or means, and a critic that puts out
 * V(s), apart or on one trunk. A policy is a list of linear layers; forward and backward walk it with
 * the kernels of kernels/layer. Nothing here waits for the device.
 */
import type { Kernel } from '../../../kernels/kernel';
import type { ActivationName } from '../../../kernels/layer/activation';
import { ACTIVATIONS } from '../../../kernels/layer/activation';
import {
  type LinearForm,
  linearBackwardInput,
  linearBackwardWeight,
  linearForward,
} from '../../../kernels/layer/linear';
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
  /** For at most FEW_ROWS rows, such as the copies of a rollout. */
  readonly few: LinearForm;
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
  readonly role: Role;
}

interface LayerKernels {
  readonly forward: ReturnType<typeof linearForward>;
  readonly forwardFew: ReturnType<typeof linearForward>;
  readonly backwardInput: ReturnType<typeof linearBackwardInput>;
  readonly backwardWeight: ReturnType<typeof linearBackwardWeight>;
}

/** Fewer rows at once would not fill a device; more are walked in chunks. */
const MIN_ROOM = 1024;
const FEW_ROWS = 128;
/** Rows of any form’s workgroup divide this: hidden buffers have room for whole workgroups. */
const ROOM_STEP = 64;
const HIDDEN_GAIN = Math.SQRT2;
const ACTOR_GAIN = 0.01;
const CRITIC_GAIN = 1;

export class Mlp {
  readonly layout = new Layout();
  readonly logStdOffset: number;
  private readonly trunk: readonly Layer[];
  private readonly towers: Readonly<Record<Tower, readonly Layer[]>>;
  private readonly heads: Readonly<Record<Tower, Layer | undefined>>;
  private readonly kernelsOf = new Map<Layer, LayerKernels>();
  private readonly logStdGradient: ReturnType<typeof linearBackwardWeight>;
  /** Rows that the hidden buffers have room for. */
  private readonly room: number;

  /** `rows`: the most rows that one forward and backward pass must hold, a minibatch or all copies. */
  constructor(
    readonly shape: MlpShape,
    private readonly forms: MlpForms,
    private readonly pool: BufferPool,
    rows: number,
  ) {
    this.room = Math.ceil(Math.max(rows, MIN_ROOM) / ROOM_STEP) * ROOM_STEP;
    const shared = shape.trunk === 'shared';
    const top = shape.hidden.at(-1) ?? shape.observationSize;
    const last: ActivationName = shape.hidden.length > 0 ? shape.activation : 'identity';
    this.trunk = shared ? this.tower('trunk') : [];
    const critic = shape.critic && !shared ? this.tower('critic') : [];
    const index = shared ? '' : `.${2 * shape.hidden.length}`;
    const pair = shared && shape.critic;
    const criticHead = shape.critic
      ? this.layer(`critic${index}`, top, 1, CRITIC_GAIN, 'identity', last, pair ? 'last' : 'alone')
      : undefined;
    const actor = shared ? [] : this.tower('actor');
    this.heads = {
      critic: criticHead,
      actor: this.layer(`actor${index}`, top, shape.outputs, ACTOR_GAIN, 'identity', last, pair ? 'first' : 'alone'),
    };
    this.towers = { actor, critic };
    this.logStdOffset =
      shape.initialLogStd === undefined ? 0 : this.layout.add('actor_logstd', [shape.outputs], shape.initialLogStd);
    this.logStdGradient = linearBackwardWeight({ inputs: 0, outputs: shape.outputs }, 'plain', false);
    for (const layer of this.layers()) this.kernelsOf.set(layer, this.makeKernels(layer));
  }

  private layers(): Layer[] {
    const { trunk, towers, heads } = this;
    return [...trunk, ...towers.actor, ...towers.critic, heads.actor, heads.critic].filter(
      (layer) => layer !== undefined,
    );
  }

  /** Only now is it known how long the arrays are. */
  private makeKernels(layer: Layer): LayerKernels {
    const { forms, layout, room } = this;
    const head = Object.values(this.heads).includes(layer);
    const input = this.isFirst(layer) ? undefined : this.hiddenLength(layer.inputs);
    const gradient = head ? undefined : room * layer.outputs;
    const parameters = layout.size;
    const forward = { parameters, input, result: head ? undefined : this.hiddenLength(layer.outputs) };
    return {
      forward: linearForward(layer, layer.activation, forms.rows, forward),
      forwardFew: linearForward(layer, layer.activation, forms.few, forward),
      backwardInput: linearBackwardInput(layer, layer.below, forms.rows, layer.role, {
        parameters,
        gradient,
        made: input,
        result: room * layer.inputs,
      }),
      backwardWeight: linearBackwardWeight(layer, forms.weights, this.isFirst(layer), {
        input,
        gradient,
        partials: forms.parts * layout.size,
      }),
    };
  }

  private forwardOf(layer: Layer, rows: number): LayerKernels['forward'] {
    const { forward, forwardFew } = this.of(layer);
    return rows <= FEW_ROWS ? forwardFew : forward;
  }

  private of(layer: Layer): LayerKernels {
    return this.kernelsOf.get(layer) as LayerKernels;
  }

  /** Every kernel that the policy runs, to compile ahead. */
  kernels(): Kernel[] {
    const all = this.layers().flatMap((layer) => {
      const { forward, forwardFew, backwardInput, backwardWeight } = this.of(layer);
      return [forward, forwardFew, backwardWeight, ...(this.isFirst(layer) ? [] : [backwardInput])];
    });
    return [
      ...all,
      ...(this.shape.initialLogStd === undefined ? [] : [this.logStdGradient]),
      sum,
    ] as unknown as Kernel[];
  }

  /** rows → logits or means, `outputs` [*, A] from row `outputFirst` on. */
  actor(parameters: DeviceBuffer, rows: Rows, outputs: DeviceBuffer, outputFirst = 0): void {
    this.pass('actor', parameters, rows, outputs, outputFirst);
  }

  /** rows → values, `values` [*] from row `outputFirst` on. */
  critic(parameters: DeviceBuffer, rows: Rows, values: DeviceBuffer, outputFirst = 0): void {
    this.pass('critic', parameters, rows, values, outputFirst);
  }

  /** One tower and its head, in chunks where there are more rows than room. */
  private pass(tower: Tower, parameters: DeviceBuffer, rows: Rows, outputs: DeviceBuffer, outputFirst: number): void {
    for (let at = 0; at < rows.count; at += this.room) {
      const chunk = { ...rows, first: rows.first + at, count: Math.min(this.room, rows.count - at) };
      const top = this.hiddenForward(parameters, tower, chunk);
      this.head(this.heads[tower] as Layer, parameters, chunk, top, outputs, outputFirst + at);
    }
  }

  /** Both for one minibatch, leaving the hidden activations for `backward`. */
  forward(parameters: DeviceBuffer, rows: Rows, outputs: DeviceBuffer, values: DeviceBuffer): void {
    this.actor(parameters, rows, outputs);
    if (!this.heads.critic) return;
    // On a shared trunk the actor's pass has left what the critic's head needs.
    const top =
      this.shape.trunk === 'shared' ? this.top('actor', rows) : this.hiddenForward(parameters, 'critic', rows);
    this.head(this.heads.critic, parameters, rows, top, values, 0);
  }

  /**
   * Gradient of the loss with respect to all parameters, into `gradient` [parameters], for the minibatch
   * of the last `forward`; its rows must come by indices. `outputGradient`
   * is the loss kernel's: sections [B, A] of the actor's outputs, [B] of the values, [B, A] of log σ.
   */
  backward(parameters: DeviceBuffer, rows: Rows, outputGradient: DeviceBuffer, gradient: DeviceBuffer): void {
    const { outputs, trunk } = this.shape;
    const valueFirst = rows.count * outputs;
    if (this.shape.initialLogStd !== undefined)
      this.backwardLogStd(rows.count, outputGradient, valueFirst + rows.count);
    const actorHead = this.heads.actor as Layer;
    if (trunk === 'shared') {
      const heads: [Layer, number][] = [[actorHead, 0]];
      if (this.heads.critic) heads.push([this.heads.critic, valueFirst]);
      this.backwardTower(parameters, 'actor', this.trunk, heads, rows, outputGradient);
    } else {
      this.backwardTower(parameters, 'actor', this.towers.actor, [[actorHead, 0]], rows, outputGradient);
      if (this.heads.critic)
        this.backwardTower(
          parameters,
          'critic',
          this.towers.critic,
          [[this.heads.critic, valueFirst]],
          rows,
          outputGradient,
        );
    }
    const { parts } = this.split(rows.count);
    this.pool.executor.run(
      sum,
      { input: this.partials(), sums: gradient },
      { rows: parts, columns: this.layout.size, partials: 1 },
    );
  }

  private tower(name: string): Layer[] {
    const { hidden, activation, observationSize } = this.shape;
    return hidden.map((width, i) =>
      this.layer(
        `${name}.${2 * i}`,
        hidden[i - 1] ?? observationSize,
        width,
        HIDDEN_GAIN,
        activation,
        i === 0 ? 'identity' : activation,
      ),
    );
  }

  private layer(
    name: string,
    inputs: number,
    outputs: number,
    gain: number,
    activation: ActivationName,
    below: ActivationName,
    role: Role = 'alone',
  ): Layer {
    const weight = this.layout.add(`${name}.weight`, [outputs, inputs], gain);
    const bias = this.layout.add(`${name}.bias`, [outputs], 0);
    return { name, inputs, outputs, weight, bias, activation, below, role };
  }

  private isFirst(layer: Layer): boolean {
    return (
      layer === this.trunk[0] ||
      layer === this.towers.actor[0] ||
      layer === this.towers.critic[0] ||
      this.shape.hidden.length === 0
    );
  }

  private layersOf(tower: Tower): readonly Layer[] {
    return this.shape.trunk === 'shared' ? this.trunk : this.towers[tower];
  }

  /** Activations of a hidden layer; followed by its pre-activations where the derivative needs them. */
  private hidden(tower: Tower, index: number): DeviceBuffer {
    const owner = this.shape.trunk === 'shared' ? 'trunk' : tower;
    return this.pool.f32(`${owner} hidden ${index}`, this.hiddenLength(this.shape.hidden[index]));
  }

  private hiddenLength(width: number): number {
    return this.room * width * (ACTIVATIONS[this.shape.activation].needsInput ? 2 : 1);
  }

  /** What the heads read, once `hiddenForward` has made it: the observations themselves where there is no hidden layer. */
  private top(tower: Tower, rows: Rows): DeviceBuffer {
    const depth = this.shape.hidden.length;
    return depth === 0 ? rows.observations : this.hidden(tower, depth - 1);
  }

  private preOffset(width: number): number {
    return ACTIVATIONS[this.shape.activation].needsInput ? this.room * width : 0;
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
    return { input_first: rows.first, indices_first: rows.first };
  }

  private noIndices(): DeviceBuffer {
    return this.pool.u32('no indices', 1);
  }

  private hiddenForward(parameters: DeviceBuffer, tower: Tower, rows: Rows): DeviceBuffer {
    let input = rows.observations;
    for (const [index, layer] of this.layersOf(tower).entries()) {
      const output = this.hidden(tower, index);
      const source =
        index === 0
          ? { ...this.source(rows), gather: Number(rows.indices !== undefined) }
          : { input_first: 0, gather: 0, indices_first: 0 };
      this.pool.executor.run(
        this.forwardOf(layer, rows.count),
        { parameters, input, indices: rows.indices ?? this.noIndices(), output },
        {
          rows: rows.count,
          ...sizes(layer),
          ...places(layer),
          ...source,
          output_first: 0,
          pre_offset: this.preOffset(layer.outputs),
        },
      );
      input = output;
    }
    return input;
  }

  private head(
    layer: Layer,
    parameters: DeviceBuffer,
    rows: Rows,
    input: DeviceBuffer,
    output: DeviceBuffer,
    output_first: number,
  ): void {
    const source =
      this.shape.hidden.length === 0
        ? { ...this.source(rows), gather: Number(rows.indices !== undefined) }
        : { input_first: 0, gather: 0, indices_first: 0 };
    this.pool.executor.run(
      this.forwardOf(layer, rows.count),
      { parameters, input, indices: rows.indices ?? this.noIndices(), output },
      { rows: rows.count, ...sizes(layer), ...places(layer), ...source, output_first, pre_offset: 0 },
    );
  }

  /** From the heads' gradients down to the first layer. Two heads on one trunk add up before the derivative. */
  private backwardTower(
    parameters: DeviceBuffer,
    tower: Tower,
    layers: readonly Layer[],
    heads: readonly [Layer, number][],
    rows: Rows,
    outputGradient: DeviceBuffer,
  ): void {
    const depth = layers.length;
    for (const [head, first] of heads) {
      this.backwardWeights(head, outputGradient, first, depth, tower, rows);
      if (depth > 0) this.backwardInputs(parameters, head, outputGradient, first, depth - 1, tower, rows);
    }
    for (let index = depth - 1; index >= 0; index--) {
      const gradient = this.hiddenGradient(index);
      this.backwardWeights(layers[index], gradient, 0, index, tower, rows);
      if (index > 0) this.backwardInputs(parameters, layers[index], gradient, 0, index - 1, tower, rows);
    }
  }

  private hiddenGradient(index: number): DeviceBuffer {
    return this.pool.f32(`hidden gradient ${index}`, this.room * this.shape.hidden[index]);
  }

  /** `depth` is how many hidden layers lie below the layer: its input is the one before. */
  private backwardWeights(
    layer: Layer,
    gradient: DeviceBuffer,
    gradient_first: number,
    depth: number,
    tower: Tower,
    rows: Rows,
  ): void {
    const input = depth === 0 ? rows.observations : this.hidden(tower, depth - 1);
    const source = depth === 0 ? this.source(rows) : { input_first: 0, indices_first: 0 };
    this.pool.executor.run(
      this.of(layer).backwardWeight,
      { gradient, input, indices: rows.indices ?? this.noIndices(), partials: this.partials() },
      {
        rows: rows.count,
        ...sizes(layer),
        ...places(layer),
        gradient_first,
        ...source,
        ...this.split(rows.count),
        stride: this.layout.size,
      },
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
      this.of(layer).backwardInput,
      { parameters, gradient, made: this.hidden(tower, index), result: this.hiddenGradient(index) },
      {
        rows: rows.count,
        ...sizes(layer),
        weight: layer.weight,
        gradient_first,
        pre_offset: this.preOffset(layer.inputs),
      },
    );
  }

  /** d log σ is a sum over rows, like the gradient of a bias: a linear layer without inputs. */
  private backwardLogStd(rows: number, gradient: DeviceBuffer, gradient_first: number): void {
    this.pool.executor.run(
      this.logStdGradient,
      { gradient, input: this.pool.f32('no input', 1), indices: this.noIndices(), partials: this.partials() },
      {
        rows,
        inputs: 0,
        outputs: this.shape.outputs,
        weight: this.logStdOffset,
        bias: this.logStdOffset,
        gradient_first,
        input_first: 0,
        indices_first: 0,
        ...this.split(rows),
        stride: this.layout.size,
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

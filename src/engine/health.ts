/**
 * Whether a run is well: after each update the numbers are looked at, and what went wrong is said with
 * the number, the reason, and the setting to blame. Bounds are wide: a healthy run never meets one.
 */
import type { AnyParameters } from './parameters';
import type { Resolved } from './resolve';
import type { Report } from './run';
import type { Slot } from './scenario';
import { mean } from './statistics';
import type { TextResolved } from './text/resolve';

export type HealthCause =
  | 'not-finite'
  | 'kl-exploded'
  | 'gradient-exploded'
  | 'entropy-collapsed'
  | 'nothing-learned'
  | 'episode-never-ends'
  | 'success-apart';

export interface HealthNotice {
  readonly cause: HealthCause;
  readonly severity: 'warn' | 'alarm';
  /** What happened, with the number. */
  readonly what: string;
  readonly why: string;
  /** The setting to blame, as a path into the scenario, and what to try. */
  readonly path: string;
  readonly advice: string;
  readonly update: number;
}

/** PPO’s usual target is 0.01–0.05 an update; a hundred times that is another policy. */
const KL_BOUND = 2;
/** Before clipping; well-scaled losses stay below 100. */
const GRADIENT_BOUND = 1e4;
/** Share of the entropy of a uniform policy below which a policy no longer explores. */
const ENTROPY_SHARE = 0.01;
/** Updates without any change of return before it is said that nothing is learned. */
const PATIENCE_SHARE = 0.3;
const MIN_PATIENCE = 20;
/** Steps without an end in any copy after which episodes seem endless. */
const ENDLESS_STEPS = 20_000;
/** Updates over which success is averaged before it is called missing. */
const RECENT_UPDATES = 10;
/** Updates in a row over which a rise of the reward without success is believed. */
const APART_UPDATES = 20;

/** What the checks must know of a run. */
interface Patient {
  readonly updates: number;
  /** Steps of each copy in an update; 0 where episodes always end. */
  readonly steps: number;
  readonly signals: readonly string[];
  /** Entropy of a policy that has not made up its mind, in nats; undefined where there is no such number. */
  readonly undecided: number | undefined;
  /** What to do where nothing is learned. */
  readonly idle: { readonly path: string; readonly advice: string };
}

function patientOf(resolved: Resolved | TextResolved): Patient {
  const { updates } = resolved.scenario.training;
  if (resolved.kind === 'text')
    return {
      updates,
      steps: 0,
      signals: resolved.phases[0].environment.signals.map(({ name }) => name),
      // Most tokens of a turn are settled by its form: little entropy is no bad sign.
      undecided: undefined,
      idle: {
        path: 'slots.rollout.parameters.group_size',
        advice: 'Imitate better demonstrations first, sample more episodes of a task, or make the task easier.',
      },
    };
  const { distribution, policy, rollout, environment } = resolved;
  return {
    updates,
    steps: rollout.steps,
    signals: environment.program.signals,
    undecided: distribution === 'categorical' && policy.outputs > 1 ? Math.log(policy.outputs) : undefined,
    idle: {
      path: 'slots.rollout.parameters.steps',
      advice: 'Explore more (entropy coefficient, more copies), make the task smaller, or reward a step on the way.',
    },
  };
}

export class Health {
  private readonly returns: number[] = [];
  private readonly rewards: number[] = [];
  private readonly successes: number[] = [];
  private stepsWithoutEnd = 0;
  private readonly dismissed = new Set<HealthCause>();
  private readonly standing = new Set<HealthCause>();

  /** `inForce`: the parameters as the person last set them, live settings included. */
  constructor(
    resolved: Resolved | TextResolved,
    private readonly inForce: () => Readonly<Record<Slot, AnyParameters>> = () => resolved.parameters,
  ) {
    this.patient = patientOf(resolved);
  }
  private readonly patient: Patient;

  dismiss(cause: HealthCause): void {
    this.dismissed.add(cause);
    this.standing.delete(cause);
  }

  /** Whether an alarm was given that nobody has dismissed: weights of this time are not good ones. */
  get alarmed(): boolean {
    return this.standing.size > 0;
  }

  /**
   * The gravest thing that is wrong after this update, if any. Each cause is said once, but for a value that is
   * not finite: nothing is learned while it lasts, so it is said each time and cannot be dismissed.
   */
  check(report: Report): HealthNotice | undefined {
    this.remember(report);
    const found = [
      this.nonfinite(report),
      this.kl(report),
      this.gradient(report),
      this.entropy(report),
      this.endless(report),
      this.apart(report),
      this.idle(report),
    ];
    const notice = found.find(
      (candidate) =>
        candidate !== undefined && (candidate.cause === 'not-finite' || !this.dismissed.has(candidate.cause)),
    );
    if (notice) this.dismissed.add(notice.cause);
    if (notice?.severity === 'alarm') this.standing.add(notice.cause);
    return notice;
  }

  private remember({ metrics, episodesEnded }: Report): void {
    this.rewards.push(metrics['charts/reward'] ?? metrics['charts/episodic_return'] ?? 0);
    if (episodesEnded > 0) {
      this.returns.push(metrics['charts/episodic_return']);
      this.successes.push(metrics['charts/success']);
      this.stepsWithoutEnd = 0;
    } else this.stepsWithoutEnd += this.patient.steps;
  }

  /** The setting whose value lies furthest from what is usual. */
  private suspect(): { path: string; advice: string } {
    const { optimizer, loss, reward } = this.inForce();
    const rate = Number(optimizer.learning_rate);
    const scale = Math.abs(Number(reward.scale));
    if (Number(loss.entropy_coefficient) < 0)
      return {
        path: 'slots.loss.parameters.entropy_coefficient',
        advice: 'A negative entropy bonus pulls the policy to one action: try 0 or 0.01.',
      };
    if (scale > 100)
      return {
        path: 'slots.reward.parameters.scale',
        advice: 'Rewards this large make gradients this large: try a scale near 1.',
      };
    if (Number(optimizer.max_grad_norm) === 0 && rate <= 0.01)
      return { path: 'slots.optimizer.parameters.max_grad_norm', advice: 'Gradients are not clipped: try 0.5.' };
    return {
      path: 'slots.optimizer.parameters.learning_rate',
      advice: `The learning rate is ${rate}: try a tenth of it.`,
    };
  }

  private nonfinite({ nonfinite, update }: Report): HealthNotice | undefined {
    if (!nonfinite) return undefined;
    return {
      cause: 'not-finite',
      severity: 'alarm',
      what: `A gradient was not a finite number at update ${update}.`,
      why: 'Some value grew beyond what 32 bits can hold. The step was not taken: the weights are the last good ones.',
      ...this.suspect(),
      update,
    };
  }

  private kl({ metrics, update }: Report): HealthNotice | undefined {
    const kl = metrics['losses/approx_kl'] ?? 0;
    if (Number.isFinite(kl) && kl < KL_BOUND) return undefined;
    return {
      cause: 'kl-exploded',
      severity: 'alarm',
      what: `The policy moved by a KL of ${format(kl)} in one update; 0.01 to 0.05 is usual.`,
      why: 'One update changed the policy so much that what it had learned before no longer counts.',
      ...this.suspect(),
      update,
    };
  }

  private gradient({ metrics, update }: Report): HealthNotice | undefined {
    const norm = metrics['losses/grad_norm'] ?? 0;
    if (norm < GRADIENT_BOUND) return undefined;
    return {
      cause: 'gradient-exploded',
      severity: 'warn',
      what: `The gradient’s norm is ${format(norm)}.`,
      why: 'The loss is very steep, mostly because values or rewards are large.',
      ...(Math.abs(Number(this.inForce().reward.scale)) > 10 || this.inForce().reward.normalize === false
        ? { path: 'slots.reward.parameters.normalize', advice: 'Normalise the reward, or make its scale smaller.' }
        : this.suspect()),
      update,
    };
  }

  private entropy({ metrics, update }: Report): HealthNotice | undefined {
    const { undecided } = this.patient;
    if (undecided === undefined) return undefined;
    const share = metrics['losses/entropy'] / undecided;
    const solved = mean(this.successes.slice(-RECENT_UPDATES)) >= 0.5;
    if (share > ENTROPY_SHARE || solved) return undefined;
    return {
      cause: 'entropy-collapsed',
      severity: 'warn',
      what: `The policy’s entropy is ${format(metrics['losses/entropy'])}, ${format(100 * share)} % of an undecided one, without success.`,
      why: 'In each state it always takes the same action, so it no longer finds out whether another is better.',
      path: 'slots.loss.parameters.entropy_coefficient',
      advice: 'Raise the entropy coefficient, or lower the learning rate, and reset.',
      update,
    };
  }

  private endless({ update }: Report): HealthNotice | undefined {
    if (this.stepsWithoutEnd < ENDLESS_STEPS) return undefined;
    return {
      cause: 'episode-never-ends',
      severity: 'warn',
      what: `No episode has ended for ${this.stepsWithoutEnd} steps of each copy.`,
      why: 'Without an end there is no return to see and, for REINFORCE, nothing to learn from.',
      path: 'slots.environment',
      advice: 'Give the environment a time limit.',
      update,
    };
  }

  /** Reward rises, success stays away: the reward asks for something else (F12). */
  private apart({ update }: Report): HealthNotice | undefined {
    const weights = this.inForce().reward.weights as readonly number[];
    const shaped = weights.slice(1).some((weight) => weight !== 0);
    const recent = this.rewards.slice(-APART_UPDATES);
    if (
      !shaped ||
      this.rewards.length < 2 * APART_UPDATES ||
      this.successes.slice(-APART_UPDATES).some((success) => success > 0.05)
    )
      return undefined;
    const before = mean(this.rewards.slice(0, APART_UPDATES));
    const now = mean(recent);
    if (now - before < 0.2 * Math.max(Math.abs(before), 1e-3)) return undefined;
    const strongest = weights
      .map((weight, i) => [Math.abs(weight), i])
      .slice(1)
      .sort((a, b) => b[0] - a[0])[0][1];
    return {
      cause: 'success-apart',
      severity: 'warn',
      what: `The reward rose from ${format(before)} to ${format(now)} a step, but success stays at ${format(100 * mean(this.successes.slice(-APART_UPDATES)))} %.`,
      why: `The agent earns the term “${this.patient.signals[strongest]}” without doing the task.`,
      path: 'slots.reward.parameters.weights',
      advice: 'Lower that weight, or reward only what cannot be had without success.',
      update,
    };
  }

  private idle({ update }: Report): HealthNotice | undefined {
    const patience = Math.max(MIN_PATIENCE, Math.ceil(PATIENCE_SHARE * this.patient.updates));
    if (this.returns.length < patience) return undefined;
    const recent = this.returns.slice(-patience);
    const success = this.successes.slice(-patience);
    const spread = Math.max(...recent) - Math.min(...recent);
    if (Math.max(...success) > 0 || spread > 1e-6) return undefined;
    return {
      cause: 'nothing-learned',
      severity: 'warn',
      what: `The return has been ${format(recent[0])} for ${patience} updates, without one success.`,
      why: 'No episode has met a reward that another has not, so there is no direction to learn in.',
      ...this.patient.idle,
      update,
    };
  }
}

function format(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : 'not a number';
}

/** Generalised advantage estimation over tokens, turns, or both. */
import { LAMBDA_RULE, sequenceLambda } from '../../../../kernels/advantage/sequence_lambda';
import { tokenGae as kernel } from '../../../../kernels/advantage/token_gae';
import type { Kernel } from '../../../../kernels/kernel';
import type { DeviceBuffer } from '../../device/executor';
import type { NumberField, Parameters } from '../../parameters';
import type { TokenAdvantageStage, TokenStageContext } from '../token_stage';
import {
  GAMMA,
  runSpread,
  runTurnPick,
  runTurnSums,
  scratch,
  shapeOf,
  TURN_KERNELS,
  WHITEN_KERNELS,
  whitenAdvantages,
} from './shared';

const ID = 'token-gae';

const LAMBDA: NumberField = {
  kind: 'number',
  label: 'λ',
  help: 'Per token: 0 trusts the critic after one token (low variance), 1 trusts only rewards (no bias).',
  default: 0.95,
  min: 0,
  max: 1,
  step: 0.01,
  live: true,
};

const parameters = {
  unit: {
    kind: 'choice',
    label: 'Time runs',
    help: 'What one step of the estimate is.',
    default: 'token',
    options: [
      { value: 'token', label: 'by token', help: 'Every token is a step, with γ and λ; observations are jumped over.' },
      { value: 'turn', label: 'by turn', help: 'A whole turn is one step, with γ and λ between turns.' },
      {
        value: 'dual',
        label: 'by token and turn',
        help: 'Tokens are steps, but the step to the next turn has its own γ and λ (Verlog).',
      },
      {
        value: 'bilevel',
        label: 'turns, then tokens',
        help: 'Turns are estimated first; each turn’s tokens then share its return (RAGEN).',
      },
    ],
  },
  gamma: { ...GAMMA, help: 'Discount from token to token; not used by turn.' },
  lambda: LAMBDA,
  turnGamma: {
    ...GAMMA,
    label: 'γ between turns',
    help: 'Discount from a turn to the next; not used by token.',
    default: 0.99,
  },
  turnLambda: {
    ...LAMBDA,
    label: 'λ between turns',
    help: 'As λ, from a turn to the next; not used by token.',
  },
  alpha: {
    kind: 'number',
    label: 'α of length',
    help: 'Above 0, λ = 1 − 1/(α · length), so that long answers trust rewards further; 0 keeps λ as it is.',
    default: 0,
    min: 0,
    max: 10,
    step: 0.05,
    live: true,
  },
  q: {
    kind: 'number',
    label: 'q of the first step',
    help: 'Above 0 (and α 0), λ is such that the first step keeps the share q of the last reward: λ = q^(1/(length − 1)).',
    default: 0,
    min: 0,
    max: 1,
    step: 0.05,
    live: true,
  },
  decoupled: {
    kind: 'flag',
    label: 'Own λ for the critic',
    help: 'The critic’s targets use another λ than the policy’s advantages; 1 keeps them free of its own errors.',
    default: false,
  },
  criticLambda: {
    ...LAMBDA,
    label: 'λ of the critic',
    help: 'Takes the place of λ for the critic’s targets.',
    default: 1,
  },
  whiten: {
    kind: 'flag',
    label: 'Whiten',
    help: 'Shift and scale the advantages of all tokens of the update to mean 0 and deviation 1.',
    default: true,
    live: true,
  },
} as const;

type Settings = Parameters<typeof parameters>;
/** How λ of each sequence is found: sequence_lambda.ts. */
interface Lambda {
  readonly rule: number;
  readonly value: number;
}
interface Steps {
  readonly rewards: DeviceBuffer;
  readonly values: DeviceBuffer;
  readonly mask: DeviceBuffer;
}
interface Estimate {
  readonly advantages: DeviceBuffer;
  readonly returns: DeviceBuffer;
}

export const tokenGae: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'GAE',
  summary: 'Advantage as a λ-weighted sum of temporal-difference errors of the critic, over the policy’s own tokens.',
  formula: 'Aₜ = Σₗ (γλ)ˡ δₜ₊ₗ,  δₜ = rₜ + γ V(sₜ₊₁) − V(sₜ)',
  source:
    'Schulman et al. 2016, arXiv:1506.02438; verl (mask), AReaL (turns), Verlog (dual), RAGEN (two levels), VAPO arXiv:2504.05118 (λ)',
  parameters,
  kernels: [kernel as unknown as Kernel, sequenceLambda as unknown as Kernel, ...TURN_KERNELS, ...WHITEN_KERNELS],
  needs: () => ['critic'],
  apply(context, settings) {
    const { advantages, returns } = context.rollout;
    const policy = policyLambda(settings);
    if (settings.decoupled) {
      const unused = scratch(context, ID).tokens('unused');
      const critic = { rule: LAMBDA_RULE.fixed, value: settings.criticLambda };
      estimate(context, settings, policy, { advantages, returns: unused });
      estimate(context, settings, critic, { advantages: unused, returns });
    } else {
      estimate(context, settings, policy, { advantages, returns });
    }
    if (settings.whiten) whitenAdvantages(context, ID);
  },
};

function policyLambda({ unit, lambda, turnLambda, alpha, q }: Settings): Lambda {
  if (alpha > 0) return { rule: LAMBDA_RULE.lengthAdaptive, value: alpha };
  if (q > 0) return { rule: LAMBDA_RULE.relativePosition, value: q };
  return { rule: LAMBDA_RULE.fixed, value: unit === 'turn' ? turnLambda : lambda };
}

/** One pass with one λ, whatever a step is. */
function estimate(context: TokenStageContext, settings: Settings, lambda: Lambda, output: Estimate): void {
  const { rewards, values, mask } = context.rollout;
  const { unit, gamma, turnGamma, turnLambda } = settings;
  if (unit === 'turn') {
    const byTurn = overTurns(context, lambda, turnGamma, false);
    runSpread(context, output.advantages, { byTurn: byTurn.advantages });
    runSpread(context, output.returns, { byTurn: byTurn.returns });
  } else if (unit === 'bilevel') {
    // The outer level gives each turn's end its return; the inner level never looks past it.
    const outer = overTurns(context, { rule: LAMBDA_RULE.fixed, value: turnLambda }, turnGamma, true);
    const atTurnEnds = scratch(context, ID).tokens('rewards');
    runSpread(context, atTurnEnds, { byTurn: outer.returns, lastOnly: true });
    runGae(context, { rewards: atTurnEnds, values, mask }, lambda, gamma, output, { gamma: 0, lambda: 0 });
  } else {
    const between = unit === 'dual' ? { gamma: turnGamma, lambda: turnLambda } : undefined;
    runGae(context, { rewards, values, mask }, lambda, gamma, output, between);
  }
}

/** Each turn as one step, valued at its first token (or its last). */
function overTurns(context: TokenStageContext, lambda: Lambda, gamma: number, lastValue: boolean): Estimate {
  const { rewards, mask } = runTurnSums(context, ID);
  const own = scratch(context, ID);
  const values = runTurnPick(context, context.rollout.values, own.tokens('turn-values'), lastValue);
  const output = { advantages: own.tokens('turn-advantages'), returns: own.tokens('turn-returns') };
  runGae(context, { rewards, values, mask }, lambda, gamma, output);
  return output;
}

function runGae(
  context: TokenStageContext,
  steps: Steps,
  { rule, value }: Lambda,
  gamma: number,
  output: Estimate,
  between?: { readonly gamma: number; readonly lambda: number },
): void {
  const { executor, rollout } = context;
  const shape = shapeOf(rollout);
  const lambdas = scratch(context, ID).sequences('lambdas');
  executor.run(sequenceLambda, { mask: steps.mask, lambdas }, { ...shape, rule, value });
  executor.run(
    kernel,
    { ...steps, turns: rollout.turns, final_values: rollout.finalValues, lambdas, ...output },
    {
      ...shape,
      gamma,
      dual: Number(between !== undefined),
      turn_gamma: between?.gamma ?? gamma,
      turn_lambda: between?.lambda ?? 0,
    },
  );
}

/** Imitation: raise the probability of what the demonstrations wrote. */
import { TOKEN_LOSSES } from '../stages/token_losses';
import { type PhaseKind, PhaseStopped, START } from './phase';

const parameters = {
  source: {
    kind: 'choice',
    label: 'Demonstrations',
    help: 'Whose episodes are copied: the scripted expert’s, the ones picked in the page, or both.',
    default: 'expert',
    options: [
      { value: 'expert', label: 'expert' },
      { value: 'picked', label: 'picked in the page' },
      { value: 'both', label: 'both' },
    ],
  },
  demonstrations: {
    kind: 'number',
    label: 'Number',
    help: 'Episodes that the expert writes; few are learned by heart, many teach the rule.',
    default: 500,
    min: 1,
    max: 20_000,
    integer: true,
    unit: 'episodes',
  },
  quality: {
    kind: 'number',
    label: 'Quality',
    help: '1: the expert solves every task; 0: it makes a beginner’s mistakes. A policy that starts at 10–25 % success has the most to learn from reward.',
    default: 0.5,
    min: 0,
    max: 1,
    step: 0.05,
  },
  steps: {
    kind: 'number',
    label: 'Steps an update',
    help: 'Gradient steps that count as one update.',
    default: 10,
    min: 1,
    max: 1000,
    integer: true,
  },
  sequences: {
    kind: 'number',
    label: 'Episodes a step',
    help: 'Demonstrations in one gradient step.',
    default: 64,
    min: 1,
    max: 1024,
    integer: true,
  },
  label_smoothing: {
    kind: 'number',
    label: 'Label smoothing',
    help: 'Share of each token’s target that is spread over all tokens that may stand there; above 0 the policy stays less sure of itself.',
    default: 0,
    min: 0,
    max: 0.9,
    step: 0.05,
  },
  ...START,
} as const;

export const imitate: PhaseKind<typeof parameters> = {
  id: 'imitate',
  title: 'Imitate',
  summary: 'Supervised learning on demonstrations: the usual cold start before reward.',
  formula: 'L = −mean log π(aₜ | sₜ)  over the tokens that the demonstrator wrote',
  source:
    'Pomerleau 1991; cold start as in DeepSeek-R1, arXiv:2501.12948; label smoothing: Szegedy et al. 2016, arXiv:1512.00567',
  parameters,
  world: 'text',
  kernels: TOKEN_LOSSES['cross-entropy'].kernels,
  sequences: ({ sequences }) => sequences,
  lacks({ source }, { demonstrations }) {
    return source === 'picked' && demonstrations === 0 ? NONE_PICKED : undefined;
  },
  async update(run, { source, demonstrations, quality, steps, sequences, label_smoothing }) {
    const expert = source === 'picked' ? [] : run.expert(demonstrations, quality);
    const shown = source === 'expert' ? expert : [...expert, ...run.collected.demonstrations];
    if (shown.length === 0) throw new PhaseStopped(NONE_PICKED.message);
    for (let step = 0; step < steps; step++) await run.imitate(run.draw(shown, sequences, step), label_smoothing);
    return {};
  },
  shows(run, { source, demonstrations, quality }, count) {
    const known = source === 'picked' ? 0 : Math.min(count, demonstrations);
    return Array.from({ length: known }, (_, episode) => run.demonstration(episode, quality));
  },
};

const NONE_PICKED = {
  key: 'source',
  message: 'It learns from demonstrations that you pick, and there is none yet.',
} as const;

/** Reinforcement: the pipeline of the scenario, from rollout to optimiser. */
import { type PhaseKind, START } from './phase';

const parameters = { ...START } as const;

export const reinforce: PhaseKind<typeof parameters> = {
  id: 'reinforce',
  title: 'Reinforce',
  summary: 'The policy writes episodes, they are rewarded, and what earned more becomes likelier.',
  formula: '',
  source: 'Sutton and Barto 2018, ch. 13',
  parameters,
  kernels: [],
  update: (run) => run.reinforce(),
};

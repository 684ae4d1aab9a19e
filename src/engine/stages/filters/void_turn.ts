/** SimpleTIR’s filter: episodes with a turn that neither calls a tool nor answers leave the loss. */
import type { Trajectory, Turn } from '../../text/trajectory';
import { type Filter, type FilterContext, mute } from './filter';

const parameters = {
  void_turn: {
    kind: 'flag',
    label: 'Leave out void turns',
    help: 'Episodes with a turn that is neither a complete call nor an answer teach nothing; their group still counts them.',
    default: false,
    live: true,
  },
} as const;

/** A turn is void if it neither holds a complete call nor an answer. */
export function isVoid(turn: { readonly call: boolean; readonly answer: boolean }): boolean {
  return !turn.call && !turn.answer;
}

/** By the environment's own signal `void`; where it has none, a turn that did not come to its end is void. */
function isVoidTurn({ signals, complete }: Turn, context: FilterContext): boolean {
  const index = context.signals.findIndex(({ name }) => name === 'void');
  return index < 0 ? !complete : signals[index] !== 0;
}

export function hasVoidTurn({ turns }: Trajectory, context: FilterContext): boolean {
  return turns.some((turn) => isVoidTurn(turn, context));
}

export const voidTurn: Filter<typeof parameters> = {
  id: 'void_turn',
  title: 'Void turns',
  summary:
    'Whole episodes with a void turn leave the loss: unlikely tokens that came to nothing would explode the gradient.',
  formula: 'mask ← mask · (1 − any turn is void)',
  source: 'Xue et al. 2025 (SimpleTIR), arXiv:2509.02479',
  parameters,
  active: (p) => p.void_turn,
  apply: (group, _, context) =>
    group.map((trajectory) => (hasVoidTurn(trajectory, context) ? mute(trajectory) : trajectory)),
};

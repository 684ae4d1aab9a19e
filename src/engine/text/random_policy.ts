/** The baseline that knows nothing: writes a turn by taking any legal token, all alike. */
import type { Random } from '../../../kernels/random/threefry';
import type { TextEnvironment } from './environment';
import { FREE, legalTokens, nextState } from './grammar';

/** A turn of `world` in `state`. With the grammar off any token but padding is legal. */
export function randomTurn<S>(world: TextEnvironment<S>, state: S, withGrammar: boolean, random: Random): number[] {
  const turn: number[] = [];
  let at = withGrammar ? world.grammarState(state) : FREE;
  while (turn.length < world.limits.turnTokens) {
    const legal = legalTokens(world.grammar, at);
    const token = legal[random.below(legal.length)];
    turn.push(token);
    if (world.stops.includes(token)) break;
    at = nextState(world.grammar, at, token) ?? FREE;
  }
  return turn;
}

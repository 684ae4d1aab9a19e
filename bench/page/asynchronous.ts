/**
 * Rollouts on episodes of uneven length: those whose slots never wait against those in which a batch of slots waits
 * for its longest episode. Same world, same untrained policy (the learning rate is 0), same slots and episodes.
 */
import { TextRun } from '../../src/engine/text/run';
import { openGpu } from './adapter';
import { search } from './search';
import { summarize, type Timing } from './timing';

const SLOTS = 64;
const GROUPS = 64;
const GROUP_SIZE = 4;
/** Questions of one to four hops; the policy answers when it likes, at the latest in the last turn. */
const WORLD = { id: 'mini-kg', hopsMin: 1, hopsMax: 4, turns: 8 };

const KINDS = ['turns', 'asynchronous'] as const;

export interface RolloutFigures {
  /** Tokens that the policy wrote, a second. */
  readonly tokens: Timing;
  readonly episodes: Timing;
  readonly turnsAnEpisode: number;
  /** Share of the slots' turns in which they waited. */
  readonly idle: number;
}

/** Both kinds in turn, update by update; the first of each is not counted: the asynchronous one has yet to fill. */
export async function rolloutKinds(updates: number): Promise<Readonly<Record<(typeof KINDS)[number], RolloutFigures>>> {
  const executor = await openGpu();
  const runs = await Promise.all(
    KINDS.map(async (id) => ({
      id,
      run: await TextRun.create(
        executor,
        search({
          environment: WORLD,
          rollout: { id, slots: SLOTS, groups: GROUPS, group_size: GROUP_SIZE },
          optimizer: { learning_rate: 0 },
        }),
        1,
      ),
      played: [] as Played[],
    })),
  );
  for (let update = 0; update <= updates; update++)
    for (const { run, played } of runs) {
      const made = await gather(run);
      if (update > 0) played.push(made);
    }
  for (const { run } of runs) run.destroy();
  executor.destroy();
  return Object.fromEntries(runs.map(({ id, played }) => [id, figuresOf(played)])) as Awaited<
    ReturnType<typeof rolloutKinds>
  >;
}

interface Played {
  readonly seconds: number;
  readonly tokens: number;
  readonly episodes: number;
  readonly turns: number;
  readonly idle: number;
}

/** One update, timed from its beginning to the end of its last turn. */
async function gather(run: TextRun): Promise<Played> {
  const start = performance.now();
  let end = start;
  const { metrics } = await run.train(undefined, () => {
    end = performance.now();
  });
  const episodes = metrics['rollout/samples'];
  return {
    seconds: (end - start) / 1000,
    tokens: episodes * metrics['rollout/tokens'],
    episodes,
    turns: metrics['rollout/turns'],
    idle: metrics['rollout/idle_share'],
  };
}

function figuresOf(played: readonly Played[]): RolloutFigures {
  const mean = (of: 'turns' | 'idle') => played.reduce((sum, one) => sum + one[of], 0) / played.length;
  const rate = (of: 'tokens' | 'episodes') =>
    summarize(
      played.map((one) => one[of] / one.seconds),
      false,
    );
  return { tokens: rate('tokens'), episodes: rate('episodes'), turnsAnEpisode: mean('turns'), idle: mean('idle') };
}

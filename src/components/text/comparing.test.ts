import { expect, it } from 'vitest';
import type { Transcript } from '../../engine/view';
import { nextPair, pairKey } from './comparing';

const episode = (number: number, task: string, reward: number, ended = true): Transcript => ({
  episode: number,
  update: 0,
  task,
  tokens: [],
  roles: [],
  turnOf: [],
  logProbs: [],
  rewards: [reward],
  signals: [],
  ended,
  truncated: false,
  success: false,
  view: { kind: 'verifier', prompt: [], answer: [], expected: [], accepted: null },
});

it('the next pair is one of a task that was not judged, with different rewards while there are such', () => {
  const all = [
    episode(1, 'a', 0),
    episode(2, 'b', 1),
    episode(3, 'a', 0),
    episode(4, 'a', 1),
    episode(5, 'a', 2, false),
  ];
  const judged = new Set<string>();
  const offered: string[] = [];
  for (let pair = nextPair(all, judged); pair !== undefined; pair = nextPair(all, judged)) {
    const key = pairKey(pair[1].episode, pair[0].episode);
    offered.push(key);
    judged.add(key);
  }
  expect(offered).toEqual(['1 4', '3 4', '1 3']);
});

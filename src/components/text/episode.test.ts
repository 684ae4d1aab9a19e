import { describe, expect, it } from 'vitest';
import { ASIDE } from '../../engine/text/trajectory';
import type { Transcript } from '../../engine/view';
import {
  advantageScale,
  blocksOf,
  divergingStep,
  endingOf,
  type Language,
  lengthOf,
  lettersOf,
  nameOf,
  originOf,
  rampStep,
  returnOf,
  rivalsOf,
  shortProbability,
} from './episode';

const language: Language = {
  vocabulary: ['·', 'END', 'SEARCH', 'ANS', 'ada', 'ilex', 'THINK', 'DOC'],
  voices: ['plain', 'plain', 'call', 'answer', 'plain', 'plain', 'thought', 'plain'],
  signals: [
    { name: 'exact', help: 'right' },
    { name: 'hop', help: 'asked' },
    { name: 'success', help: '' },
  ],
};
/** Ada? [THINK ada SEARCH ada END] DOC ilex [ANS ilex END] and padding. */
const episode: Transcript = {
  episode: 7,
  update: 3,
  task: 'ada?',
  tokens: [4, 6, 4, 2, 4, 1, 7, 5, 3, 5, 1, 0, 0],
  roles: [1, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 0, 0],
  turnOf: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2],
  logProbs: [0, Math.log(0.5), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  rewards: [0, 1],
  signals: [
    [0, 1, 0],
    [1, 0, 1],
  ],
  ended: true,
  truncated: false,
  success: true,
  view: { kind: 'verifier', prompt: [], answer: [], expected: [], accepted: null },
};

describe('an episode as it is read', () => {
  const blocks = blocksOf(episode, language);
  it('is what was asked, and then turns and answers, without padding', () => {
    expect(blocks.map(({ by, turn, tokens }) => [by, turn, tokens.map(({ name }) => name).join(' ')])).toEqual([
      ['environment', -1, 'ada'],
      ['policy', 0, 'THINK ada SEARCH ada END'],
      ['environment', 0, 'DOC ilex'],
      ['policy', 1, 'ANS ilex END'],
    ]);
  });
  it('gives words the voice of what they belong to', () => {
    expect(blocks[1]?.tokens.map(({ look }) => look)).toEqual(['thought', 'thought', 'call', 'call', 'call']);
    expect(blocks[2]?.tokens.every(({ look }) => look === 'observation')).toBe(true);
    expect(blocks[3]?.tokens.every(({ look }) => look === 'answer')).toBe(true);
  });
  it('knows the probability of what the policy wrote, and of nothing else', () => {
    expect(blocks[1]?.tokens[0]?.probability).toBeCloseTo(0.5);
    expect(blocks[0]?.tokens[0]?.probability).toBeNull();
    expect(blocksOf({ ...episode, expert: true }, language)[1]?.tokens[0]?.probability).toBeNull();
    expect(originOf({ ...episode, expert: true })).toContain('by the expert');
  });
  it('knows the advantage of what taught, once an update has learned from it', () => {
    expect(blocks[1]?.tokens[0]?.advantage).toBeNull();
    const advantages = episode.tokens.map((_, at) => (episode.roles[at] === 2 ? at / 10 - 0.6 : 0));
    const of = (observations: boolean) =>
      blocksOf({ ...episode, taught: { advantages, observations } }, language).map(
        ({ tokens }) => tokens[0]?.advantage,
      );
    expect(of(false)).toEqual([null, expect.closeTo(-0.5), null, expect.closeTo(0.2)]);
    expect(of(true)).toEqual([0, expect.closeTo(-0.5), 0, expect.closeTo(0.2)]);
    const scale = advantageScale({ ...episode, taught: { advantages, observations: false } });
    expect(scale).toBeCloseTo(0.5);
    expect([-0.5, -0.05, 0, 0.5].map((advantage) => divergingStep(advantage, scale))).toEqual([-4, -0, 0, 4]);
    expect(divergingStep(0, advantageScale(episode))).toBe(0);
  });
  it('names what a finished turn earned: the signals that are not 0, and never success', () => {
    expect(blocks[1]?.earned).toEqual({ reward: 0, signals: [{ name: 'hop', help: 'asked', value: 1 }] });
    expect(blocks[3]?.earned).toEqual({ reward: 1, signals: [{ name: 'exact', help: 'right', value: 1 }] });
    const running = blocksOf({ ...episode, rewards: [0], ended: false }, language);
    expect(running[3]?.earned).toBeUndefined();
  });
  it('keeps two turns apart that no answer parts', () => {
    const apart = { ...episode, tokens: [4, 3, 1, 3, 1], roles: [1, 2, 2, 2, 2], turnOf: [0, 0, 0, 1, 1] };
    expect(blocksOf(apart, language).map(({ turn }) => turn)).toEqual([-1, 0, 1]);
  });
  it('has a length and a return', () => {
    expect(lengthOf(episode)).toEqual({ turns: 2, tokens: 8 });
    expect(returnOf(episode)).toBe(1);
  });
});

describe('how an episode ended', () => {
  it('is one of four', () => {
    expect(endingOf(episode)).toBe('success');
    expect(endingOf({ ...episode, success: false })).toBe('failure');
    expect(endingOf({ ...episode, success: false, truncated: true })).toBe('truncated');
    expect(endingOf({ ...episode, success: false, ended: false })).toBe('writing');
  });
});

it('an episode is compared with finished ones of its own task', () => {
  const other = { ...episode, episode: 8 };
  const running = { ...episode, episode: 9, ended: false };
  const another = { ...episode, episode: 10, task: 'bea?' };
  expect(rivalsOf(episode, [episode, other, running, another])).toEqual([other]);
});

it('an episode has its number, one written aside a number of its own', () => {
  expect(nameOf({ ...episode, episode: 1234 })).toBe('episode 1,234');
  expect(nameOf({ ...episode, episode: ASIDE + 2 })).toBe('try-out 3');
});

it('tasks have letters where there are several', () => {
  const asked = (...tasks: readonly string[]) => lettersOf(tasks.map((task) => ({ ...episode, task })));
  expect([...asked('b?', 'a?', 'b?')]).toEqual([
    ['b?', 'A'],
    ['a?', 'B'],
  ]);
  expect(asked('a?', 'a?').size).toBe(0);
});

describe('probabilities', () => {
  it('fill the ramp from end to end', () => {
    expect([0, 0.1, 0.5, 0.99, 1].map(rampStep)).toEqual([0, 0, 4, 8, 8]);
  });
  it('are short under a token', () => {
    expect([0.0001, 0.831, 0.994, 1].map(shortProbability)).toEqual(['<.01', '.83', '.99', '1']);
  });
});

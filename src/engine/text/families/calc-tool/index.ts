/** Arithmetic with tools: what the operators do stands in tables that only the tools know. */
import type { Parameters, Problem, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { limitProblems } from '../shared';
import { MOST_OPERATORS } from './tables';
import { type CalcSettings, CalcWorld } from './world';

const schema = {
  tables: {
    kind: 'choice',
    label: 'Operators',
    default: 'hidden',
    options: [
      {
        value: 'hidden',
        label: 'drawn for each task',
        help: 'Only the tool knows them: without a call the answer is a guess.',
      },
      {
        value: 'known',
        label: 'arithmetic, modulo the base',
        help: 'The same in every task: the policy may learn them by heart.',
      },
    ],
    help: 'What the operators do.',
  },
  operators: {
    kind: 'number',
    label: 'Kinds of operator',
    default: 2,
    min: 1,
    max: MOST_OPERATORS,
    integer: true,
    help: 'Different operators in the expressions.',
  },
  base: {
    kind: 'number',
    label: 'Digits',
    default: 10,
    min: 2,
    max: 32,
    integer: true,
    help: 'Numbers run from 0 to one below it. More make guessing worthless.',
  },
  operandsMin: {
    kind: 'number',
    label: 'Fewest operands',
    default: 3,
    min: 2,
    max: 5,
    integer: true,
    help: 'Of the easiest expression; it takes one call fewer to work out.',
  },
  operandsMax: {
    kind: 'number',
    label: 'Most operands',
    default: 3,
    min: 2,
    max: 5,
    integer: true,
    help: 'Of the hardest expression.',
  },
  turns: {
    kind: 'number',
    label: 'Turns',
    default: 5,
    min: 1,
    max: 16,
    integer: true,
    help: 'An episode ends with the answer or after so many turns. Spare turns allow to try a failed call again.',
  },
  tool: {
    kind: 'flag',
    label: 'Tools may be called',
    default: true,
    help: 'Off: the policy can only think and answer, as in reinforcement learning on text alone.',
  },
  failures: {
    kind: 'list',
    label: 'Tools: how often each fails',
    default: [0],
    min: 0,
    max: 0.9,
    minLength: 1,
    maxLength: 4,
    help: 'One number a tool: the probability that a call that can be read returns an error.',
  },
  costs: {
    kind: 'list',
    label: 'Tools: cost of a call',
    default: [0],
    min: 0,
    max: 10,
    minLength: 1,
    maxLength: 4,
    help: 'One number a tool, reported as a signal: give it a negative weight in the reward, and the policy learns to choose.',
  },
  strict: {
    kind: 'flag',
    label: 'Strict grammar',
    default: true,
    help: 'Only calls that can be read are legal. Off: arguments come in any order, with BAD among them, and such calls return an error.',
  },
  thought: {
    kind: 'number',
    label: 'Longest thought',
    default: 0,
    min: 0,
    max: 32,
    integer: true,
    unit: 'tokens',
    help: 'Turns that only think use up turns and bring nothing: void turns. 0: there are none.',
  },
  beginnerMalformed: {
    kind: 'number',
    label: 'Beginner: malformed calls',
    default: 0.7,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'Share of calls that an expert of quality 0 writes malformed before it tries again; falls to 0 at quality 1. Needs the loose grammar.',
  },
  beginnerSlips: {
    kind: 'number',
    label: 'Beginner: slips',
    default: 0.5,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'Share of digits and operators that an expert of quality 0 mistakes; falls to 0 at quality 1.',
  },
  beginnerThoughts: {
    kind: 'number',
    label: 'Beginner: thoughts',
    default: 0.3,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'Share of turns that an expert of quality 0 spends on a thought; falls to 0 at quality 1. Needs thoughts.',
  },
  tasks: {
    kind: 'number',
    label: 'Tasks',
    default: 65_536,
    min: 2,
    max: 1_000_000,
    integer: true,
    help: 'Different tasks. With drawn operators half of them are kept for evaluation.',
  },
} satisfies Schema;

function settingsOf(given: Parameters<typeof schema>): CalcSettings {
  return {
    ...given,
    known: given.tables === 'known',
    tools: given.tool ? given.failures.length : 0,
    beginner: {
      malformed: given.beginnerMalformed,
      slips: given.beginnerSlips,
      thoughts: given.thought > 0 ? given.beginnerThoughts : 0,
    },
  };
}

export const calcTool: TextFamily<typeof schema> = {
  id: 'calc-tool',
  title: 'Arithmetic with tools',
  summary: 'Work out a ∘ b ⋆ c by calling tools that know the operators, fail at times and may cost something.',
  formula: 'answer = ((a ∘ b) ⋆ c) …, from left to right',
  source:
    'after ReTool (Feng et al. 2025, arXiv 2504.11536) and rStar2-Agent (Shang et al. 2025, arXiv 2508.20722), in miniature',
  parameters: schema,
  problems(given, path) {
    const problems: Problem[] = [];
    if (given.operandsMin > given.operandsMax)
      problems.push({
        path: `${path}.operandsMin`,
        message: `must not be more than the most operands, ${given.operandsMax}`,
      });
    if (given.costs.length !== given.failures.length)
      problems.push({
        path: `${path}.costs`,
        message: `must have as many entries as there are tools, ${given.failures.length}, not ${given.costs.length}`,
      });
    if (given.tool && given.turns < given.operandsMax)
      problems.push({
        path: `${path}.turns`,
        message: `is too few: the hardest expression needs ${given.operandsMax} turns`,
      });
    if (problems.length > 0) return problems;
    return limitProblems(new CalcWorld(settingsOf(given)), {
      vocabulary: `${path}.base`,
      length: `${path}.turns`,
      grammar: `${path}.base`,
    });
  },
  build: (given) => new CalcWorld(settingsOf(given)),
};

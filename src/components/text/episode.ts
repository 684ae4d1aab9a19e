/** An episode of tokens as the reader sees it: who spoke when, in which voice, what each turn earned, how it ended. */
import { ASIDE, ROLE } from '../../engine/text/trajectory';
import type { Transcript } from '../../engine/view';
import type { Shapes, TextShapes } from '../../worker/protocol';

export type Look = TextShapes['voices'][number] | 'observation';

export interface ShownToken {
  /** Place in the episode. */
  readonly at: number;
  readonly name: string;
  readonly look: Look;
  /** With which the policy wrote it; null where the environment, the expert or a person did. */
  readonly probability: number | null;
  /** A person gave it, and the policy went on from it. */
  readonly given: boolean;
  /** By which the last update moved it; null where it did not teach, or no update has learned from it yet. */
  readonly advantage: number | null;
}

/** A stretch that one side wrote: a turn of the policy, what was asked, or what came back. */
export interface Block {
  readonly by: 'policy' | 'environment';
  /** From 0; −1 for what is asked. */
  readonly turn: number;
  readonly tokens: readonly ShownToken[];
  /** Of a finished turn of the policy. */
  readonly earned?: Earned;
}

export interface Earned {
  readonly reward: number;
  /** Those that are not 0. Success is the environment's verdict, not a signal among others. */
  readonly signals: readonly { readonly name: string; readonly help: string; readonly value: number }[];
}

/** What it takes to read an episode: the 'ready' event's shapes. */
export interface Language {
  readonly vocabulary: readonly string[];
  readonly voices: TextShapes['voices'];
  readonly signals: readonly { readonly name: string; readonly help: string }[];
}

export function languageOf({ signals, text }: Shapes): Language {
  const explained = signals.map((name, index) => ({ name, help: text?.signalHelp[index] ?? '' }));
  return { vocabulary: text?.vocabulary ?? [], voices: text?.voices ?? [], signals: explained };
}

/** Padding is never part of an episode that is shown. */
export function blocksOf(transcript: Transcript, language: Language): Block[] {
  const { tokens, roles, turnOf, logProbs, taught, expert, given = 0 } = transcript;
  const first = roles.indexOf(ROLE.action);
  const blocks: { by: Block['by']; turn: number; tokens: ShownToken[] }[] = [];
  let acted = false;
  let voice: Look = 'plain';
  for (const [at, token] of tokens.entries()) {
    const role = roles[at];
    if (role !== ROLE.observation && role !== ROLE.action) continue;
    const by = role === ROLE.action ? 'policy' : 'environment';
    acted ||= role === ROLE.action;
    const turn = acted ? (turnOf[at] ?? 0) : -1;
    const last = blocks.at(-1);
    const begins = last === undefined || last.by !== by || last.turn !== turn;
    if (begins) voice = 'plain';
    // The words of a call or an answer belong to it, up to the next word that has a voice of its own.
    const own = language.voices[token] ?? 'plain';
    if (own !== 'plain') voice = own;
    const isGiven = by === 'policy' && at < first + given;
    const shown: ShownToken = {
      at,
      given: isGiven,
      name: language.vocabulary[token] ?? String(token),
      look: by === 'policy' ? voice : 'observation',
      probability: by === 'policy' && !expert && !isGiven ? Math.exp(logProbs[at] ?? 0) : null,
      advantage: taught && (by === 'policy' || taught.observations) ? (taught.advantages[at] ?? null) : null,
    };
    if (begins) blocks.push({ by, turn, tokens: [shown] });
    else last.tokens.push(shown);
  }
  return blocks.map((block) => {
    const earned = block.by === 'policy' ? earnedIn(transcript, block.turn, language.signals) : undefined;
    return earned === undefined ? block : { ...block, earned };
  });
}

function earnedIn({ rewards, signals }: Transcript, turn: number, known: Language['signals']): Earned | undefined {
  const reward = rewards[turn];
  if (reward === undefined) return undefined;
  return {
    reward,
    signals: (signals[turn] ?? []).flatMap((value, index) => {
      const { name, help } = known[index] ?? { name: `signal ${index + 1}`, help: '' };
      return value === 0 || name === 'success' ? [] : [{ name, help, value }];
    }),
  };
}

export type Ending = 'writing' | 'success' | 'failure' | 'truncated';

export function endingOf({ ended, truncated, success }: Transcript): Ending {
  if (!ended && !truncated) return 'writing';
  if (success) return 'success';
  return truncated ? 'truncated' : 'failure';
}

export function returnOf({ rewards }: Transcript): number {
  return rewards.reduce((sum, reward) => sum + reward, 0);
}

/** Turns that have begun, and tokens that the policy wrote. */
export function lengthOf({ roles, turnOf }: Transcript): { readonly turns: number; readonly tokens: number } {
  const written = roles.flatMap((role, at) => (role === ROLE.action ? [turnOf[at] ?? 0] : []));
  return { turns: new Set(written).size, tokens: written.length };
}

/** Steps of the ramp of probability, as tokens.css has them. */
export const RAMP_STEPS = 9;

/** Largest size of an advantage in the episode; 0 where none is known. */
export function advantageScale({ taught }: Transcript): number {
  return Math.max(0, ...(taught?.advantages ?? []).map(Math.abs));
}

/** Step −4 … 4 of the diverging ramp; the scale’s ends are symmetric, and 0 is always the middle. */
export function divergingStep(advantage: number, scale: number): number {
  return scale > 0 ? Math.round((4 * advantage) / scale) : 0;
}

/** The step of the ramp for a probability of 0 to 1. */
export function rampStep(probability: number): number {
  return Math.min(RAMP_STEPS - 1, Math.floor(probability * RAMP_STEPS));
}

/** “.83”, “1”, “<.01”: short enough to stand under a token. */
export function shortProbability(probability: number): string {
  if (probability >= 0.995) return '1';
  if (probability < 0.005) return '<.01';
  return probability.toFixed(2).slice(1);
}

/** Where an episode of the run comes from, in words. */
export function originOf({ episode, update, expert }: Transcript): string {
  if (expert) return `demonstration ${(episode + 1).toLocaleString('en')} by the expert, imitated`;
  return `episode ${episode.toLocaleString('en')}, update ${update}`;
}

/** “episode 12”; “try-out 3” where it was written aside from training. */
export function nameOf({ episode }: Transcript): string {
  return episode < ASIDE ? `episode ${episode.toLocaleString('en')}` : `try-out ${episode - ASIDE + 1}`;
}

/** Finished episodes of the same task as this one, others than itself: what it can be compared with. */
export function rivalsOf(one: Transcript, all: readonly Transcript[]): readonly Transcript[] {
  return all.filter(
    (other) => other.episode !== one.episode && other.task === one.task && endingOf(other) !== 'writing',
  );
}

/** A letter for each task, in the order of the episodes; none where all have the same. */
export function lettersOf(episodes: readonly Transcript[]): ReadonlyMap<string, string> {
  const tasks = [...new Set(episodes.map(({ task }) => task))];
  return new Map(tasks.length < 2 ? [] : tasks.map((task, index) => [task, String.fromCharCode(65 + index)]));
}

export const count = (many: number, one: string) => `${many.toLocaleString('en')} ${one}${many === 1 ? '' : 's'}`;

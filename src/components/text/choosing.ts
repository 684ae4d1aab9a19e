/** Choosing tokens by hand: which key stands for which, what typed text means, and how the episode stands. */
import type { Transcript } from '../../engine/view';
import { endingOf, type Language, returnOf } from './episode';

/** Keys of the chips in order; R, H and / have their own meaning. */
const KEYS = '1234567890abcdefgijklmnopqstuvwxyz';

export interface Choosable {
  readonly token: number;
  readonly name: string;
  /** The key that writes it; undefined beyond the first thirty-odd. */
  readonly key: string | undefined;
}

export function choosable(
  legal: readonly number[],
  { vocabulary }: Pick<Language, 'vocabulary'>,
): readonly Choosable[] {
  return legal.map((token, index) => ({ token, name: vocabulary[token] ?? String(token), key: KEYS[index] }));
}

/** Those whose names begin with what was typed; the exact one alone where there is one. Capitals do not matter. */
export function matching(all: readonly Choosable[], typed: string): readonly Choosable[] {
  const text = typed.trim();
  if (text === '') return all;
  const exact = all.find(({ name }) => name === text);
  if (exact !== undefined) return [exact];
  const lower = text.toLowerCase();
  const same = all.filter(({ name }) => name.toLowerCase() === lower);
  return same.length > 0 ? same : all.filter(({ name }) => name.toLowerCase().startsWith(lower));
}

/** One sentence on how it stands; announced too. */
export function standing(transcript: Transcript, legal: number, returnText: (value: number) => string): string {
  const reward = returnText(returnOf(transcript));
  switch (endingOf(transcript)) {
    case 'success':
      return `Episode over: success, reward ${reward}.`;
    case 'failure':
      return `Episode over: no success, reward ${reward}.`;
    case 'truncated':
      return `Cut by a limit: no success, reward ${reward}.`;
    case 'writing':
      return `Your turn ${transcript.rewards.length + 1}: ${legal} ${legal === 1 ? 'token' : 'tokens'} may follow.`;
  }
}

/** The tokens that typed names stand for, or what is wrong with them. Capitals do not matter where one alone fits. */
export function tokensOf(
  typed: string,
  { vocabulary }: Pick<Language, 'vocabulary'>,
): { readonly tokens: readonly number[] } | { readonly problem: string } {
  const names = typed.trim() === '' ? [] : typed.trim().split(/\s+/);
  const tokens = names.map((name) => {
    const exact = vocabulary.indexOf(name);
    const same = vocabulary.flatMap((one, token) => (one.toLowerCase() === name.toLowerCase() ? [token] : []));
    return exact < 0 && same.length === 1 ? same[0] : exact;
  });
  const unknown = tokens.indexOf(-1);
  return unknown < 0 ? { tokens } : { problem: `“${names[unknown].slice(0, 40)}” is no token of this world.` };
}

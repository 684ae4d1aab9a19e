/**
 * What is known of a slot, a sequence that grows while its batch is sampled: six words u32, [slots, 6].
 * The one place that says how they are packed; the engine fills them before a turn and reads them after it.
 */
export const SLOT = {
  /** Tokens written so far, observations and turns together. */
  length: 0,
  /** Tokens that the model has been fed. */
  fed: 1,
  /** 1 while the policy writes a turn here. */
  sampling: 2,
  /** Tokens written in this turn. */
  written: 3,
  /** Grammar state in which the next token is chosen. */
  state: 4,
  /** The episode's number: names its random numbers, whichever slot it sits in. */
  key: 5,
} as const;

export const SLOT_WORDS = Object.keys(SLOT).length;

/** The same names in WGSL: SLOT_WORDS, SLOT_LENGTH, SLOT_FED, … */
export const SLOT_WGSL = [
  `const SLOT_WORDS = ${SLOT_WORDS}u;`,
  ...Object.entries(SLOT).map(([name, word]) => `const SLOT_${name.toUpperCase()} = ${word}u;`),
].join('\n');

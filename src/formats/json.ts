/**
 * JSON from outside: where it breaks (in bytes and lines, the same in every browser), how deep it nests, and
 * keys that could reach into every object. Values are still made by JSON.parse, once this scan agrees.
 */

/** Deeper than any file of ours; a scan that recurses this far is safe on every stack. */
export const MAX_DEPTH = 64;

export interface SyntaxFault {
  /** UTF-16 index into the text. */
  readonly index: number;
  readonly message: string;
}

/** The first place where `text` is not JSON (RFC 8259) or nests deeper than MAX_DEPTH; undefined when it is fine. */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  let at = 0;
  const fail = (message: string, index = at): never => {
    throw new Fault(index, message);
  };
  const skipSpace = () => {
    while (at < text.length && ' \t\n\r'.includes(text[at] ?? '')) at++;
  };
  const seen = () =>
    at >= text.length ? 'the end of the file' : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const expect = (character: string, where: string) => {
    if (text[at] !== character) fail(`expected “${character}” ${where}, found ${seen()}`);
    at++;
  };

  function value(depth: number): void {
    if (depth > MAX_DEPTH) fail(`nests deeper than ${MAX_DEPTH} levels`);
    skipSpace();
    const character = text[at];
    if (character === '{') members(depth);
    else if (character === '[') items(depth);
    else if (character === '"') string();
    else scalar();
    skipSpace();
  }
  function members(depth: number): void {
    at++;
    skipSpace();
    if (text[at] === '}') return void at++;
    for (;;) {
      skipSpace();
      if (text[at] !== '"') fail(`expected a name in double quotes, found ${seen()}`);
      string();
      skipSpace();
      expect(':', 'after the name');
      value(depth + 1);
      if (text[at] === '}') return void at++;
      expect(',', 'or “}” after the value');
    }
  }
  function items(depth: number): void {
    at++;
    skipSpace();
    if (text[at] === ']') return void at++;
    for (;;) {
      value(depth + 1);
      if (text[at] === ']') return void at++;
      expect(',', 'or “]” after the entry');
    }
  }
  function string(): void {
    const start = at++;
    for (;;) {
      const character = text[at];
      if (character === undefined) fail('this text never ends', start);
      else if (character === '"') return void at++;
      else if (character < ' ') fail('a line break or control character inside a text');
      else if (character === '\\') {
        const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6))?.[0];
        if (escaped === undefined) fail('an escape that JSON does not know');
        at += 1 + (escaped?.length ?? 0);
      } else at++;
    }
  }
  function scalar(): void {
    const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(text.slice(at, at + 400))?.[0];
    if (word === undefined) fail(`expected a value, found ${seen()}`);
    at += word?.length ?? 0;
  }

  try {
    value(1);
    if (at < text.length) fail(`expected the end of the file, found ${seen()}`);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return { index: error.index, message: error.message };
    throw error;
  }
}

class Fault extends Error {
  constructor(
    readonly index: number,
    message: string,
  ) {
    super(message);
  }
}

/** “byte 12, line 2, column 5”, counted from 1 except the byte, which is an offset. */
export function describePlace(text: string, index: number): string {
  const before = text.slice(0, index);
  const lines = before.split('\n');
  return `byte ${new TextEncoder().encode(before).length}, line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Paths of keys that name a prototype: refused wherever they stand. */
export function findForbiddenKeys(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const here = path === '' ? key : `${path}.${key}`;
    const own = FORBIDDEN.has(key) && !Array.isArray(value) ? [here] : [];
    return [...own, ...findForbiddenKeys((value as Record<string, unknown>)[key], here)];
  });
}
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Tokens as chips: who wrote them, in which voice, whether they teach; or with what probability, or what advantage. */
import type { ReactNode } from 'react';
import { divergingStep, RAMP_STEPS, rampStep, type ShownToken, shortProbability } from './episode';

export type Colouring = 'role' | 'probability' | 'advantage';

interface TokenLook {
  readonly colouring: Colouring;
  /** Observations are part of the loss. */
  readonly teach: boolean;
  /** Advantage at the ends of the diverging ramp. */
  readonly scale: number;
}

export function Tokens({ tokens, ...look }: TokenLook & { readonly tokens: readonly ShownToken[] }) {
  return (
    <p className="tokens">
      {tokens.map((token) => (
        <Chip key={token.at} token={token} {...look} />
      ))}
    </p>
  );
}

function Chip({ token, colouring, teach, scale }: TokenLook & { readonly token: ShownToken }) {
  const { name, look, probability, advantage, given } = token;
  // A space after each, so that the line reads and copies as text.
  if (colouring === 'probability' && probability !== null)
    return (
      <>
        <Graded name={name} ramp={ramp(rampStep(probability))} title={`probability ${probability.toFixed(3)}`}>
          <small>{shortProbability(probability)}</small>
        </Graded>{' '}
      </>
    );
  if (colouring === 'advantage' && advantage !== null)
    return (
      <>
        <Graded
          name={name}
          ramp={diverging(divergingStep(advantage, scale))}
          title={`advantage ${signed(advantage, 3)}`}
        >
          <small>{signed(advantage, 2)}</small>
          <i
            className={`bar ${advantage < 0 ? 'down' : 'up'}`}
            style={{ height: `${scale > 0 ? (4 * Math.abs(advantage)) / scale : 0}px` }}
            aria-hidden
          />
        </Graded>{' '}
      </>
    );
  const masked = look === 'observation' && !teach ? ' masked' : '';
  return (
    <>
      <span className={`token ${look}${masked}${given ? ' given' : ''}`} title={given ? 'given by you' : undefined}>
        {name}
      </span>{' '}
    </>
  );
}

interface Ramp {
  readonly background: string;
  readonly color: string;
}

function Graded({
  name,
  ramp,
  title,
  children,
}: {
  readonly name: string;
  readonly ramp: Ramp;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <span className="token graded" style={ramp} title={title}>
      {name}
      {children}
    </span>
  );
}

const ramp = (step: number): Ramp => ({
  background: `var(--seq-${step})`,
  color: `var(--seq-ink-${step >= 5 ? 'hi' : 'lo'})`,
});

/** Ink by the ground’s depth, as tokens.css says. */
const DIVERGING_INK = ['--div-ink', '--div-ink', '--div-ink', '--div-ink-3', '--div-ink-end'];
const DIVERGING = ['n4', 'n3', 'n2', 'n1', '0', 'p1', 'p2', 'p3', 'p4'];
const diverging = (step: number): Ramp => ({
  background: `var(--div-${DIVERGING[step + 4]})`,
  color: `var(${DIVERGING_INK[Math.abs(step)]})`,
});

/** With a sign, also where it is more than 0, and a true minus. */
function signed(value: number, digits: number): string {
  return `${value < 0 ? '\u2212' : '+'}${Math.abs(value).toFixed(digits)}`;
}

const VOICES = {
  thought: 'thought',
  call: 'tool call',
  plain: 'other words',
  answer: 'answer',
} as const;

/** What the chips mean, beside them, with the numbers of the ramp. */
export function TokenLegend({
  voices,
  colouring,
  teach,
}: Pick<TokenLook, 'colouring' | 'teach'> & {
  /** Those that this world has. */
  readonly voices: readonly (keyof typeof VOICES)[];
}) {
  const known = (Object.keys(VOICES) as (keyof typeof VOICES)[]).filter((voice) => voices.includes(voice));
  return (
    <section className="text-legend" aria-label="What the chips mean">
      {colouring === 'role' ? (
        known.map((voice) => (
          <span key={voice} className={`token ${voice}`}>
            {VOICES[voice]}
          </span>
        ))
      ) : colouring === 'advantage' ? (
        <span className="text-ramp">
          advantage, once an update has learned from the episode: −
          <span className="ramp" aria-hidden>
            {DIVERGING.map((step) => (
              <i key={step} style={{ background: `var(--div-${step})` }} />
            ))}
          </span>
          + (least and greatest of the episode, 0 in the middle)
        </span>
      ) : (
        <span className="text-ramp">
          probability of the token: 0
          <span className="ramp" aria-hidden>
            {Array.from({ length: RAMP_STEPS }, (_, step) => step).map((step) => (
              <i key={step} style={{ background: `var(--seq-${step})` }} />
            ))}
          </span>
          1
        </span>
      )}
      <span className={`token observation${teach ? '' : ' masked'}`}>
        {teach ? 'observation, in the loss' : 'observation, not in the loss'}
      </span>
    </section>
  );
}

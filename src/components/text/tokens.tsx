/** Tokens as chips: who wrote them, in which voice, whether they teach; or with what probability. */
import { RAMP_STEPS, rampStep, type ShownToken, shortProbability } from './episode';

export type Colouring = 'role' | 'probability';

export function Tokens({
  tokens,
  colouring,
  teach,
}: {
  readonly tokens: readonly ShownToken[];
  readonly colouring: Colouring;
  /** Observations are part of the loss. */
  readonly teach: boolean;
}) {
  return (
    <p className="tokens">
      {tokens.map((token) => (
        <Chip key={token.at} token={token} colouring={colouring} teach={teach} />
      ))}
    </p>
  );
}

function Chip({ token, colouring, teach }: { token: ShownToken; colouring: Colouring; teach: boolean }) {
  const { name, look, probability } = token;
  const masked = look === 'observation' && !teach ? ' masked' : '';
  // A space after each, so that the line reads and copies as text.
  if (colouring === 'role' || probability === null)
    return (
      <>
        <span className={`token ${look}${masked}`}>{name}</span>{' '}
      </>
    );
  const step = rampStep(probability);
  return (
    <>
      <span
        className={`token graded${step >= 5 ? ' deep' : ''}`}
        style={{ background: `var(--seq-${step})` }}
        title={`probability ${probability.toFixed(3)}`}
      >
        {name}
        <small>{shortProbability(probability)}</small>
      </span>{' '}
    </>
  );
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
}: {
  /** Those that this world has. */
  readonly voices: readonly (keyof typeof VOICES)[];
  readonly colouring: Colouring;
  readonly teach: boolean;
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

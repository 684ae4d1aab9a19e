/** Play it yourself: the tokens that may follow as chips, by pointer, key or name. Esc leaves. */
import { Delete, Lightbulb, RotateCcw } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { ROLE } from '../../engine/text/trajectory';
import type { TextPlayEvent } from '../../stores/run';
import { Button } from '../button';
import { isTextField } from '../world/keys';
import { rewardText } from '../world/playback-bar';
import { choosable, matching, standing } from './choosing';
import { Drawing } from './drawings';
import { shortProbability } from './episode';
import { DemonstrationButton, type Look } from './reader';
import { Transcript } from './transcript';

export interface TextPlayProps {
  readonly play: TextPlayEvent;
  /** The policy's probability of each token of the vocabulary; null while it has not answered. */
  readonly hint: readonly number[] | null;
  readonly look: Look;
  readonly onAct: (tokens: readonly number[]) => void;
  readonly onHint: () => void;
  /** Takes the last token back. */
  readonly onBack: () => void;
  /** Episodes that are demonstrations. */
  readonly picked: ReadonlySet<number>;
  readonly onPick: (episode: number) => void;
  readonly onRestart: () => void;
  readonly onLeave: () => void;
}

export function TextPlay(props: TextPlayProps) {
  const { play, hint, look, picked, onAct, onHint, onBack, onPick, onRestart, onLeave } = props;
  const { transcript, legal } = play;
  const { language } = look;
  const id = useId();
  const [typed, setTyped] = useState('');
  const [hinting, setHinting] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLElement>(null);
  const hand = useRef<HTMLElement>(null);
  // The state that was answered last: another token is sent only when the one before came back.
  const sent = useRef<TextPlayEvent>(undefined);
  const all = choosable(legal, language);
  const fitting = matching(all, typed);
  const over = legal.length === 0;
  const begun = transcript.roles.includes(ROLE.action);
  const [first] = fitting;

  const write = (token: number) => {
    if (sent.current === play) return;
    sent.current = play;
    setTyped('');
    onAct([token]);
  };
  const back = () => {
    if (begun) onBack();
  };
  const restart = () => {
    setTyped('');
    onRestart();
  };

  const askHint = useEffectEvent(onHint);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new state asks anew.
  useEffect(() => {
    if (hinting && !over) askHint();
  }, [hinting, over, play]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was just written is in sight.
  useEffect(() => {
    body.current?.querySelector('.verdict')?.scrollIntoView({ block: 'nearest' });
  }, [play]);

  /** True when the key was ours: the page's own shortcuts must not see it. */
  const onKeyDown = useEffectEvent((event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.target instanceof Element && event.target.closest('[role=dialog], [role=menu]') !== null) return false;
    if (event.key === 'Escape') onLeave();
    else if (isTextField(event.target)) return false;
    else if (event.key === '/') field.current?.focus();
    else if (event.key === 'Backspace') back();
    else if (event.key.toLowerCase() === 'r') restart();
    else if (event.key.toLowerCase() === 'h') setHinting((on) => !on);
    else {
      const chosen = all.find(({ key }) => key === event.key.toLowerCase());
      if (chosen === undefined) return false;
      write(chosen.token);
    }
    return true;
  });
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (!onKeyDown(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', down, true);
    return () => window.removeEventListener('keydown', down, true);
  }, []);
  // A chip that was pressed is gone with its state: the focus must not be lost with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new state may take a chip away.
  useEffect(() => {
    if (document.activeElement === document.body) hand.current?.focus({ preventScroll: true });
  }, [play]);
  useEffect(() => hand.current?.focus({ preventScroll: true }), []);

  return (
    <>
      <div className="text-top">
        <div className="question">
          <h3>{transcript.task}</h3>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard. */}
      <section className="text-body" ref={body} tabIndex={0} aria-label="Transcript">
        <div className="column">
          <Transcript episode={transcript} {...look} writer="You" />
        </div>
        <div className="column drawn">
          <details className="spoiler" open={over}>
            <summary>The world behind it, answer and all</summary>
            <Drawing view={transcript.view} />
          </details>
        </div>
      </section>
      <section className="text-hand" ref={hand} tabIndex={-1} aria-label="Your turn">
        <p className={`standing${over ? ' over' : ''}`} role="status">
          {standing(transcript, legal.length, rewardText)}
        </p>
        {!over && (
          <>
            <div className="hand-line">
              <label htmlFor={id}>Next token</label>
              <span className="input">
                <input
                  id={id}
                  ref={field}
                  type="text"
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  value={typed}
                  placeholder="its name, then Enter"
                  aria-describedby={`${id}-next`}
                  onChange={({ target }) => setTyped(target.value)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter' || typed.trim() === '' || first === undefined) return;
                    event.preventDefault();
                    write(first.token);
                  }}
                />
                <kbd aria-hidden>/</kbd>
              </span>
              <span id={`${id}-next`} className="hand-next">
                {typed.trim() === ''
                  ? 'or press a key, or a chip'
                  : first === undefined
                    ? 'No token that may follow begins so'
                    : `Enter writes ${first.name}`}
              </span>
            </div>
            <fieldset className="hand-chips" aria-label="Tokens that may follow">
              {fitting.map(({ token, name, key }) => (
                <button
                  key={token}
                  type="button"
                  className={`token-button ${language.voices[token] ?? 'plain'}`}
                  aria-keyshortcuts={key?.toUpperCase()}
                  onClick={() => write(token)}
                >
                  {key !== undefined && <kbd aria-hidden>{key}</kbd>}
                  {name}
                  {hinting && <Hint probability={hint?.[token]} />}
                </button>
              ))}
            </fieldset>
          </>
        )}
        <div className="hand-ways">
          <Button
            size="small"
            icon={Delete}
            shortcut="⌫"
            unavailable={begun ? undefined : 'Nothing is written yet'}
            onClick={back}
          >
            Take back
          </Button>
          {over && <DemonstrationButton episode={transcript.episode} picked={picked} onPick={onPick} />}
          <Button size="small" icon={RotateCcw} shortcut="R" onClick={restart}>
            Another task
          </Button>
          <Button
            size="small"
            icon={Lightbulb}
            shortcut="H"
            aria-pressed={hinting}
            onClick={() => setHinting(!hinting)}
          >
            What would the policy do?
          </Button>
        </div>
      </section>
    </>
  );
}

function Hint({ probability }: { probability: number | undefined }) {
  return (
    <span className="hint">
      <span className="hint-bar" aria-hidden>
        <i style={{ width: `${(probability ?? 0) * 100}%` }} />
      </span>
      <span className="visually-hidden">, by the policy </span>
      {probability === undefined ? '···' : shortProbability(probability)}
    </span>
  );
}

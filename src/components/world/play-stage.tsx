/**
 * Play it yourself: the keys, buttons and sliders under the world, and what each step brought. The
 * world itself is drawn by the panel; here is the hand on it. Esc leaves.
 */
import { Lightbulb, Pause, Play, RotateCcw } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { plainNumber } from './board';
import { actionFor, isTextField, keyName, keyShortcut, PLAY_KEYS } from './keys';
import { actionNow, announcement, firstSpeed, movesOnItsOwn, outcomeText, restText } from './play';
import { paceOf, SPEEDS } from './playback';
import { ReadOutItem, rewardText, speedName } from './playback-bar';
import type { ActionKeys, KeyMap, PlayState, WorldActions } from './props';

export interface PlayControlsProps {
  readonly play: PlayState;
  readonly hint: readonly number[] | null;
  readonly actions: WorldActions;
  readonly keys: KeyMap;
  readonly onAct: (action: readonly number[]) => void;
  readonly onRestart: () => void;
  readonly onHint: () => void;
  readonly onLeave: () => void;
}

export function PlayControls(props: PlayControlsProps) {
  const { play, hint, actions, keys, onAct, onRestart, onHint, onLeave } = props;
  const live = movesOnItsOwn(play.view);
  const over = play.ended !== 'no';
  const [held, setHeld] = useState<readonly number[]>([]);
  const [sliders, setSliders] = useState<readonly number[]>(() => actions.low.map(() => 0));
  const [speed, setSpeed] = useState(() => firstSpeed(play.view));
  const [going, setGoing] = useState(false);
  const [hinting, setHinting] = useState(false);
  // The step that was answered last: a new action is sent only when the one before came back.
  const sent = useRef<PlayState | null>(null);

  const act = (action: readonly number[]) => {
    if (over || sent.current === play) return;
    sent.current = play;
    onAct(action);
  };

  const press = (entry: number) => {
    if (over) return;
    if (live) {
      setHeld((old) => [...old.filter((other) => other !== entry), entry]);
      setGoing(true);
    } else if (actions.continuous) {
      act(actionNow(actions, [entry], sliders, play.step));
    } else if (play.legal[entry] !== false) {
      act([entry]);
    }
  };
  const release = (entry: number) =>
    setHeld((old) => (old.includes(entry) ? old.filter((other) => other !== entry) : old));

  const restart = () => {
    setHeld([]);
    setGoing(false);
    sent.current = null;
    onRestart();
  };

  const tick = useEffectEvent(() => act(actionNow(actions, held, sliders, play.step)));
  const rate = paceOf(play.view.kind) * speed;
  const ticking = live && going && !over;
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => tick(), 1000 / rate);
    return () => clearInterval(timer);
  }, [ticking, rate]);

  const askHint = useEffectEvent(onHint);
  useEffect(() => {
    if (hinting && play.ended === 'no') askHint();
  }, [hinting, play]);

  /** True when the key was ours: the page's own shortcuts must not see it. */
  const onKeyDown = useEffectEvent((event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey || !isOurs(event)) return false;
    const entry = actionFor(keys, event.key);
    if (event.key === PLAY_KEYS.leave) onLeave();
    else if (entry !== null && !over) {
      if (!(live && event.repeat)) press(entry);
    } else if (event.key.toLowerCase() === PLAY_KEYS.restart) restart();
    else if (event.key.toLowerCase() === PLAY_KEYS.hint) setHinting((on) => !on);
    else if (live && event.key.toLowerCase() === PLAY_KEYS.pause) setGoing((on) => !on);
    else return entry !== null;
    return true;
  });
  const onKeyUp = useEffectEvent((event: KeyboardEvent) => {
    const entry = actionFor(keys, event.key);
    if (entry !== null) release(entry);
  });
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (!onKeyDown(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const up = (event: KeyboardEvent) => onKeyUp(event);
    const letGo = () => setHeld([]);
    window.addEventListener('keydown', down, true);
    window.addEventListener('keyup', up, true);
    window.addEventListener('blur', letGo);
    return () => {
      window.removeEventListener('keydown', down, true);
      window.removeEventListener('keyup', up, true);
      window.removeEventListener('blur', letGo);
    };
  }, []);

  const waiting = live && !going && !over;
  const status =
    waiting && play.step === 0
      ? 'Press a key or a button to begin.'
      : waiting
        ? 'Paused.'
        : outcomeText(play, rewardText(play.return));
  const button = { live, over, pressed: held, onPress: press, onRelease: release };
  return (
    <div className="world-play">
      <dl className="world-read world-play-read">
        <ReadOutItem name="step" value={String(play.step)} />
        <ReadOutItem name="reward" value={rewardText(play.reward)} />
        <ReadOutItem name="return" value={rewardText(play.return)} />
        <ReadOutItem name="success" value={play.success ? 'yes' : over ? 'no' : 'not yet'} />
        {Object.entries(play.signals).map(
          ([name, value]) =>
            name !== 'reward' &&
            name !== 'success' && (
              <ReadOutItem key={name} name={name} value={play.step === 0 ? '–' : rewardText(value)} />
            ),
        )}
      </dl>
      <p className={over ? 'world-outcome world-over' : 'world-outcome'}>{status}</p>
      <p className="world-hidden" aria-live="polite">
        {announcement(play, rewardText(play.reward), rewardText(play.return))}
      </p>
      {actions.continuous ? (
        <Sliders
          actions={actions}
          keys={keys}
          sliders={sliders}
          hint={hinting ? hint : null}
          onChange={(value, dimension) => {
            setSliders((old) => old.map((other, i) => (i === dimension ? value : other)));
            setGoing(true);
          }}
          {...button}
        />
      ) : (
        <fieldset className="world-pad" aria-label="Actions">
          {keys.map((entry, action) => (
            <ActionButton
              key={entry.label}
              entry={entry}
              index={action}
              legal={play.legal[action] !== false}
              {...(hinting ? { probability: hint?.[action] ?? null } : {})}
              {...button}
            />
          ))}
        </fieldset>
      )}
      <div className="world-play-end">
        <button type="button" className="world-button" aria-keyshortcuts="R" onClick={restart}>
          <RotateCcw aria-hidden="true" />
          Restart <kbd>R</kbd>
        </button>
        <button
          type="button"
          className="world-button"
          aria-pressed={hinting}
          aria-keyshortcuts="H"
          onClick={() => setHinting(!hinting)}
        >
          <Lightbulb aria-hidden="true" />
          What would the policy do? <kbd>H</kbd>
        </button>
        {live && (
          <>
            <button
              type="button"
              className="world-button"
              aria-keyshortcuts="P"
              aria-disabled={over}
              title={over ? 'The episode is over: restart' : undefined}
              onClick={() => !over && setGoing(!going)}
            >
              {going && !over ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
              {going && !over ? 'Pause' : 'Go'} <kbd>P</kbd>
            </button>
            <label className="world-labelled">
              Speed
              <select value={speed} onChange={(event) => setSpeed(Number(event.target.value))}>
                {SPEEDS.filter((value) => value <= 2).map((value) => (
                  <option key={value} value={value}>
                    {speedName(value)}
                  </option>
                ))}
              </select>
            </label>
          </>
        )}
        <span className="world-note">{restText(play.view, actions)}</span>
      </div>
    </div>
  );
}

/** Keys belong to the game unless a person types, a dialog is open, or they work the control in focus. */
function isOurs(event: KeyboardEvent): boolean {
  const target = event.target;
  if (isTextField(target)) return false;
  if (!(target instanceof Element)) return true;
  if (target.closest('[role=dialog],[role=menu]') !== null) return false;
  const works = event.key === ' ' || event.key === 'Enter';
  if (works && target.closest('button,a,summary') !== null) return false;
  return !(event.key.startsWith('Arrow') && target instanceof HTMLInputElement);
}

interface HandProps {
  readonly live: boolean;
  readonly over: boolean;
  /** Entries of the key map that are down. */
  readonly pressed: readonly number[];
  readonly onPress: (entry: number) => void;
  readonly onRelease: (entry: number) => void;
}

interface ActionButtonProps extends HandProps {
  readonly entry: ActionKeys;
  readonly index: number;
  readonly legal: boolean;
  /** The policy's; null while it has not answered, absent while it is not asked. */
  readonly probability?: number | null;
}

/** In a world that moves on, the button acts while it is down; else once a click. */
function ActionButton({
  entry,
  index,
  legal,
  probability,
  live,
  over,
  pressed,
  onPress,
  onRelease,
}: ActionButtonProps) {
  const disabled = over || !legal;
  const key = entry.keys[0];
  const hand = live
    ? {
        onPointerDown: () => onPress(index),
        onPointerUp: () => onRelease(index),
        onPointerLeave: () => onRelease(index),
        onPointerCancel: () => onRelease(index),
        // A click without a pointer comes from the keyboard: a short push.
        onClick: (event: React.MouseEvent) => {
          if (event.detail !== 0) return;
          onPress(index);
          setTimeout(() => onRelease(index), 150);
        },
      }
    : { onClick: () => onPress(index) };
  return (
    <button
      type="button"
      className={pressed.includes(index) ? 'world-action world-down' : 'world-action'}
      aria-disabled={disabled}
      aria-keyshortcuts={keyShortcut(entry.keys)}
      title={over ? 'The episode is over: restart' : legal ? undefined : 'Not legal in this state'}
      {...hand}
    >
      <span className="world-action-name">
        {key !== undefined && <kbd>{keyName(key)}</kbd>}
        {entry.label}
      </span>
      {probability !== undefined && (
        <span className="world-probability">
          <span className="world-probability-bar">
            <i style={{ width: `${(probability ?? 0) * 100}%` }} />
          </span>
          {probability?.toFixed(2) ?? '····'}
          <span className="world-hidden"> by the policy</span>
        </span>
      )}
    </button>
  );
}

interface SlidersProps extends HandProps {
  readonly actions: WorldActions;
  readonly keys: KeyMap;
  readonly sliders: readonly number[];
  /** The policy's mean by dimension. */
  readonly hint: readonly number[] | null;
  readonly onChange: (value: number, dimension: number) => void;
}

function Sliders({ actions, keys, sliders, hint, onChange, ...hand }: SlidersProps) {
  return (
    <div className="world-sliders">
      {sliders.map((value, dimension) => {
        const low = actions.low[dimension];
        const high = actions.high[dimension];
        const name = actions.names[dimension] ?? `action ${dimension + 1}`;
        const end = (entry: number) => <ActionButton entry={keys[entry]} index={entry} legal {...hand} />;
        return (
          <div key={name} className="world-slider">
            {end(2 * dimension)}
            <label>
              <span>
                {name} <b className="world-number">{plainNumber(value, 2)}</b>
                {hint?.[dimension] !== undefined && (
                  <>
                    {' · policy '}
                    <b className="world-number">{plainNumber(hint[dimension], 2)}</b>
                  </>
                )}
              </span>
              <input
                type="range"
                min={low}
                max={high}
                step={(high - low) / 40}
                value={value}
                onChange={(event) => onChange(Number(event.target.value), dimension)}
              />
            </label>
            {end(2 * dimension + 1)}
          </div>
        );
      })}
    </div>
  );
}

/** Pause, step, seek, speed and loop of what is shown, and the reward with success beside it. */
import { ChevronLeft, ChevronRight, Pause, Play, Repeat } from 'lucide-react';
import type { Frame } from '../../worker/protocol';
import { plainNumber } from './board';
import { episodeSoFar, SPEEDS } from './playback';
import type { RunningPlayback } from './use-playback';

interface PlaybackBarProps {
  readonly playback: RunningPlayback;
  /** The copy whose numbers are shown. */
  readonly copy: number;
  readonly actionName: string;
  /** Characters of the longest action, so that nothing moves when it changes. */
  readonly actionWidth: number;
  /** Of the last evaluation, 0–1. */
  readonly success: number | null;
}

export function PlaybackBar({ playback, copy, actionName, actionWidth, success }: PlaybackBarProps) {
  const { state, rate, controls } = playback;
  const frames = state.shown?.frames ?? [];
  const frame = frames[state.index]?.[copy];
  if (frame === undefined) return null;
  const episode = episodeSoFar(frames, state.index, copy);
  const digits = String(frames.length).length;
  return (
    <div className="world-bar">
      <fieldset className="world-controls" aria-label="Playback">
        <button type="button" className="world-icon" aria-label="Step back" onClick={() => controls.nudge(-1)}>
          <ChevronLeft aria-hidden="true" />
        </button>
        <button
          type="button"
          className="world-icon"
          aria-label={state.playing ? 'Pause playback' : 'Play steps'}
          onClick={controls.toggle}
        >
          {state.playing ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
        </button>
        <button type="button" className="world-icon" aria-label="Step forward" onClick={() => controls.nudge(1)}>
          <ChevronRight aria-hidden="true" />
        </button>
        <input
          type="range"
          className="world-seek"
          aria-label="Step shown"
          aria-valuetext={`step ${state.index + 1} of ${frames.length}, update ${state.shown!.update}`}
          min={0}
          max={frames.length - 1}
          value={state.index}
          onChange={(event) => controls.seek(Number(event.target.value))}
        />
        <span className="world-number world-count" title={`Steps of update ${state.shown!.update}`}>
          {String(state.index + 1).padStart(digits, '\u2007')}/{frames.length}
        </span>
        <label>
          <span className="world-hidden">Playback speed</span>
          <select
            value={state.speed}
            title={`${plainNumber(rate)} steps a second`}
            onChange={(event) => controls.speed(Number(event.target.value))}
          >
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                {speedName(speed)}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="world-icon"
          aria-label="Loop"
          title="Loop until newer steps come"
          aria-pressed={state.loop}
          onClick={controls.loop}
        >
          <Repeat aria-hidden="true" />
        </button>
      </fieldset>
      <dl className="world-read">
        <ReadOutItem name="action" value={actionName} width={actionWidth} />
        <ReadOutItem name="reward" value={rewardText(frame.reward)} />
        <ReadOutItem
          name="return"
          value={rewardText(episode.sum)}
          title={
            episode.partial
              ? 'Since the first step shown; the episode may have begun before'
              : 'Sum since the episode began'
          }
        />
        <ReadOutItem name="episode" value={endingText(frame, episode.success)} />
        <ReadOutItem
          name="success"
          value={success === null ? '–' : success.toFixed(2)}
          title="Share of episodes that met the environment's own verdict, in the last evaluation"
        />
      </dl>
    </div>
  );
}

interface ReadOutItemProps {
  readonly name: string;
  readonly value: string;
  readonly title?: string;
  /** Room for so many characters. */
  readonly width?: number;
}

export function ReadOutItem({ name, value, title, width = 5 }: ReadOutItemProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd style={{ minWidth: `${width}ch` }}>{value}</dd>
    </div>
  );
}

/** ¼×, ½×, 1×, 2× … */
export function speedName(speed: number): string {
  return `${speed === 0.25 ? '¼' : speed === 0.5 ? '½' : speed}×`;
}

/** Whole rewards stay whole; others show two decimals. */
export function rewardText(value: number): string {
  const text = Number.isInteger(value) ? String(Math.abs(value)) : Math.abs(value).toFixed(2);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

function endingText(frame: Frame, success: boolean): string {
  if (frame.ended === 'no') return success ? 'success' : 'runs';
  if (success) return 'success';
  return frame.ended === 'terminated' ? 'ended' : 'time limit';
}

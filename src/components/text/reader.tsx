/** Several episodes as cards, one of them at large with its drawing; or two of the same task side by side, to prefer one. */
import { Check } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { Transcript as Episode } from '../../engine/view';
import { Button } from '../button';
import { rewardText } from '../world/playback-bar';
import { Drawing } from './drawings';
import { count, endingOf, type Language, lengthOf, lettersOf, nameOf, returnOf, rivalsOf } from './episode';
import type { Colouring } from './tokens';
import { ENDINGS, Transcript } from './transcript';

export interface Look {
  readonly language: Language;
  readonly colouring: Colouring;
  /** Observations are part of the loss. */
  readonly teach: boolean;
}

export interface ReaderProps {
  readonly episodes: readonly Episode[];
  /** Index of the one at large. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly look: Look;
  /** Beside the question: where these come from, and what can be done with all of them. */
  readonly meta: ReactNode;
  /** What can be done with a finished one. */
  readonly actions?: EpisodeActions;
}

export interface EpisodeActions {
  /** Number of the episode beside the chosen one; null: none. */
  readonly beside: number | null;
  readonly onBeside: (episode: number | null) => void;
  readonly onPrefer: (chosen: number, rejected: number) => void;
  /** It becomes a demonstration, or is one no longer. */
  readonly onPick: (episode: number) => void;
  /** Episodes that are demonstrations already. */
  readonly picked: ReadonlySet<number>;
  /** What is gathered, and what for. */
  readonly note: ReactNode;
}

export function Reader({ episodes, chosen, onChoose, look, meta, actions }: ReaderProps) {
  const episode = episodes[Math.min(chosen, episodes.length - 1)];
  if (episode === undefined) return null;
  const rivals = rivalsOf(episode, episodes);
  const beside = rivals.find((one) => one.episode === actions?.beside);
  const finished = endingOf(episode) !== 'writing' && !episode.expert;
  const letters = lettersOf(episodes);
  return (
    <>
      <div className="text-top">
        <div className="question">
          <h3>{episode.task}</h3>
          <div className="text-meta">{meta}</div>
        </div>
        <ul className="episode-cards" aria-label="Episodes">
          {episodes.map((one, index) => (
            <li key={one.episode}>
              <Card
                episode={one}
                now={one === episode}
                letter={letters.get(one.task)}
                onChoose={() => onChoose(index)}
              />
            </li>
          ))}
        </ul>
      </div>
      <section
        key={beside?.episode}
        className={`text-body${beside === undefined ? '' : ' two'}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label="Transcript"
      >
        <div className="column">
          {beside !== undefined && <ColumnHead episode={episode} other={beside} actions={actions} />}
          <Transcript episode={episode} {...look} />
          {beside !== undefined && actions?.note}
          {actions && finished && beside === undefined && (
            <div className="episode-actions">
              <DemonstrationButton episode={episode.episode} picked={actions.picked} onPick={actions.onPick} />
              {rivals.length > 0 && <Beside rivals={rivals} onBeside={actions.onBeside} />}
              {actions.note}
            </div>
          )}
        </div>
        {beside === undefined ? (
          <div className="column drawn">
            <Drawing view={episode.view} />
          </div>
        ) : (
          <div className="column">
            <ColumnHead episode={beside} other={episode} actions={actions} onDone={() => actions?.onBeside(null)} />
            <Transcript episode={beside} {...look} />
          </div>
        )}
      </section>
    </>
  );
}

interface CardProps {
  readonly episode: Episode;
  readonly now: boolean;
  /** Of its task, where the episodes beside it have other ones. */
  readonly letter: string | undefined;
  readonly onChoose: () => void;
}

function Card({ episode, now, letter, onChoose }: CardProps) {
  const ending = endingOf(episode);
  const { icon: Icon, short } = ENDINGS[ending];
  return (
    <button type="button" className={`episode-card ${ending}`} aria-pressed={now} onClick={onChoose}>
      <b>
        <Icon size={14} aria-hidden />
        {short}
      </b>
      <span>
        <span className="visually-hidden">, reward </span>
        <span aria-hidden>R </span>
        {rewardText(returnOf(episode))}
      </span>
      <span>{count(lengthOf(episode).turns, 'turn')}</span>
      {letter !== undefined && <span title={episode.task}>task {letter}</span>}
    </button>
  );
}

/** Puts another finished episode of the same task beside this one. */
function Beside({ rivals, onBeside }: { rivals: readonly Episode[]; onBeside: (episode: number) => void }) {
  const id = useId();
  return (
    <span className="beside">
      <label htmlFor={id}>Beside</label>
      <select id={id} className="select" value="" onChange={({ target }) => onBeside(Number(target.value))}>
        <option value="">another of this task…</option>
        {rivals.map((one) => (
          <option key={one.episode} value={one.episode}>
            {nameOf(one)}, {ENDINGS[endingOf(one)].short}, reward {rewardText(returnOf(one))}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Makes an episode a demonstration, and takes that back. */
export function DemonstrationButton({
  episode,
  picked,
  onPick,
}: Pick<EpisodeActions, 'picked' | 'onPick'> & { episode: number }) {
  const is = picked.has(episode);
  return (
    <Button size="small" {...(is ? { icon: Check } : {})} aria-pressed={is} onClick={() => onPick(episode)}>
      Use as demonstration
    </Button>
  );
}

function ColumnHead({
  episode,
  other,
  actions,
  onDone,
}: {
  episode: Episode;
  other: Episode;
  actions: EpisodeActions | undefined;
  onDone?: () => void;
}) {
  return (
    <div className="column-head">
      <h4>{nameOf(episode)}</h4>
      <Button size="small" onClick={() => actions?.onPrefer(episode.episode, other.episode)}>
        Prefer this one
      </Button>
      {onDone && (
        <Button size="small" kind="quiet" onClick={onDone}>
          Done
        </Button>
      )}
    </div>
  );
}

/**
 * The world panel: one large world, the values and the policy over it, a strip of small copies, and
 * the person's own hand on it. Plain props in, callbacks out (props.ts); time is in playback.ts,
 * drawing in scenes/.
 */
import { Check, Gamepad2, X } from 'lucide-react';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { View } from '../../engine/view';
import { boardOf, countVisits } from './board';
import { BoardTable } from './board-table';
import { Copies, viewsBefore } from './copies';
import { marksOf, readOuts } from './describe';
import { defaultKeys } from './keys';
import { type Colouring, colour, exactError } from './layers';
import { Legend } from './legend';
import { Notice } from './notice';
import { PlayControls } from './play-stage';
import { ANIMATED_BELOW } from './playback';
import { PlaybackBar } from './playback-bar';
import type { PlayState, WorldClip, WorldPanelProps } from './props';
import { pushOf } from './scenes/scene';
import { type BoardView, type Tile, tilesOf, tilesSignature } from './tiles';
import { usePlayback } from './use-playback';
import { useSize } from './use-size';
import { WorldView } from './world-view';
import './world.css';

/** Copies on one page of the strip, and the most that are watched. */
const PAGE = 8;
const NARROW_PAGE = 4;
const MOST_WATCHED = 32;
/** Clips from which visits are counted. */
const REMEMBERED_CLIPS = 20;
const NO_CLIPS: readonly WorldClip[] = [];

export function WorldPanel(props: WorldPanelProps) {
  const { phase, title, actions, clip, valueMap, copies, success, play, hint, className } = props;
  const [colouring, setColouring] = useState<Colouring | null>('value');
  const [arrows, setArrows] = useState(true);
  const [table, setTable] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [page, setPage] = useState(0);
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const playButton = useRef<HTMLButtonElement>(null);

  const playback = usePlayback(clip, chosen, play !== null);
  const { shown, index } = playback.state;
  const frames = shown?.frames ?? [];
  const watched = frames[0]?.length ?? 0;
  const copy = Math.min(chosen, Math.max(watched - 1, 0));
  const frame = frames[index]?.[copy];
  const recent = useRecentClips(clip);
  const counted = colouring === 'visits' ? recent : NO_CLIPS;
  const played = usePlayedViews(play);
  const keys = useMemo(() => props.keys ?? defaultKeys(actions), [props.keys, actions]);

  const view = play?.view ?? frame?.view ?? null;
  const board = view === null ? null : boardOf(view);
  const tiles = useTiles(view);
  const coloured = useMemo(
    () => (colouring === null || tiles === null ? null : colour(colouring, valueMap, counted, tiles)),
    [colouring, valueMap, counted, tiles],
  );
  const error = useMemo(() => (tiles === null ? null : exactError(valueMap, tiles)), [valueMap, tiles]);
  const policy = arrows && board !== null ? valueMap : null;

  const pageSize = size.width > 0 && size.width < 480 * size.scale ? NARROW_PAGE : PAGE;
  const wanted = Math.min((page + 1) * pageSize, copies, MOST_WATCHED);
  const mapWanted = colouring === 'value' || colouring === 'error' || arrows;
  useWatch(props.onWatch, wanted, mapWanted);
  useFocusOnPlay(play !== null, stage, playButton);

  const before = play === null ? statesBefore(view, frames, index, copy) : played;
  const live = play === null ? playback.state.playing && playback.rate < ANIMATED_BELOW : true;
  const action = play === null ? frame?.action : undefined;
  const stripIndex = playback.state.playing ? index - (index % stripStride(playback.rate)) : index;
  const turnPages = useCallback((pages: number) => setPage((at) => at + pages), []);
  return (
    <section className={className === undefined ? 'world' : `world ${className}`} aria-label="World">
      <header className="world-head">
        <h2>{play === null ? 'World' : 'You play'}</h2>
        <div className="world-head-end">
          {board !== null && (
            <Layers
              colouring={colouring}
              onColouring={setColouring}
              arrows={arrows}
              onArrows={setArrows}
              map={valueMap !== null}
              exact={error !== null}
            />
          )}
          {play === null ? (
            <button
              ref={playButton}
              type="button"
              className="world-button"
              aria-disabled={phase.kind !== 'ready'}
              title={phase.kind === 'ready' ? undefined : 'No world is loaded yet'}
              onClick={() => phase.kind === 'ready' && props.onPlayStart()}
            >
              <Gamepad2 aria-hidden="true" />
              Play it yourself
            </button>
          ) : (
            <button type="button" className="world-button" aria-keyshortcuts="Escape" onClick={props.onPlayStop}>
              <X aria-hidden="true" />
              Leave <kbd>Esc</kbd>
            </button>
          )}
        </div>
      </header>
      <div
        ref={stage}
        className="world-stage"
        style={board === null ? undefined : ({ '--world-aspect': board.width / board.height } as React.CSSProperties)}
        {...(play === null
          ? {}
          : { tabIndex: 0, role: 'application', 'aria-label': `${title}: your turn, with the keys named below` })}
      >
        {view === null ? (
          <Notice
            phase={phase}
            ready={
              props.running
                ? 'The first steps appear with the first update.'
                : 'Press Train and watch the copies move here, or play it yourself.'
            }
          />
        ) : table && board !== null && tiles !== null ? (
          <BoardTable
            title={title}
            columns={board.width}
            tiles={tiles}
            map={valueMap}
            visits={countVisits(viewsOf(recent), tiles.length)}
            actionNames={actions.names}
          />
        ) : (
          <WorldView
            title={title}
            view={view}
            before={before}
            size={size}
            push={pushOf(view.kind, action, actions.continuous, actions.high[0] ?? 1)}
            coloured={coloured}
            policy={policy}
            animate={live && before.length > 0}
          />
        )}
      </div>
      {view !== null && (
        <Legend
          coloured={coloured}
          arrows={policy !== null}
          readOuts={readOuts(view)}
          marks={marksOf(view)}
          error={colouring === 'visits' ? null : error}
          {...(board === null ? {} : { table: { open: table, onToggle: () => setTable(!table) } })}
        />
      )}
      {play !== null ? (
        <PlayControls
          play={play}
          hint={hint}
          actions={actions}
          keys={keys}
          onAct={props.onPlayAct}
          onRestart={props.onPlayStart}
          onHint={props.onPlayHint}
          onLeave={props.onPlayStop}
        />
      ) : (
        frame !== undefined && (
          <>
            <PlaybackBar
              playback={playback}
              copy={copy}
              actionName={actionText(frame.action, props)}
              actionWidth={Math.max(4, ...actions.names.map((name) => name.length))}
              success={success}
            />
            <Copies
              frames={frames}
              index={stripIndex}
              chosen={copy}
              onChoose={setChosen}
              total={copies}
              first={page * pageSize}
              shown={pageSize}
              earlier={page > 0}
              more={(page + 1) * pageSize < Math.min(copies, MOST_WATCHED)}
              onTurn={turnPages}
            />
          </>
        )
      )}
    </section>
  );
}

/** Steps between two pictures of the strip: small copies need no more than a dozen a second. */
const stripStride = (stepsPerSecond: number) => Math.max(1, Math.round(stepsPerSecond / 12));

/** A layer is a tick. One of three colours the cells at a time; the arrows go with any. */
function Layers({
  colouring,
  onColouring,
  arrows,
  onArrows,
  map,
  exact,
}: {
  readonly colouring: Colouring | null;
  readonly onColouring: (colouring: Colouring | null) => void;
  readonly arrows: boolean;
  readonly onArrows: (on: boolean) => void;
  readonly map: boolean;
  readonly exact: boolean;
}) {
  const noMap = map ? undefined : 'No values yet: they come with the first update';
  const cells = (name: Colouring, label: string, reason?: string) => (
    <Layer
      label={label}
      on={colouring === name}
      reason={reason}
      onToggle={() => onColouring(colouring === name ? null : name)}
    />
  );
  return (
    <fieldset className="world-layers" aria-label="Layers">
      {cells('value', 'Value', noMap)}
      <Layer label="Policy" on={arrows} reason={noMap} onToggle={() => onArrows(!arrows)} />
      {cells('visits', 'Visits')}
      {cells('error', 'Error', exact ? undefined : 'The exact values of this world are not known')}
    </fieldset>
  );
}

function Layer({
  label,
  on,
  reason,
  onToggle,
}: {
  readonly label: string;
  readonly on: boolean;
  /** Why it cannot be shown; absent when it can. */
  readonly reason: string | undefined;
  readonly onToggle: () => void;
}) {
  const pressed = on && reason === undefined;
  return (
    <button
      type="button"
      aria-pressed={pressed}
      aria-disabled={reason !== undefined}
      title={reason}
      onClick={() => reason === undefined && onToggle()}
    >
      {pressed && <Check aria-hidden="true" />}
      {label}
      {reason !== undefined && <span className="world-hidden">: {reason}</span>}
    </button>
  );
}

/** "left", "0.42", "0.10, −0.30". */
function actionText(action: readonly number[], { actions }: WorldPanelProps): string {
  if (actions.continuous) return action.map((value) => value.toFixed(2).replace('-', '−')).join(', ');
  return actions.names[action[0] ?? -1] ?? String(action[0] ?? '–');
}

/** The states before the one shown: of the episode, or for a bandit (whose episodes are short) of the clip. */
function statesBefore(view: View | null, frames: WorldClip['frames'], index: number, copy: number): View[] {
  if (view === null) return [];
  if (view.kind !== 'bandit') return viewsBefore(frames, index, copy);
  return frames.slice(0, index).flatMap((step) => (step[copy] === undefined ? [] : [step[copy].view]));
}

/** The last clips, for counting visits; starts anew when the run does. */
function useRecentClips(clip: WorldClip | null): readonly WorldClip[] {
  const [recent, setRecent] = useState<readonly WorldClip[]>([]);
  const last = recent[recent.length - 1];
  if (clip !== null && clip !== last) {
    const goesOn = last !== undefined && clip.update >= last.update;
    setRecent(goesOn ? [...recent.slice(1 - REMEMBERED_CLIPS), clip] : [clip]);
  }
  if (clip === null && recent.length > 0) setRecent([]);
  return recent;
}

/** The states of the episode in play before the one now, oldest first. */
function usePlayedViews(play: PlayState | null): readonly View[] {
  const [states, setStates] = useState<readonly PlayState[]>([]);
  const last = states[states.length - 1];
  if (play !== null && play !== last) {
    setStates(last !== undefined && play.step > last.step ? [...states, play] : [play]);
  }
  if (play === null && states.length > 0) setStates([]);
  return useMemo(() => states.slice(0, -1).map((state) => state.view), [states]);
}

/** The tiles of a board; the same array as long as the board looks the same. */
function useTiles(view: View | null): readonly Tile[] | null {
  const board = view !== null && (view.kind === 'grid' || view.kind === 'mdp') ? (view as BoardView) : null;
  const tiles = board === null ? null : tilesOf(board);
  const signature = tiles === null ? '' : tilesSignature(tiles);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the tiles
  return useMemo(() => tiles, [signature]);
}

function* viewsOf(clips: readonly WorldClip[]): Generator<View> {
  for (const clip of clips) for (const step of clip.frames) for (const frame of step) yield frame.view;
}

function useWatch(onWatch: WorldPanelProps['onWatch'], copies: number, valueMap: boolean) {
  const watch = useEffectEvent(onWatch);
  useEffect(() => watch(copies, valueMap), [copies, valueMap]);
  useEffect(() => () => watch(0, false), []);
}

/** Focus goes to the world when play begins, and back to the button when it ends. */
function useFocusOnPlay(
  playing: boolean,
  stage: React.RefObject<HTMLDivElement | null>,
  button: React.RefObject<HTMLButtonElement | null>,
) {
  const was = useRef(false);
  useEffect(() => {
    if (playing && !was.current) stage.current?.focus({ preventScroll: true });
    if (!playing && was.current) button.current?.focus({ preventScroll: true });
    was.current = playing;
  }, [playing, stage, button]);
}

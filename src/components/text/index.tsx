/**
 * The world of tokens: episodes as they are written, one at large; the policy tried out aside from the run; and the
 * person's own hand. Plain props in, callbacks out.
 */
import { Check, Gamepad2, Pin, X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { Transcript } from '../../engine/view';
import type { TextPlayEvent, TryOut, Written } from '../../stores/run';
import type { Shapes } from '../../worker/protocol';
import { Button, IconButton } from '../button';
import { type Shortcut, useShortcuts } from '../shortcuts';
import { Notice } from '../world/notice';
import type { WorldPhase } from '../world/props';
import { useComparing } from './comparing';
import { count, endingOf, type Language, languageOf, originOf } from './episode';
import { TextPlay } from './play';
import { type Look, Reader } from './reader';
import { type Colouring, TokenLegend } from './tokens';
import { FIRST_WISH, TryOutForm } from './try-out';
import '../world/world.css';
import './text.css';

export interface TextWorldProps {
  readonly phase: WorldPhase;
  /** Training now. */
  readonly running: boolean;
  /** In a phase that learns from demonstrations and writes no episodes of its own. */
  readonly imitating: boolean;
  /** Undefined until the run was built. */
  readonly shapes: Shapes | undefined;
  /** Observations are part of the loss. */
  readonly teach: boolean;
  /** The newest 'transcripts' event. */
  readonly written: Written | undefined;
  readonly tried: Written | undefined;
  readonly trying: boolean;
  /** Why the last try-out could not be. */
  readonly notTried: string | undefined;
  readonly play: TextPlayEvent | undefined;
  readonly hint: readonly number[] | undefined;
  /** Episodes that are demonstrations already. */
  readonly picked: ReadonlySet<number>;
  /** What the person gathered, and what for. */
  readonly gathered: ReactNode;
  /** Why the policy cannot be tried out now; undefined when it can. */
  readonly cannotTry: string | undefined;

  readonly onPlayStart: () => void;
  readonly onPlayAct: (tokens: readonly number[]) => void;
  readonly onPlayHint: () => void;
  /** Takes the last token back. */
  readonly onPlayBack: () => void;
  readonly onPlayStop: () => void;
  readonly onTry: (wish: TryOut) => void;
  readonly onPick: (episode: number) => void;
  readonly onPrefer: (chosen: number, rejected: number) => void;
  /** How many episodes are looked at, 0 on unmount; `taught`: only those that an update has learned from. */
  readonly onWatch: (episodes: number, taught: boolean) => void;
}

/** Episodes that are shown at once. */
const WATCHED = 8;
type View = 'live' | 'tried';
const NONE: readonly Transcript[] = [];
const NO_LANGUAGE: Language = { vocabulary: [], voices: [], signals: [] };

export function TextWorld(props: TextWorldProps) {
  const { shapes, play, phase } = props;
  const [colouring, setColouring] = useState<Colouring>('role');
  const [view, setView] = useState<View>('live');
  const [wish, setWish] = useState(FIRST_WISH);
  // Asked for here or elsewhere in the page: what the policy writes is shown.
  const [wasTrying, setWasTrying] = useState(props.trying);
  if (props.trying !== wasTrying) {
    setWasTrying(props.trying);
    if (props.trying) setView('tried');
  }
  const playButton = useRef<HTMLButtonElement>(null);
  useWatching(props.onWatch, colouring === 'advantage');
  useFocusBack(play !== undefined, playButton);
  const language = useMemo(() => (shapes === undefined ? undefined : languageOf(shapes)), [shapes]);
  const look: Look | undefined = language && { language, colouring, teach: props.teach };
  const voices = useMemo(() => [...new Set(shapes?.text?.voices ?? [])], [shapes]);
  const ready = phase.kind === 'ready' && look !== undefined;
  if (play !== undefined && look !== undefined)
    return (
      <section className="panel world-panel text-world" aria-label="World">
        <div className="panel-head">
          <h2>You play</h2>
          <div className="end">
            <Button size="small" icon={X} shortcut="Esc" onClick={props.onPlayStop}>
              Leave
            </Button>
          </div>
        </div>
        <TextPlay
          play={play}
          hint={props.hint ?? null}
          look={{ ...look, colouring: 'role' }}
          onAct={props.onPlayAct}
          onHint={props.onPlayHint}
          onBack={props.onPlayBack}
          picked={props.picked}
          onPick={props.onPick}
          onRestart={props.onPlayStart}
          onLeave={props.onPlayStop}
        />
        <TokenLegend voices={voices} colouring="role" teach={props.teach} />
      </section>
    );
  return (
    <Tabs.Root asChild value={view} onValueChange={(next) => setView(next as View)}>
      <section className="panel world-panel text-world" aria-label="World">
        <div className="panel-head">
          <h2 className="visually-hidden">World</h2>
          <Tabs.List className="tabs" aria-label="Episodes of">
            <Tabs.Trigger value="live">Training</Tabs.Trigger>
            <Tabs.Trigger value="tried">Try-out</Tabs.Trigger>
          </Tabs.List>
          <div className="end">
            <Colourings colouring={colouring} onColouring={setColouring} />
            <Button
              ref={playButton}
              size="small"
              icon={Gamepad2}
              unavailable={ready ? undefined : 'No world is loaded yet'}
              onClick={props.onPlayStart}
            >
              Play it yourself
            </Button>
          </div>
        </div>
        <Tabs.Content value="live" className="text-view" tabIndex={-1}>
          {ready ? <Live {...props} look={look} /> : <Waiting phase={phase} ready="" />}
        </Tabs.Content>
        <Tabs.Content value="tried" className="text-view" tabIndex={-1}>
          {ready ? <Tried {...props} look={look} /> : <Waiting phase={phase} ready="" />}
        </Tabs.Content>
        <TokenLegend voices={voices} colouring={colouring} teach={props.teach} />
        <TryOutForm
          tasks={shapes?.text?.tasks ?? 1}
          language={language ?? NO_LANGUAGE}
          trying={props.trying}
          fault={props.notTried}
          unavailable={props.cannotTry}
          wish={wish}
          onWish={setWish}
          onTry={props.onTry}
        />
      </section>
    </Tabs.Root>
  );
}

function Waiting({ phase, ready }: { phase: WorldPhase; ready: string }) {
  return (
    <div className="text-waiting">
      <Notice phase={phase} ready={ready} />
    </div>
  );
}

const COLOURINGS: Readonly<Record<Colouring, string>> = {
  role: 'Role',
  probability: 'Probability',
  advantage: 'Advantage',
};

function Colourings({ colouring, onColouring }: { colouring: Colouring; onColouring: (colouring: Colouring) => void }) {
  return (
    <fieldset className="segments" aria-label="Colour the tokens by">
      {(Object.keys(COLOURINGS) as Colouring[]).map((one) => (
        <button key={one} type="button" aria-pressed={one === colouring} onClick={() => onColouring(one)}>
          {one === colouring && <Check size={14} aria-hidden />}
          {COLOURINGS[one]}
        </button>
      ))}
    </fieldset>
  );
}

/** Episodes of the run. To choose one while they go on is to hold them: what is read does not run away. */
function Live({
  written,
  running,
  imitating,
  phase,
  picked,
  gathered,
  look,
  onPick,
  onPrefer,
}: TextWorldProps & { look: Look }) {
  const [held, setHeld] = useState<Written>();
  const [chosen, setChosen] = useState(0);
  if (written === undefined && held !== undefined) setHeld(undefined);
  const shown = held ?? written;
  const last = (shown?.transcripts.length ?? 0) - 1;
  const choose = (index: number) => {
    comparing.setBeside(null);
    setChosen(Math.max(0, Math.min(index, last)));
    if (running) setHeld(shown);
  };
  const comparing = useComparing(shown?.transcripts ?? NONE, choose, onPrefer);
  useNextAndPrevious((by) => choose(Math.min(chosen, last) + by));
  if (shown === undefined || shown.transcripts.length === 0)
    return (
      <Waiting
        phase={phase}
        ready={
          running
            ? imitating
              ? 'It learns from demonstrations now; see Imitation loss in Curves.'
              : 'The first episodes appear when they are written.'
            : 'Press Train and watch the episodes being written, or play it yourself.'
        }
      />
    );
  const episode = shown.transcripts[Math.min(chosen, last)];
  return (
    <Reader
      episodes={shown.transcripts}
      chosen={chosen}
      onChoose={choose}
      look={look}
      meta={
        <>
          {episode && <span>{originOf(episode)}</span>}
          <IconButton
            size="small"
            kind="outlined"
            icon={Pin}
            name="Hold these episodes"
            aria-pressed={held !== undefined}
            onClick={() => {
              setHeld(held === undefined ? written : undefined);
              comparing.setBeside(null);
            }}
          />
        </>
      }
      actions={{
        beside: comparing.beside,
        onBeside: (other) => {
          setHeld(shown);
          comparing.setBeside(other);
        },
        onPrefer: comparing.prefer,
        onPick,
        picked,
        note: gathered,
      }}
    />
  );
}

/** Episodes that the policy wrote on request. */
function Tried(props: TextWorldProps & { look: Look }) {
  const { tried, trying, phase, look, picked, gathered, onPick, onPrefer } = props;
  const [chosen, setChosen] = useState(0);
  const [shown, setShown] = useState(tried);
  if (tried !== shown) {
    setShown(tried);
    setChosen(0);
  }
  const episodes = tried?.transcripts ?? NONE;
  const choose = (index: number) => {
    comparing.setBeside(null);
    setChosen(Math.max(0, Math.min(index, episodes.length - 1)));
  };
  const comparing = useComparing(episodes, choose, onPrefer);
  useNextAndPrevious((by) => choose(chosen + by));
  if (tried === undefined || episodes.length === 0)
    return (
      <Waiting
        phase={phase}
        ready={
          trying
            ? 'The policy writes…'
            : 'Let the policy as it is now write some episodes, with Run below. Training is not touched.'
        }
      />
    );
  const right = episodes.filter((one) => endingOf(one) === 'success').length;
  return (
    <Reader
      episodes={episodes}
      chosen={chosen}
      onChoose={choose}
      look={look}
      meta={
        <span>
          {right} of {count(episodes.length, 'episode')} right, by update {tried.update}
        </span>
      }
      actions={{
        beside: comparing.beside,
        onBeside: comparing.setBeside,
        onPrefer: comparing.prefer,
        onPick,
        picked,
        note: gathered,
      }}
    />
  );
}

/** J and K, as the list of shortcuts says. */
function useNextAndPrevious(move: (by: 1 | -1) => void) {
  const latest = useRef(move);
  useEffect(() => {
    latest.current = move;
  });
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [
      { key: 'j', name: 'Next episode', run: () => latest.current(1) },
      { key: 'k', name: 'Previous episode', run: () => latest.current(-1) },
    ],
    [],
  );
  useShortcuts('Episodes', shortcuts);
}

function useWatching(onWatch: TextWorldProps['onWatch'], taught: boolean) {
  const watch = useEffectEvent(onWatch);
  useEffect(() => watch(WATCHED, taught), [taught]);
  useEffect(() => () => watch(0, false), []);
}

/** The focus goes back to the button that began the play. */
function useFocusBack(playing: boolean, button: React.RefObject<HTMLButtonElement | null>) {
  const was = useRef(false);
  useEffect(() => {
    if (!playing && was.current) button.current?.focus({ preventScroll: true });
    was.current = playing;
  }, [playing, button]);
}

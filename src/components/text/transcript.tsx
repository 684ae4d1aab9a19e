/** One episode, turn by turn: what was asked, what the policy wrote, what the environment answered, how it ended. */
import { ArrowLeft, Check, CircleHelp, Hourglass, type LucideIcon, PenLine, X } from 'lucide-react';
import { memo } from 'react';
import type { Transcript as Episode } from '../../engine/view';
import { rewardText } from '../world/playback-bar';
import {
  advantageScale,
  type Block,
  blocksOf,
  count,
  type Earned,
  type Ending,
  endingOf,
  type Language,
  lengthOf,
  returnOf,
} from './episode';
import { type Colouring, Tokens } from './tokens';

export interface TranscriptProps {
  readonly episode: Episode;
  readonly language: Language;
  readonly colouring: Colouring;
  readonly teach: boolean;
  /** Whose episode it is. */
  readonly writer?: 'Policy' | 'You' | 'Expert';
}

export const Transcript = memo(function Transcript({
  episode,
  language,
  colouring,
  teach,
  writer = episode.expert ? 'Expert' : 'Policy',
}: TranscriptProps) {
  return (
    <>
      <ol className="blocks">
        {blocksOf(episode, language).map((block) => (
          <li key={`${block.by} ${block.turn}`} className="block">
            <Who block={block} writer={writer} />
            <div>
              <Tokens
                tokens={block.tokens}
                colouring={colouring}
                // As it was when the episode taught, whatever the switch says now.
                teach={episode.taught?.observations ?? teach}
                scale={advantageScale(episode)}
              />
              {block.earned && <EarnedLine earned={block.earned} />}
            </div>
          </li>
        ))}
      </ol>
      <Verdict episode={episode} />
    </>
  );
});

function Who({ block, writer }: { block: Block; writer: string }) {
  const asked = block.turn < 0;
  const Icon = asked ? CircleHelp : block.by === 'policy' ? PenLine : ArrowLeft;
  return (
    <p className="who">
      <b>
        <Icon size={14} aria-hidden />
        {asked ? 'Task' : block.by === 'policy' ? writer : 'Environment'}
      </b>
      <span>
        {asked ? 'is read first' : block.by === 'policy' ? `turn ${block.turn + 1}` : `to turn ${block.turn + 1}`}
      </span>
    </p>
  );
}

function EarnedLine({ earned: { reward, signals } }: { earned: Earned }) {
  return (
    <p className="earned">
      reward <b>{rewardText(reward)}</b>
      {signals.map(({ name, help, value }) => (
        <span key={name} title={help}>
          {' · '}
          {name} {rewardText(value)}
        </span>
      ))}
    </p>
  );
}

export const ENDINGS: Readonly<
  Record<Ending, { readonly icon: LucideIcon; readonly long: string; readonly short: string }>
> = {
  writing: { icon: PenLine, long: 'Being written', short: 'runs' },
  success: { icon: Check, long: 'Success', short: 'right' },
  failure: { icon: X, long: 'No success', short: 'wrong' },
  truncated: { icon: Hourglass, long: 'Cut by a limit, no success', short: 'cut' },
};

function Verdict({ episode }: { episode: Episode }) {
  const ending = endingOf(episode);
  const { icon: Icon, long } = ENDINGS[ending];
  const { turns, tokens } = lengthOf(episode);
  return (
    <p className={`verdict ${ending}`}>
      <Icon size={16} aria-hidden />
      <b>{long}</b>
      <span>
        reward {rewardText(returnOf(episode))} · {count(turns, 'turn')} · {count(tokens, 'token')}
      </span>
    </p>
  );
}

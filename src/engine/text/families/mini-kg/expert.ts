/**
 * The scripted expert of the search worlds: follows each chain through what the documents told so far,
 * asks for what is missing, and answers when nothing is missing or the last turn has come.
 */
import type { Random } from '../../../../../kernels/random/threefry';
import { pick } from '../shared';
import type { Finding, Language, Query } from './language';
import type { Task } from './question';

/** At quality 0 this share of its names and relations is wrong, and so often it answers before it knows. */
const WRONG_WORD = 0.5;
const TOO_EARLY = 0.1;

export interface Situation {
  readonly task: Task;
  readonly findings: readonly Finding[];
  readonly turnsLeft: number;
}

/** What is still to be asked, and where each chain ends as far as is known. */
function study({ task, findings, turnsLeft }: Situation): { open: Query[]; ends: (readonly number[])[] } {
  const open: Query[] = [];
  const ends = task.chains.map(({ start, relations }) => {
    let at: readonly number[] = [start];
    for (const [hop, relation] of relations.entries()) {
      const entity = at[0];
      const told = findings.filter(
        (finding) => finding.entity === entity && finding.relation === relation && finding.answers.length > 0,
      );
      // To ask again what was doubtful costs a turn more than the hops that follow and the answer.
      const canAskAgain = turnsLeft > relations.length - hop;
      const finding = told.findLast(({ doubtful }) => !doubtful) ?? (canAskAgain ? undefined : told.at(-1));
      if (finding === undefined) {
        open.push({ entity, relation });
        return [];
      }
      at = finding.answers;
    }
    return at;
  });
  return { open, ends };
}

export function expertTurn(
  language: Language,
  queries: number,
  situation: Situation,
  quality: number,
  random: Random,
): number[] {
  const clumsy = 1 - quality;
  const slip = (token: number, others: readonly number[]) =>
    random.uniform() < WRONG_WORD * clumsy ? pick(others, random) : token;
  const { open, ends } = study(situation);
  const { entities, relations, verdicts } = language;
  if (open.length > 0 && situation.turnsLeft > 1 && random.uniform() >= TOO_EARLY * clumsy) {
    const words = open
      .slice(0, queries)
      .flatMap(({ entity, relation }) => [slip(entities[entity], entities), slip(relations[relation], relations)]);
    return language.writeSearch(words);
  }
  const possible = situation.task.compare ? [verdicts.yes, verdicts.no] : entities;
  if (ends.some((end) => end.length === 0)) return language.writeAnswer([pick(possible, random)]);
  const same = ends.every(([end]) => end === ends[0][0]);
  const answer = situation.task.compare
    ? [same ? verdicts.yes : verdicts.no]
    : ends[0].map((entity) => entities[entity]);
  return language.writeAnswer(answer.map((token) => slip(token, possible)));
}

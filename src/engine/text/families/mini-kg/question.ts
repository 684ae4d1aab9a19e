/** Tasks over a body of knowledge: one chain of hops to follow, or two whose ends are compared. */
import type { Random } from '../../../../../kernels/random/threefry';
import { hashOf, pick, remembered, taskRandom } from '../shared';
import type { Facts, Knowledge } from './knowledge';

/** Starts at an entity and asks one relation after the other. */
export interface Chain {
  readonly start: number;
  readonly relations: readonly number[];
}

/** How many hops, and whether two chains are compared. */
export interface Sort {
  readonly hops: number;
  readonly compare: boolean;
}

export interface QuestionSettings {
  readonly hopsMin: number;
  readonly hopsMax: number;
  /** Share of comparisons. */
  readonly comparisons: number;
  /** How many tasks there are. */
  readonly tasks: number;
}

/** Every sort of question that is asked. */
export function sortsOf({ hopsMin, hopsMax, comparisons }: QuestionSettings): Sort[] {
  const sorts: Sort[] = [];
  for (let hops = hopsMin; hops <= hopsMax; hops++) {
    if (comparisons < 1) sorts.push({ hops, compare: false });
    if (comparisons > 0) sorts.push({ hops, compare: true });
  }
  return sorts;
}

export interface Task extends Sort {
  readonly facts: Facts;
  /** One, or two to compare. */
  readonly chains: readonly Chain[];
  /** Entities that answer the one chain; none where two are compared. */
  readonly answers: readonly number[];
  /** Whether the two chains end alike. */
  readonly same: boolean;
}

/** What each hop of `chain` asks about, by its true answers: one entity a hop. */
export function entitiesAsked({ facts }: Task, relations: number, { start, relations: hops }: Chain): number[] {
  const asked = [start];
  for (const relation of hops.slice(0, -1)) asked.push(facts[asked[asked.length - 1] * relations + relation][0]);
  return asked;
}

const ATTEMPTS = 400;

export class TaskGenerator {
  /** Task number `number`. Where the facts never change, the two halves of the numbers ask different questions. */
  readonly task = remembered((number) => this.drawTask(number));

  constructor(
    private readonly knowledge: Knowledge,
    private readonly settings: QuestionSettings,
  ) {}

  private drawTask(number: number): Task {
    const { hopsMin, hopsMax, comparisons, tasks } = this.settings;
    const random = taskRandom(number);
    const facts = this.knowledge.facts(random);
    const compare = random.uniform() < comparisons;
    const hops = hopsMin + random.below(hopsMax - hopsMin + 1);
    const half = number < tasks >>> 1 ? 0 : 1;
    const task = this.draw({ hops, compare }, facts, random, this.knowledge.fixed ? half : undefined);
    if (task === undefined) throw new Error(`task ${number}: no question of ${hops} hops can be asked of these facts`);
    return task;
  }

  /** Whether questions of this sort can be asked at all. */
  canAsk(sort: Sort): boolean {
    const random = taskRandom(0);
    const facts = this.knowledge.facts(random);
    const halves = this.knowledge.fixed ? [0, 1] : [undefined];
    return halves.every((half) => this.draw(sort, facts, random, half) !== undefined);
  }

  private draw(sort: Sort, facts: Facts, random: Random, half: number | undefined): Task | undefined {
    // Half of the comparisons are true, or else "no" would nearly always be right. Facts may not allow one or the other.
    const drawn = random.below(2) === 1;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const same = attempt < ATTEMPTS / 2 ? drawn : !drawn;
      const first = this.drawChain(sort, facts, random);
      if (first === undefined) continue;
      const second = sort.compare ? this.drawSecond(first, same, facts, random) : undefined;
      if (sort.compare && second === undefined) continue;
      const chains = second === undefined ? [first] : [first, second];
      const words = chains.flatMap(({ start, relations }) => [start, ...relations]);
      if (half !== undefined && hashOf(words) % 2 !== half) continue;
      return {
        ...sort,
        facts,
        chains,
        answers: sort.compare ? [] : this.end(first, facts),
        same,
      };
    }
    return undefined;
  }

  private drawChain({ hops, compare }: Sort, facts: Facts, random: Random): Chain | undefined {
    const all = this.knowledge.relations;
    const start = random.below(this.knowledge.entities.length);
    const chain: number[] = [];
    let at = start;
    while (chain.length < hops) {
      const last = chain.length === hops - 1 && !compare;
      const usable = all.flatMap((relation, index) => {
        const back = chain.length > 0 && relation.inverse === chain[chain.length - 1];
        return (relation.many && !last) || back || facts[at * all.length + index].length === 0 ? [] : [index];
      });
      if (usable.length === 0) return undefined;
      const relation = pick(usable, random);
      chain.push(relation);
      [at] = facts[at * all.length + relation];
    }
    return { start, relations: chain };
  }

  /** The same relations from another start, which end where `first` ends, or elsewhere. */
  private drawSecond(first: Chain, same: boolean, facts: Facts, random: Random): Chain | undefined {
    const [end] = this.end(first, facts);
    const starts = this.knowledge.entities.flatMap((_, start) => {
      const other = this.end({ ...first, start }, facts);
      return start !== first.start && other.length > 0 && (other[0] === end) === same ? [start] : [];
    });
    return starts.length === 0 ? undefined : { ...first, start: pick(starts, random) };
  }

  /** Where a chain ends; nowhere, if a hop on the way has no answer. */
  private end({ start, relations }: Chain, facts: Facts): readonly number[] {
    let at: readonly number[] = [start];
    for (const relation of relations)
      at = at.length === 0 ? [] : facts[at[0] * this.knowledge.relations.length + relation];
    return at;
  }
}

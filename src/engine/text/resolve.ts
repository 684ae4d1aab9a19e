/**
 * From a scenario of a text world to what it means: stages looked up, settings complete for every phase,
 * environments built. Whatever does not fit is found here, before training starts, at the setting that
 * causes it.
 */
import { type AnyParameters, checkField, checkParameters, type Problem } from '../parameters';
import { PHASES } from '../phases';
import type { PhaseKind } from '../phases/phase';
import { SEQUENCE_POLICIES } from '../policies';
import type { SequencePolicy, SequenceRoom } from '../policies/sequence_policies';
import { ScenarioProblems } from '../problems';
import { REGISTRY } from '../registry';
import { type Scenario, SLOTS, type Slot } from '../scenario';
import { completeSlots, type SlotParameters } from '../slots';
import { OPTIMIZERS } from '../stages/optimizers';
import { type TurnRollout, turnRollout } from '../stages/rollouts/turns';
import type { OptimizerStage } from '../stages/stage';
import { TOKEN_ADVANTAGES } from '../stages/token_advantages';
import { TOKEN_LOSSES } from '../stages/token_losses';
import type { Need, TokenAdvantageStage, TokenLossStage } from '../stages/token_stage';
import type { TextEnvironment } from './environment';
import { TEXT_ENVIRONMENTS } from './families';

/** One phase with everything that holds while it lasts. */
export interface ResolvedPhase {
  readonly index: number;
  readonly from: number;
  readonly kind: PhaseKind;
  /** The phase's own settings. */
  readonly own: AnyParameters;
  readonly parameters: SlotParameters;
  readonly environment: TextEnvironment;
}

export interface TextResolved {
  readonly kind: 'text';
  readonly scenario: Scenario;
  readonly phases: readonly ResolvedPhase[];
  readonly policy: SequencePolicy;
  readonly advantage: TokenAdvantageStage;
  readonly loss: TokenLossStage;
  readonly optimizer: OptimizerStage;
  /** Settings of each slot outside of phases' own changes. */
  readonly parameters: SlotParameters;
  readonly needs: ReadonlySet<Need>;
  readonly room: SequenceRoom;
  /** Episodes of an update, before and after the filters. */
  readonly batch: number;
  /** Episodes of a gradient step. */
  readonly minibatch: number;
}

const MAX_VOCABULARY = 512;
const MAX_CONTEXT = 1024;
const MAX_EPISODES = 4096;
/** Sequences of one pass over the whole batch, where the minibatch is smaller. */
const PASS = 64;

/** Throws ScenarioProblems. `maxBufferBytes` is what the device allows in one buffer. */
export function resolveText(scenario: Scenario, maxBufferBytes: number): TextResolved {
  const { parameters, problems } = completeSlots(scenario, 'text');
  if (problems.length > 0) throw new ScenarioProblems(problems);
  const phases = resolvePhases(scenario, parameters);
  const loss = TOKEN_LOSSES[scenario.slots.loss.id];
  const advantage = TOKEN_ADVANTAGES[scenario.slots.advantage.id];
  const policy = SEQUENCE_POLICIES[scenario.slots.policy.id];
  const episodes = Math.max(...phases.map((phase) => episodesOf(phase, scenario).total));
  const minibatch = Math.max(...phases.map((phase) => minibatchOf(phase, scenario, loss)));
  const longest = Math.max(...phases.map(({ environment }) => environment.limits.episodeTokens));
  const context = Number(parameters.policy.context) || longest;
  const resolved: TextResolved = {
    kind: 'text',
    scenario,
    phases,
    policy,
    advantage,
    loss,
    optimizer: OPTIMIZERS[scenario.slots.optimizer.id],
    parameters,
    needs: new Set(phases.flatMap((phase) => needsOf(phase, advantage, loss))),
    room: {
      vocabulary: phases[0].environment.vocabulary.length,
      context,
      sequences: Math.max(minibatch, Math.min(PASS, episodes)),
      length: context,
    },
    batch: episodes,
    minibatch,
  };
  const wrong = [...checkPhases(resolved), ...checkNeeds(resolved), ...checkRoom(resolved, longest, maxBufferBytes)];
  if (wrong.length > 0) throw new ScenarioProblems(wrong);
  return resolved;
}

/** Throws where a phase's own changes do not fit, or an environment cannot be built. */
function resolvePhases(scenario: Scenario, parameters: SlotParameters): ResolvedPhase[] {
  const listed =
    scenario.phases.length > 0 ? scenario.phases : [{ id: 'reinforce', from: 0, parameters: {}, with: {} }];
  return listed.map((phase, index) => {
    const changed: Record<string, AnyParameters> = { ...parameters };
    const problems: Problem[] = [];
    for (const [path, value] of Object.entries(phase.with)) {
      const [slot, key] = path
        .replace(/^slots\./, '')
        .replace('.parameters.', '.')
        .split('.') as [Slot, string];
      const message = changeProblem(scenario, slot, key, value);
      if (message !== undefined) problems.push({ path: `phases.${index}.with.${path}`, message });
      else changed[slot] = { ...changed[slot], [key]: value };
    }
    const kind = PHASES[phase.id];
    const own = checkParameters(kind.parameters, phase.parameters, `phases.${index}.parameters`);
    const family = TEXT_ENVIRONMENTS[scenario.slots.environment.id];
    problems.push(...own.problems);
    if (problems.length === 0)
      problems.push(...family.problems(changed.environment as never, 'slots.environment.parameters'));
    if (problems.length > 0) throw new ScenarioProblems(problems);
    return {
      index,
      from: phase.from,
      kind,
      own: own.parameters,
      parameters: changed as SlotParameters,
      environment: family.build(changed.environment as never),
    };
  });
}

function changeProblem(scenario: Scenario, slot: Slot, key: string, value: unknown): string | undefined {
  if (!SLOTS.includes(slot) || slot === 'policy') return 'cannot change within a run';
  const schema = REGISTRY[slot][scenario.slots[slot].id].parameters;
  return Object.hasOwn(schema, key) ? checkField(schema[key], value) : `is not a setting of ${slot}`;
}

/** Episodes that are gathered for one update. */
function episodesOf({ parameters }: ResolvedPhase, { slots }: Scenario): { total: number; rollout: TurnRollout } {
  const rollout = turnRollout(slots.rollout.id, parameters.rollout);
  return { total: rollout.groups * rollout.group_size, rollout };
}

function minibatchOf(phase: ResolvedPhase, scenario: Scenario, loss: TokenLossStage): number {
  const { total } = episodesOf(phase, scenario);
  return (
    phase.kind.sequences?.(phase.own as never) ??
    Math.ceil(total / loss.plan(phase.parameters.loss as never).minibatches)
  );
}

/** Phases follow one another, and a world may only change in ways that the policy can follow. */
function checkPhases({ phases, scenario, loss }: TextResolved): Problem[] {
  const [{ environment: first }] = phases;
  return phases.flatMap((phase) => {
    const place = (key: string) => (scenario.phases.length > 0 ? `phases.${phase.index}.${key}` : 'training.updates');
    const problems: Problem[] = [];
    const { environment, kind, own, index } = phase;
    if (
      environment.vocabulary.join(' ') !== first.vocabulary.join(' ') ||
      environment.grammar.states !== first.grammar.states
    )
      problems.push({
        path: place('with'),
        message: 'changes the vocabulary or the grammar, which the policy was built for',
      });
    for (const key of ['start', 'first', 'second'])
      if (Number(own[key] ?? 0) > index)
        problems.push({
          path: place(`parameters.${key}`),
          message: `names phase ${own[key]}, but only ${index} ${index === 1 ? 'phase has' : 'phases have'} ended before`,
        });
    if (kind.id === 'prefer' && own.source !== 'clicked' && episodesOf(phase, scenario).rollout.group_size < 2)
      problems.push({
        path: placeOf(scenario, phase, 'rollout', 'group_size'),
        message: 'is 1, so no task has two episodes to prefer one of: preference needs at least 2',
      });
    const weights = (phase.parameters.reward.weights ?? []) as readonly number[];
    const signals = environment.signals.map(({ name }) => name).filter((name) => name !== 'success');
    if (weights.length > signals.length)
      problems.push({
        path: placeOf(scenario, phase, 'reward', 'weights'),
        message: `has ${weights.length} weights, but ${signals.length} signals may be rewarded: ${signals.join(', ')}`,
      });
    const { total } = episodesOf(phase, scenario);
    if (kind.id === 'reinforce' && loss.plan(phase.parameters.loss as never).minibatches > total)
      problems.push({
        path: placeOf(scenario, phase, 'loss', 'minibatches'),
        message: `is more than the ${total} episodes of an update`,
      });
    return problems;
  });
}

/** What the stages of a phase need; only reinforcement runs them. */
function needsOf(
  { kind, parameters }: Pick<ResolvedPhase, 'kind' | 'parameters'>,
  advantage: TokenAdvantageStage,
  loss: TokenLossStage,
): readonly Need[] {
  if (kind.id !== 'reinforce') return [];
  return [...advantage.needs(parameters.advantage as never), ...loss.needs(parameters.loss as never)];
}

/** A stage that needs what the scenario lacks, in any phase. `phases` may have other settings than they were resolved with. */
export function checkNeeds({
  phases,
  scenario,
  advantage,
  loss,
}: Pick<TextResolved, 'phases' | 'scenario' | 'advantage' | 'loss'>): Problem[] {
  const problems = phases.flatMap((phase) => {
    if (phase.kind.id !== 'reinforce') return [];
    const needs = needsOf(phase, advantage, loss);
    const found: Problem[] = [];
    if (needs.includes('groups') && episodesOf(phase, scenario).rollout.group_size < 2)
      found.push({
        path: placeOf(scenario, phase, 'rollout', 'group_size'),
        message: `is 1, but ${advantage.title} compares the episodes of a task: it needs at least 2`,
      });
    const valued = Number(phase.parameters.loss.value_coefficient ?? 0) > 0;
    const coefficient = placeOf(scenario, phase, 'loss', 'value_coefficient');
    if (valued && !advantage.needs(phase.parameters.advantage as never).includes('critic'))
      found.push({
        path: coefficient,
        message: `trains a critic, but ${advantage.title} uses none: set it to 0, or choose an advantage with a critic`,
      });
    if (needs.includes('critic') && !valued)
      found.push({
        path: coefficient,
        message: `is 0, but ${advantage.title} needs a critic that learns: set it above 0 (${loss.title})`,
      });
    return found;
  });
  // Phases that share a setting share its problem.
  return problems.filter(({ path }, index) => problems.findIndex((one) => one.path === path) === index);
}

/** Where a phase has a setting from: its own changes, or the slot. */
function placeOf(scenario: Scenario, { index }: ResolvedPhase, slot: Slot, key: string): string {
  const own = Object.keys(scenario.phases[index]?.with ?? {}).find(
    (path) => path.replace(/^slots\./, '').replace('.parameters.', '.') === `${slot}.${key}`,
  );
  return own === undefined ? `slots.${slot}.parameters.${key}` : `phases.${index}.with.${own}`;
}

function checkRoom(resolved: TextResolved, longest: number, maxBufferBytes: number): Problem[] {
  const { room, policy, parameters, batch, phases } = resolved;
  const problems: Problem[] = [];
  const environment = 'slots.environment.parameters';
  if (room.vocabulary > MAX_VOCABULARY)
    problems.push({ path: environment, message: `make ${room.vocabulary} tokens; at most ${MAX_VOCABULARY}` });
  if (longest > MAX_CONTEXT)
    problems.push({ path: environment, message: `make episodes of ${longest} tokens; at most ${MAX_CONTEXT}` });
  if (room.context < longest)
    problems.push({
      path: 'slots.policy.parameters.context',
      message: `is ${room.context}, but the longest episode has ${longest} tokens: use ${longest} or more, or 0 for as many as needed`,
    });
  if (batch > MAX_EPISODES)
    problems.push({
      path: 'slots.rollout.parameters.groups',
      message: `times the group size are ${batch} episodes; at most ${MAX_EPISODES}`,
    });
  for (const { environment: world } of phases) problems.push(...deadEnds(world));
  problems.push(...policy.problems(parameters.policy as never, room, 'slots.policy.parameters'));
  const bytes = 4 * room.sequences * room.length * Math.max(room.vocabulary, 4 * Number(parameters.policy.width ?? 0));
  if (bytes > maxBufferBytes)
    problems.push({
      path: 'slots.loss.parameters.minibatches',
      message: `leave ${room.sequences} episodes of ${room.length} tokens in one step: more than this device's buffers hold. Use more minibatches`,
    });
  return problems;
}

/** A state of the grammar in which nothing may follow would leave the sampler without a token. */
function deadEnds({ grammar, vocabulary }: TextEnvironment): Problem[] {
  const size = vocabulary.length;
  const states = Array.from({ length: grammar.states }, (_, state) => state);
  const dead = states.filter(
    (state) => !grammar.table.subarray(state * size + 1, (state + 1) * size).some((to) => to > 0),
  );
  return dead.slice(0, 1).map((state) => ({
    path: 'slots.environment',
    message: `has a grammar without a legal token in state ${state}`,
  }));
}

/** Golden vectors of the filters: DAPO's group filter and overlong punishment, SimpleTIR's void turns. */
import type { GoldenAdapter, Outputs } from '../../../../kernels/golden/adapter';
import { numbers, scalar } from '../../../../kernels/golden/read';
import { hasSignal } from './dynamic_sampling';
import { softOverlongPenalty } from './soft_overlong';
import { isVoid } from './void_turn';

/** dapo_extras.json */
export const dapoExtras: GoldenAdapter = async ({ inputs, function: name }) => {
  if (name === 'overlong') {
    const [limit, cache, factor] = [inputs.max_resp_len, inputs.buffer_len, inputs.penalty_factor].map(scalar);
    return { penalty: numbers(inputs.response_lengths).map((n) => softOverlongPenalty(n, limit, cache, factor)) };
  }
  const [index, metric] = [numbers(inputs.index), numbers(inputs.metric)];
  const groups = [...new Set(index)];
  const keeps = new Set(groups.filter((group) => hasSignal(metric.filter((_, i) => index[i] === group))));
  return { kept: index.map((group) => Number(keeps.has(group))), kept_groups: [keeps.size] };
};

/** A complete code block, as SimpleTIR reads it. */
const CODE_BLOCK = /```(?:py|python)?\n(.*?)\n```/s;
const ANSWER = '\\boxed{';
/** What the stub of the sandbox prints. */
const PRINTED = /#OUT:(.*?)#/g;

/** simpletir_void_turn.json: texts of turns stand for calls and answers. */
export const simpletirVoidTurn: GoldenAdapter = async ({ inputs }) => {
  const turns = inputs.turns as unknown as readonly (readonly string[])[];
  const mask = numbers(inputs.response_mask);
  const active = turns[0].map(() => true);
  const clean = turns[0].map(() => 1);
  const perTurn = turns.map((texts) => {
    const told = texts.map((text, sample) => {
      const call = active[sample] && CODE_BLOCK.test(text);
      const printed = call ? [...text.matchAll(PRINTED)].map(([, output]) => output).join('') : '';
      const answer = active[sample] && text.includes(ANSWER);
      const isVoidNow = active[sample] && isVoid({ call, answer });
      if (isVoidNow) clean[sample] = 0;
      if (isVoidNow || answer || printed.includes(ANSWER)) active[sample] = false;
      return { isVoidNow, call, done: !active[sample] };
    });
    return {
      is_void_turn: told.map(({ isVoidNow }) => Number(isVoidNow)),
      dones: told.map(({ done }) => Number(done)),
      use_code: told.map(({ call }) => Number(call)),
    };
  });
  const observed = inputs.mask_tool_output ? numbers(inputs.info_mask) : mask.map(() => 1);
  const width = mask.length / clean.length;
  const keep = (sample: number) => (inputs.mask_void_turns ? clean[sample] : 1);
  return {
    per_turn: { ...perTurn } as unknown as Outputs,
    void_turn_mask: clean,
    active_after: active.map(Number),
    loss_mask: mask.map((flag, i) => flag * observed[i] * keep(Math.floor(i / width))),
  };
};

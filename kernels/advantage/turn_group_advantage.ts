/**
 * Advantages of single turns over the turns of their group that they can be compared with, in two steps:
 *
 *     run(groupLinks, { groups, links }, { sequences });
 *     run(turnGroupAdvantage, { …, links, … }, { … });
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { deviationIsZero, momentsOf } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import linksCode from './group_links.wgsl?raw';
import code from './turn_group_advantage.wgsl?raw';

const NONE = 0xffffffff;

/** groups [S] → links u32 [S, 2]: first sequence of the group, and the next one after this (S: none). */
export const groupLinks = defineKernel({
  name: 'advantage/group_links',
  wgsl: linksCode,
  bindings: { groups: 'read', links: 'write' },
  uniforms: { sequences: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference({ groups, links }, { sequences }) {
    for (let s = 0; s < sequences; s++) {
      const next = groups.subarray(0, sequences).indexOf(groups[s], s + 1);
      links.set([groups.indexOf(groups[s]), next < 0 ? sequences : next], s * 2);
    }
  },
});

/**
 * turn_scores, turn_mask, keys [S, L] (turn arrays), links [S, 2], turn_counts [S] → turn_advantages [S, L]; step_groups
 * u32 [S, L]: the smallest index of the turn's step group, 0xffffffff where there is no turn. The step group is the
 * turns of the same group with the same key (`by_key`), else with the same number; `before_last` leaves out each
 * episode's last turn. `scale`: divide by the sample deviation + epsilon. Groups of one, and of equal scores: 0.
 */
export const turnGroupAdvantage = defineKernel({
  name: 'advantage/turn_group_advantage',
  wgsl: wgsl(chan, code),
  bindings: {
    turn_scores: 'read',
    turn_mask: 'read',
    keys: 'read',
    links: 'read',
    turn_counts: 'read',
    turn_advantages: 'write',
    step_groups: 'write',
  },
  uniforms: {
    sequences: 'u32',
    length: 'u32',
    by_key: 'u32',
    before_last: 'u32',
    scale: 'u32',
    epsilon: 'f32',
  },
  workgroups: ({ sequences, length }) => ceilDiv(sequences * length, 64),
  reference(buffers, { sequences, length, by_key, before_last, scale, epsilon }) {
    const { turn_scores, turn_mask, keys, links, turn_counts, turn_advantages, step_groups } = buffers;
    const members = new Map<string, number[]>();
    turn_advantages.fill(0, 0, sequences * length);
    step_groups.fill(NONE, 0, sequences * length);
    for (let s = 0; s < sequences; s++) {
      for (let k = 0; k + before_last < turn_counts[s]; k++) {
        const i = s * length + k;
        if (turn_mask[i] === 0) continue;
        const name = `${links[s * 2]} ${by_key ? keys[i] : k}`;
        members.set(name, [...(members.get(name) ?? []), i]);
      }
    }
    for (const group of members.values()) {
      const { n, mean, m2 } = momentsOf((at) => turn_scores[group[at]], 0, group.length);
      const deviation = Math.sqrt(m2 / Math.max(n - 1, 1));
      for (const i of group) {
        step_groups[i] = group[0];
        if (n < 2 || deviationIsZero(deviation, mean)) continue;
        turn_advantages[i] = (turn_scores[i] - mean) / (scale ? deviation + epsilon : 1);
      }
    }
  },
});

/** CleanRL's `target_kl`, decided on the device so that no epoch waits for the host. */
import { defineKernel } from '../kernel';
import { CONTROL } from './control';
import code from './target_kl.wgsl?raw';

const COLUMNS = 8;
const APPROX_KL = 4;

/**
 * Run after the last minibatch of each epoch with its row of the loss statistics [rows, 8]; and with
 * `limit` 0 (none: clears the flag) where an update begins.
 */
export const targetKl = defineKernel({
  name: 'optimizer/target_kl',
  wgsl: code,
  bindings: { statistics: 'read', control: 'write' },
  uniforms: { row: 'u32', limit: 'f32' },
  workgroups: () => 1,
  reference({ statistics, control }, { row, limit }) {
    if (limit <= 0) control[CONTROL.stopped] = 0;
    else if (statistics[row * COLUMNS + APPROX_KL] > limit) control[CONTROL.stopped] = 1;
  },
});

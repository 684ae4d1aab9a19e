/** Which device computes, how fast, and why; opens to the choice of device. */
import { TriangleAlert } from 'lucide-react';
import { Popover } from 'radix-ui';
import { formatBytes, formatCount } from '../formats/number';
import { useRun } from '../stores/run';
import { useSettings } from '../stores/settings';
import type { ExecutorChoice } from '../worker/protocol';

const CHOICES: readonly { readonly value: ExecutorChoice; readonly label: string }[] = [
  { value: 'auto', label: 'WebGPU, else the CPU' },
  { value: 'webgpu', label: 'WebGPU only' },
  { value: 'cpu', label: 'CPU only' },
];
const hasWebGpu = 'gpu' in navigator;

export function DeviceBadge() {
  const device = useRun((state) => state.device);
  const kind = device === undefined ? undefined : device.kind === 'webgpu' ? 'WebGPU' : 'CPU';
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className="device">
          {device?.kind === 'cpu' ? (
            <TriangleAlert size={14} aria-hidden />
          ) : (
            <span className={`dot${device ? '' : ' none'}`} aria-hidden />
          )}
          <span>{kind ?? (hasWebGpu ? 'WebGPU' : 'CPU')}</span>
          {device && (
            <span className="adapter">
              · {device.kind === 'cpu' ? (device.reason ?? device.description) : device.description}
            </span>
          )}
          {device && <Speed />}
          <span className="visually-hidden">, device</span>
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover" align="end" sideOffset={8} collisionPadding={12} aria-label="Device">
          <h2>Device</h2>
          <DeviceFacts />
          <DeviceChoice />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Speed() {
  const speed = useRun((state) => state.tick.values['charts/SPS']);
  const unit = useRun((state) => (state.shapes?.text === undefined ? 'steps/s' : 'turns/s'));
  return <span className="speed">{speed === undefined ? 'no update yet' : `${formatCount(speed)} ${unit}`}</span>;
}

function DeviceFacts() {
  const device = useRun((state) => state.device);
  const bytes = useRun((state) => state.shapes?.gpuBytes);
  if (device === undefined)
    return (
      <p className="field-help device-facts">
        {hasWebGpu
          ? 'This browser offers WebGPU. The device is chosen when a scenario is opened.'
          : 'This browser offers no WebGPU, so training runs on the CPU: everything works there too.'}
      </p>
    );
  return (
    <dl className="device-facts">
      <dt>Computes on</dt>
      <dd>{device.kind === 'webgpu' ? 'WebGPU' : 'CPU'}</dd>
      <dt>Adapter</dt>
      <dd>{device.description}</dd>
      {device.reason !== undefined && (
        <>
          <dt>Why not WebGPU</dt>
          <dd>{device.reason}</dd>
        </>
      )}
      {bytes !== undefined && (
        <>
          <dt>Memory in buffers</dt>
          <dd className="mono">{formatBytes(bytes)}</dd>
        </>
      )}
    </dl>
  );
}

function DeviceChoice() {
  const executor = useSettings((state) => state.executor);
  const change = useSettings((state) => state.change);
  return (
    <label className="field">
      <span className="field-head">Train on</span>
      <select
        className="select"
        value={executor}
        onChange={({ target }) => change({ executor: target.value as ExecutorChoice })}
      >
        {CHOICES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <span className="field-help">A change builds the run anew, from its initial weights.</span>
    </label>
  );
}

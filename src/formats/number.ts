/** Numbers as people type and read them: decimal comma or point in, a fixed number of digits out. */

/** Reads one number; the decimal mark is a comma or a point, the sign a hyphen or a minus. Undefined: not a number. */
export function readNumber(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/\u2212/g, '-')
    .replace(',', '.');
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain))
    ? Number(plain)
    : undefined;
}

/** The shortest text that reads back as the same number, for a field: 0.00025 is 2.5e-4. */
export function writeNumber(value: number): string {
  const size = Math.abs(value);
  const plain = size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential().replace('e+', 'e') : String(value);
  return plain.replace(/^-/, '\u2212').replace(/e-/, 'e\u2212');
}

/** So many decimals, halves up; what a mean of floats is off by in the last place does not decide. */
export function formatFixed(value: number, decimals: number): string {
  const size = Number(Math.abs(value).toPrecision(12));
  const rounded = Math.round(Number(`${size}e${decimals}`)) / 10 ** decimals;
  return (value < 0 && rounded > 0 ? '\u2212' : '') + rounded.toFixed(decimals);
}

/** A read-out of three significant digits at most that keeps its width: 0.391, 12.4, 1.31 k, 6.03 M. */
export function formatFigure(value: number): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? '+∞' : '\u2212∞';
  const size = Math.abs(value);
  const sign = value < 0 ? '\u2212' : '';
  if (size === 0) return '0';
  if (size < 1e-3) return sign + size.toExponential(1).replace('e-', 'e\u2212');
  if (size < 0.1) return sign + size.toPrecision(2);
  if (size < 10) return formatFixed(value, 2);
  if (size < 100) return formatFixed(value, 1);
  if (size < 9999.5) return formatFixed(value, 0);
  return sign + formatCount(size);
}

/** Counts: whole below ten thousand, then with three digits and k, M, G, T. */
export function formatCount(value: number): string {
  if (Math.abs(value) < 9999.5) return String(Math.round(value));
  const units = ['k', 'M', 'G', 'T'];
  let scaled = value / 1e3;
  let unit = 0;
  while (Math.abs(scaled) >= 999.5 && unit < units.length - 1) {
    scaled /= 1e3;
    unit++;
  }
  if (Math.abs(scaled) >= 999.5) return value.toExponential(2).replace('e+', 'e');
  return `${scaled.toPrecision(3)} ${units[unit]}`;
}

/** Seconds of training: “4.2 s”, “3 min 20 s”, “1 h 5 min”. */
export function formatDuration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.round((whole % 3600) / 60)} min`;
}

/** How long to expect to wait: whole seconds, whole minutes. */
export function formatRoughly(seconds: number): string {
  if (seconds < 1) return 'under 1 s';
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Bytes in binary units, as a memory size is read. */
export function formatBytes(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** The bytes of a file that should hold text: tells UTF-8 from what else people open by mistake, by name. */

export type Decoded = { readonly text: string } | { readonly problem: string };

/** First bytes of files that get renamed or picked by mistake. */
const SIGNATURES: readonly { readonly name: string; readonly bytes: readonly (number | undefined)[] }[] = [
  { name: 'a PNG picture', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { name: 'a JPEG picture', bytes: [0xff, 0xd8, 0xff] },
  { name: 'a GIF picture', bytes: [0x47, 0x49, 0x46, 0x38] },
  { name: 'a PDF document', bytes: [0x25, 0x50, 0x44, 0x46] },
  { name: 'a ZIP archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'a gzip archive', bytes: [0x1f, 0x8b] },
  // A protobuf whose first field is ir_version and whose second is producer_name or a graph: onnx.proto3.
  { name: 'an ONNX model', bytes: [0x08, undefined, 0x12] },
];

/** Decodes UTF-8, with or without its byte order mark. */
export function decodeText(bytes: Uint8Array): Decoded {
  const kind = SIGNATURES.find((one) => one.bytes.every((byte, index) => byte === undefined || bytes[index] === byte));
  if (kind !== undefined) return { problem: `is ${kind.name}, not text` };
  if (isUtf16(bytes)) return { problem: 'is text in UTF-16; save it as UTF-8 and open it again' };
  const control = bytes.findIndex((byte) => byte < 9 || (byte > 13 && byte < 32));
  if (control >= 0) return { problem: `is a binary file, not text (byte ${control} is ${bytes[control]})` };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { problem: 'is not text in UTF-8' };
  }
}

/** By its byte order mark, or because every other byte of ASCII text in UTF-16 is 0. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const pairs = Math.min(bytes.length >> 1, 64);
  if (pairs < 2) return false;
  let even = 0;
  let odd = 0;
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[2 * pair] === 0) even++;
    if (bytes[2 * pair + 1] === 0) odd++;
  }
  return (even === pairs && odd === 0) || (odd === pairs && even === 0);
}

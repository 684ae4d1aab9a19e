/** The worker: commands in, events out; session.ts does the work. */
import type { Command, Event } from './protocol';
import { Session } from './session';

const session = new Session((event: Event) => self.postMessage(event), navigator.gpu as GPU | undefined);
self.onmessage = ({ data }: MessageEvent<Command>) => session.receive(data);

/** The worker: commands in, events out; session.ts does the work. */
import type { Command, Message } from './protocol';
import { Session } from './session';

const session = new Session((message: Message) => self.postMessage(message), navigator.gpu as GPU | undefined);
self.onmessage = ({ data }: MessageEvent<Command>) => session.receive(data);

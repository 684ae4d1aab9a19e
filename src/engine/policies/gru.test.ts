import { describe } from 'vitest';
import { GRU } from './gru';
import { describeSequencePolicy } from './sequence_contract';
import type { SequencePolicy } from './sequence_policies';

describe('GRU', () => describeSequencePolicy(GRU as unknown as SequencePolicy, { width: 5, embedding: 3 }));
describe('GRU of vectors', () => describeSequencePolicy(GRU as unknown as SequencePolicy, { width: 8, embedding: 4 }));

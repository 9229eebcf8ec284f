import { describe } from 'vitest';
import { conformance } from '../testing/broker-conformance.ts';
import { embeddedBroker } from '../testing/test-brokers.ts';

describe('the embedded broker by WebSocket', () => conformance(embeddedBroker, 'webSocketUrl'));

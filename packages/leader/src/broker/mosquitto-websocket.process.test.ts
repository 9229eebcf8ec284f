import { describe } from 'vitest';
import { conformance } from '../testing/broker-conformance.ts';
import { isMosquittoInstalled, mosquittoBroker } from '../testing/test-brokers.ts';

describe.skipIf(!isMosquittoInstalled)('Mosquitto by WebSocket (skipped where it is not installed)', () =>
  conformance(() => mosquittoBroker(), 'webSocketUrl'),
);

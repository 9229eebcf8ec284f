import { describe } from 'vitest';
import { conformance } from '../testing/broker-conformance.ts';
import { embeddedBroker } from '../testing/test-brokers.ts';

describe('the embedded broker over TCP', () => conformance(embeddedBroker, 'tcpUrl'));

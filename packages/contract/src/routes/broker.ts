import { BrokerCheck, BrokerCheckBody, BrokerSecurity } from '../resources/broker.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

/** An external broker. */
export const brokerRoutes = routes({
  makeBrokerSecurity: {
    method: 'POST',
    path: '/api/broker/dynamic_security',
    summary: 'Make the configuration of the dynamic-security plugin of Mosquitto from the accounts of this leader',
    description:
      'It contains the leader, units and tokens, with hashes of their secrets, and the rules by topic. It changes nothing, and is a POST so that the audit has it.',
    tag: 'Access',
    permission: 'people.write',
    responses: ok(BrokerSecurity),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  checkBroker: {
    method: 'POST',
    path: '/api/broker/check',
    summary: 'Check the external broker with the accounts of the leader and its units',
    description:
      'Connects to it, and publishes below `reactor/+/$experiment/broker_check/`. It takes seconds, or a minute with a broker that answers nothing. One check runs at a time; others wait.',
    tag: 'Access',
    permission: 'people.write',
    body: BrokerCheckBody,
    responses: ok(BrokerCheck),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
});

import { callerOf, tableIdentities } from '@lcs/domain';
import { describe } from 'vitest';
import { brokerAccessTests } from '../testing/broker-access-tests.ts';
import { embeddedBroker } from '../testing/test-brokers.ts';
import type { BrokerAccess } from './broker-access.ts';

const access: BrokerAccess = (_, account) => {
  if (account === undefined) return 'notAllowed';
  const { username: name } = account;
  const found = tableIdentities.find((identity) => identity.name === name && account.password === name);
  if (found === undefined) return 'wrongAccount';
  const identity = { kind: 'token', id: name, personId: '', name } as const;
  return { identity, owner: name, rights: () => rights.get(name) };
};
const rights = new Map(tableIdentities.map((identity) => [identity.name, callerOf(identity.rights)]));

describe('access to the embedded broker', () =>
  brokerAccessTests(async () => ({ ...(await embeddedBroker({ access })), readsPayloads: true })));

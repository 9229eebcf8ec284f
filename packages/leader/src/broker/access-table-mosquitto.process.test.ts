import { tableIdentities } from '@lcs/domain';
import { describe } from 'vitest';
import { brokerAccessTests } from '../testing/broker-access-tests.ts';
import { isMosquittoInstalled, mosquittoBroker } from '../testing/test-brokers.ts';
import { type BrokerAccount, dynamicSecurity } from './dynamic-security.ts';
import { mosquittoPassword } from './mosquitto-password.ts';

const account = async ({ name, rights }: (typeof tableIdentities)[number]): Promise<BrokerAccount> => ({
  username: name,
  description: name,
  password: await mosquittoPassword(name, 'secret'),
  may: rights,
});

describe.skipIf(!isMosquittoInstalled)('access to Mosquitto (skipped where it is not installed)', () =>
  brokerAccessTests(async () => {
    const security = dynamicSecurity(await Promise.all(tableIdentities.map(account)));
    const broker = await mosquittoBroker({ security, account: { username: 'leader', password: 'leader' } });
    return { ...broker, readsPayloads: false };
  }),
);

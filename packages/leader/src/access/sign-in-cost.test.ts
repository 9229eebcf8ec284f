import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, vi } from 'vitest';
import { errorOf, startTestLeader } from '../testing/test-leader.ts';
import { AccessControl } from './access-control.ts';

it('a sign-in with an unknown name, or of a disabled person, computes one hash at the same cost as that of a known one', async () => {
  await using leader = await startTestLeader();
  const cost = { memory: 8, passes: 1, parallelism: 1 };
  const tested = new AccessControl({ context: leader.context, cookieSuffix: 'lead', cost });
  await tested.start();
  const person = { role: 'administrator', password: 'three brown horses' } as const;
  await tested.createPerson({ ...person, name: 'ada' });
  const { id } = await tested.createPerson({ ...person, name: 'bert' });
  await tested.updatePerson(id, { is_disabled: true });
  const computed = vi.spyOn(crypto, 'argon2');
  syncBuiltinESMExports();
  const costOf = async (name: string, typed: string, access = tested) => {
    computed.mockClear();
    const origin = { address: `10.0.0.${name.length}`, userAgent: '' };
    expect(await errorOf(access.signIn(name, typed, origin))).toMatchObject({ code: 'sign_in_failed' });
    return computed.mock.calls.map(([algorithm, { memory, passes, parallelism }]) => ({
      algorithm,
      cost: { memory, passes, parallelism },
    }));
  };
  const known = await costOf('ada', 'wrong');
  expect(known).toEqual([{ algorithm: 'argon2id', cost }]);
  expect(await costOf('nobody', 'wrong')).toEqual(known);
  expect(await costOf('bert', person.password)).toEqual(known);
  // Tests choose a low cost; without a choice it is that of OWASP.
  const real = new AccessControl({ context: leader.context, cookieSuffix: 'real' });
  expect(await costOf('nobody', 'wrong', real)).toEqual([
    { algorithm: 'argon2id', cost: { memory: 19_456, passes: 2, parallelism: 1 } },
  ]);
  computed.mockRestore();
  syncBuiltinESMExports();
});

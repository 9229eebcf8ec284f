import { createClient, leaderApi } from '@lcs/contract';
import { signIn, startLeader } from '@lcs/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { observe } from '../../observe.ts';

const password = 'three brown horses';
const stolen = 'nine yellow birds';
const reset = 'seven white cats';

it('a new password of an administrator stands against changes under way of whoever knew the former one', async () => {
  const leader = await startLeader({ observe });
  onTestFinished(() => leader[Symbol.asyncDispose]());
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const client = createClient(leaderApi, { baseUrl: leader.url, headers: await signIn(leader.url, 'ada', password) });
  for (const name of ['mia', 'nina', 'otto', 'rosa', 'vera']) {
    const { person_id } = await client.createPerson({ body: { name, role: 'operator', password } });
    const headers = await signIn(leader.url, name, password);
    const change = leader.api.call('changeOwnPassword', { headers, body: { password, new_password: stolen } });
    const pin = leader.api.call('setPin', { headers, body: { password, pin: '4711' } });
    const person = await client.updatePerson({ params: { person_id }, body: { password: reset } });
    await Promise.all([change, pin]);
    expect(person.has_pin).toBe(false);
    const after = (await client.listPeople()).find((one) => one.name === name);
    expect(after).toMatchObject({ has_pin: false });
    await signIn(leader.url, name, reset);
  }
});

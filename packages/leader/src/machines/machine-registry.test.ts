import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { MachineRegistry } from './machine-registry.ts';
import type { MachineRecord } from './machine-store.ts';

const newKey = () => generateKeyPairSync('ed25519').privateKey;
const leaderKey = newKey();
const first: MachineRecord = {
  machineId: 'e5a1f2c9-0c7d-4f57-9a53-2b8f6f0a7d44',
  unit: 'unit1',
  publicKey: 'key-1',
  generation: 1,
  wantedGeneration: 1,
  enrolledAt: 0,
  revokedAt: null,
};
const local = { peerKey: undefined, isPlainLoopback: true };
const withKey = (peerKey: string | undefined) => ({ peerKey, isPlainLoopback: false });

async function startRegistry() {
  const { context, ...leader } = await startTestLeader();
  onTestFinished(() => leader[Symbol.asyncDispose]());
  const started = async (key = leaderKey) => {
    const registry = new MachineRegistry({ context, leaderKey: key });
    await registry.start();
    return registry;
  };
  const machines = await started();
  const ended: string[] = [];
  machines.onCredentialsEnd((unit) => ended.push(unit));
  const write = (machine: MachineRecord) =>
    context.change((transaction, effects) => machines.write(transaction, effects, machine));
  return { context, machines, started, ended, write };
}

describe('credentials of units', () => {
  it('differ by purpose, machine, generation and leader, are derived again after a restart, and are nowhere in the store', async () => {
    const { context, started, write } = await startRegistry();
    const { unit_token, leader_token, mqtt } = await write(first);
    const again = await started();
    const other = await started(newKey());
    expect(again.credentialsOf('unit1')).toEqual({ unit_token, leader_token, mqtt });
    const second = await write({ ...first, machineId: 'other', unit: 'unit2' });
    const rotated = await write({ ...first, generation: 2, wantedGeneration: 2 });
    const secrets = [unit_token, leader_token, mqtt.password, second.unit_token, rotated.unit_token];
    expect(new Set([...secrets, other.credentialsOf('unit1')?.unit_token]).size).toBe(6);
    const stored = JSON.stringify(await context.database.read.selectFrom('machines').selectAll().execute());
    for (const secret of secrets) expect(stored).not.toContain(secret);
  });

  it('identify their unit on loopback, and elsewhere only together with the key of the machine', async () => {
    const { machines, write } = await startRegistry();
    const { unit_token, leader_token } = await write(first);
    const unit = { kind: 'unit', id: first.machineId, name: 'unit1' };
    expect(machines.callerOf(unit_token, local)).toMatchObject(unit);
    expect(machines.callerOf(unit_token, withKey('key-1'))).toMatchObject(unit);
    expect(machines.callerOf(unit_token, withKey('key-2'))).toBeUndefined();
    expect(machines.callerOf(unit_token, withKey(undefined))).toBeUndefined();
    expect(machines.callerOf(leader_token, local)).toBeUndefined();
  });

  it('are an account at the broker, elsewhere only together with the key of the machine', async () => {
    const { machines, write } = await startRegistry();
    const { mqtt } = await write(first);
    expect(mqtt.username).toBe('unit:unit1');
    expect(machines.unitOfAccount(mqtt.username, mqtt.password, local)).toBe('unit1');
    expect(machines.unitOfAccount('unit:unit2', mqtt.password, local)).toBeUndefined();
    expect(machines.unitOfAccount('unit:constructor', mqtt.password, local)).toBeUndefined();
    expect(machines.unitOfAccount('unit1', mqtt.password, local)).toBeUndefined();
    expect(machines.unitOfAccount(mqtt.username, '', local)).toBeUndefined();
    expect(machines.unitOfAccount(mqtt.username, mqtt.password, withKey('key-1'))).toBe('unit1');
    expect(machines.unitOfAccount(mqtt.username, mqtt.password, withKey('key-2'))).toBeUndefined();
    expect(machines.unitOfAccount(mqtt.username, mqtt.password, withKey(undefined))).toBeUndefined();
  });

  it('end at once with a revocation, also for the next start, and with a rotation', async () => {
    const { machines, started, write, ended } = await startRegistry();
    const old = await write(first);
    const rotated = await write({ ...first, generation: 2, wantedGeneration: 2 });
    expect(ended).toEqual(['unit1']);
    expect(machines.callerOf(old.unit_token, local)).toBeUndefined();
    machines.forget(first.machineId, 5);
    expect(machines.callerOf(rotated.unit_token, local)).toBeUndefined();
    expect(machines.unitOfAccount(rotated.mqtt.username, rotated.mqtt.password, local)).toBeUndefined();
    expect(ended).toEqual(['unit1', 'unit1']);
    await write({ ...first, generation: 2, wantedGeneration: 2, revokedAt: 5 });
    expect((await started()).credentialsOf('unit1')).toBeUndefined();
    expect((await started()).ofUnit('unit1')).toMatchObject({ revokedAt: 5 });
  });

  it('end when another machine gets the name', async () => {
    const { machines, started, write } = await startRegistry();
    const old = await write(first);
    const next = await write({ ...first, machineId: 'replacement', publicKey: 'key-2', enrolledAt: 9 });
    for (const registry of [machines, await started()]) {
      expect(registry.callerOf(old.unit_token, local)).toBeUndefined();
      expect(registry.callerOf(next.unit_token, local)).toMatchObject({ id: 'replacement' });
    }
  });
});

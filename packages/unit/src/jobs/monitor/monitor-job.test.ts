import { board12 } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { testUnit } from '../test-unit.ts';
import type { HostNumbers, HostStatistics } from './host-statistics.ts';

const healthy: HostNumbers = {
  cpuCelsius: 50,
  diskFreeBytes: 100 * 2 ** 30,
  diskUsedPercent: 20,
  memoryUsedPercent: 30,
  loadPercent: 5,
};
const host = (numbers: () => Promise<HostNumbers>): HostStatistics => ({
  numbers,
  network: () => ({ ipv4: ['192.0.2.7'], wlanMac: undefined, ethMac: undefined }),
  versions: () => ({ app: '26.11.0', node: '24.21.0' }),
});

describe('monitor', () => {
  it('records the health of the unit under the cluster, and publishes who it is', async () => {
    await using unit = await testUnit({ devices: { host: host(async () => healthy) } });
    await unit.run('monitor');
    await unit.pass(1000);
    expect(unit.heard.values('supply_voltage')).toEqual([5, 5, 5, 5]);
    expect(unit.heard.values('disk_free')[0]).toBe(healthy.diskFreeBytes);
    expect(unit.heard.setting('monitor/ipv4')).toBe('192.0.2.7');
    expect(unit.runtime.running({ jobName: 'monitor' })[0]?.origin.experiment).toBe('$experiment');
    expect(unit.heard.logs).toEqual([]);
  });

  it('warns of low power, a full disk and a hot computer once in twelve hours', async () => {
    const numbers = async () => ({ ...healthy, cpuCelsius: 85, diskFreeBytes: 2 ** 30 });
    const faults = [{ fault: 'supply_low', fromS: 0, untilS: 1e9 }] as const;
    await using unit = await testUnit({ devices: { host: host(numbers) }, vial: { faults } });
    await unit.run('monitor');
    await unit.pass(3600);
    expect(unit.heard.logs).toEqual([
      expect.stringContaining('power supply'),
      expect.stringContaining('Only 1.0 GiB'),
      expect.stringContaining('85 ℃'),
    ]);
    expect(unit.heard.values('supply_voltage')[0]).toBe(4.6);
  });

  it('watches on when a chip and the computer itself do not answer', async () => {
    let isSilent = true;
    const numbers = async () => {
      if (isSilent) throw new Error('no such file');
      return healthy;
    };
    await using unit = await testUnit({ devices: { host: host(numbers) } });
    unit.board.i2c.silence(board12.ledDriver.address);
    await unit.run('monitor');
    await unit.pass(400);
    expect(unit.heard.logs.filter((line) => line.startsWith('ERROR'))).toHaveLength(2);
    isSilent = false;
    unit.board.i2c.restore(board12.ledDriver.address);
    await unit.pass(400);
    expect(unit.heard.logs.filter((line) => line.startsWith('NOTICE'))).toHaveLength(2);
    expect(unit.heard.values('supply_voltage').length).toBeGreaterThan(0);
  });

  it('calls out when the heater is hot although nobody heats', async () => {
    const faults = [{ fault: 'heater_stuck_on', fromS: 60, untilS: 1e9 }] as const;
    await using unit = await testUnit({ devices: { host: host(async () => healthy) }, vial: { faults } });
    await unit.run('monitor');
    await unit.pass(3600);
    expect(unit.heard.logs).toEqual([expect.stringMatching(/^ERROR .*although nobody heats/)]);
  });

  it('takes over versions of what it knows', async () => {
    await using unit = await testUnit({ devices: { host: host(async () => healthy) } });
    await unit.run('monitor');
    await unit.runtime.update({ jobName: 'monitor' }, { versions: { app: '26.12.0', other: '1' } }, 'http');
    await unit.pass(1);
    expect(unit.heard.setting('monitor/versions')).toEqual({ app: '26.12.0', node: '24.21.0' });
  });
});

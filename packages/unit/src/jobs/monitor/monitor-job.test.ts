import { SeededStream } from '@lcs/domain';
import { board12, type KernelFiles } from '@lcs/hardware';
import type { HostNumbers, HostStatistics } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { testUnit } from '../../testing/test-unit.ts';

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
  versions: async () => ({ app: '26.11.0', node: '24.21.0', rpi_machine: 'Raspberry Pi 4 Model B Rev 1.4' }),
  isUnderVoltage: async () => undefined,
});

describe('monitor', () => {
  it('records the health of the unit under the cluster, and publishes who it is', async () => {
    await using unit = await testUnit({ devices: { host: host(async () => healthy) } });
    await unit.run('monitor');
    await unit.pass(1000);
    expect(unit.recorded.values('supply_voltage')).toEqual([5, 5, 5, 5]);
    expect(unit.recorded.values('disk_free')[0]).toBe(healthy.diskFreeBytes);
    expect(unit.recorded.setting('monitor/ipv4')).toBe('192.0.2.7');
    expect(unit.runtime.running({ jobName: 'monitor' })[0]?.origin.experiment).toBe('$experiment');
    expect(unit.recorded.logs).toEqual([]);
  });

  it('warns of low power, a full disk and a hot computer once in twelve hours', async () => {
    const numbers = async () => ({ ...healthy, cpuCelsius: 85, diskFreeBytes: 2 ** 30 });
    const faults = [{ fault: 'supply_low', fromS: 0, untilS: 1e9 }] as const;
    await using unit = await testUnit({ devices: { host: host(numbers) }, vial: { faults } });
    await unit.run('monitor');
    await unit.pass(3600);
    expect(unit.recorded.logs).toEqual([
      expect.stringContaining('power supply'),
      expect.stringContaining('Only 1.0 GiB'),
      expect.stringContaining('85 °C'),
    ]);
    expect(unit.recorded.values('supply_voltage')[0]).toBe(4.6);
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
    expect(unit.recorded.logCount('ERROR')).toBe(2);
    isSilent = false;
    unit.board.i2c.restore(board12.ledDriver.address);
    await unit.pass(400);
    expect(unit.recorded.logCount('NOTICE')).toBe(2);
    expect(unit.recorded.values('supply_voltage').length).toBeGreaterThan(0);
  });

  it('logs a hot heater although no job heats', async () => {
    const faults = [{ fault: 'heater_stuck_on', fromS: 60, untilS: 1e9 }] as const;
    await using unit = await testUnit({ devices: { host: host(async () => healthy) }, vial: { faults } });
    await unit.run('monitor');
    await unit.pass(3600);
    expect(unit.recorded.logs).toHaveLength(1);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
  });

  /** Files of a device tree, by path. */
  const treeOf = (files: Readonly<Record<string, string>>): KernelFiles => ({
    list: async () => [],
    read: async (file) => {
      const text = files[file];
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return new TextEncoder().encode(`${text}\0`);
    },
    write: async () => {},
  });

  it('publishes the readable versions of board and computer', async () => {
    const deviceTree = treeOf({
      'hat/vendor': 'Pioreactor Inc.',
      'hat/product_id': '0x0001',
      'hat/product_ver': '0x0012',
      'hat/uuid': 'a-serial',
    });
    await using unit = await testUnit({
      devices: { host: host(async () => healthy), deviceTree, isSimulated: false },
    });
    await unit.run('monitor');
    await unit.pass(1);
    expect(unit.recorded.setting('monitor/versions')).toMatchObject({
      hat: '1.2',
      hat_serial: 'a-serial',
      firmware: '0.5',
      rpi_machine: 'Raspberry Pi 4 Model B Rev 1.4',
    });
  });

  it('publishes no firmware of a controller that does not respond', async () => {
    await using unit = await testUnit({ devices: { host: host(async () => healthy), deviceTree: treeOf({}) } });
    unit.board.i2c.silence(board12.ledDriver.address);
    await unit.run('monitor');
    await unit.pass(1);
    expect(unit.recorded.setting('monitor/versions')).toMatchObject({ app: '26.11.0', firmware: null });
  });

  it('takes over versions of what it knows', async () => {
    await using unit = await testUnit({ devices: { host: host(async () => healthy), deviceTree: treeOf({}) } });
    await unit.run('monitor');
    await unit.pass(1);
    await unit.runtime.update({ jobName: 'monitor' }, { versions: { app: '26.12.0', other: '1' } }, 'http');
    await unit.pass(1);
    expect(unit.recorded.setting('monitor/versions')).toEqual({
      app: '26.12.0',
      node: '24.21.0',
      timestamp: expect.stringMatching(/Z$/),
      hat: null,
      hat_serial: null,
      firmware: '0.5',
      rpi_machine: 'Raspberry Pi 4 Model B Rev 1.4',
    });
  });

  it('trusts a computer’s report of a good supply, and shows a code for a fault', async () => {
    const shown: number[] = [];
    let isLow = false;
    const faults = [{ fault: 'supply_low', fromS: 0, untilS: 1e9 }] as const;
    const own = { ...host(async () => ({ ...healthy, diskFreeBytes: 2 ** 30 })), isUnderVoltage: async () => isLow };
    await using unit = await testUnit({
      devices: { host: own, showFault: (code) => shown.push(code), brokerReached: () => false },
      vial: { faults },
    });
    await unit.run('monitor');
    await unit.pass(30);
    expect(shown).toEqual([2, 3]);
    isLow = true;
    await unit.pass(60);
    expect(shown).toContain(7);
    expect(unit.recorded.logs).not.toEqual([]);
  });

  it('logs that the computer has no address', async () => {
    const shown: number[] = [];
    const own = { ...host(async () => healthy), network: () => ({ ipv4: [], wlanMac: undefined, ethMac: undefined }) };
    await using unit = await testUnit({ devices: { host: own, showFault: (code) => shown.push(code) } });
    await unit.run('monitor');
    await unit.pass(10);
    expect(shown).toEqual([1]);
    expect(unit.recorded.logs).toHaveLength(1);
  });

  it('switches the computer off within a minute when the heater is beyond its limit, also while a job heats', async () => {
    let isOff = 0;
    const faults = [{ fault: 'heater_stuck_on', fromS: 60, untilS: 1e9 }] as const;
    await using unit = await testUnit({
      devices: {
        host: host(async () => healthy),
        powerOff: async () => {
          isOff += 1;
          return true;
        },
      },
      vial: { faults },
    });
    await unit.run('temperature_automation', { options: { automation_name: 'only_record_temperature' } });
    await unit.run('monitor');
    let hotAtS = Number.POSITIVE_INFINITY;
    let offAtS = Number.POSITIVE_INFINITY;
    for (let atS = 0; atS < 7200; atS += 10) {
      await unit.pass(10);
      unit.plant.boardCelsius(unit.clock.monotonic());
      if (unit.plant.vial.state.thermal.heaterC >= 85) hotAtS = Math.min(hotAtS, atS);
      if (isOff > 0) offAtS = Math.min(offAtS, atS);
    }
    expect(hotAtS).toBeLessThan(7200);
    expect(offAtS - hotAtS).toBeLessThanOrEqual(70);
    expect(unit.recorded.logs).not.toEqual([]);
  });

  /** A unit whose board is at room temperature, and how often its computer was switched off. */
  async function watched(readCelsius: (reading: number) => number | Promise<number>) {
    let isOff = 0;
    const unit = await testUnit({
      devices: {
        host: host(async () => healthy),
        powerOff: async () => {
          isOff += 1;
          return true;
        },
      },
    });
    let reading = 0;
    Object.assign(unit.devices.boardTemperature, {
      readCelsius: async () => {
        reading += 1;
        return readCelsius(reading);
      },
    });
    await unit.run('monitor');
    return { unit, timesOff: () => isOff };
  }
  const isLarge = 110;

  it.each<[string, (reading: number) => number]>([
    ['single hot readings', (reading) => (reading % 3 === 0 ? isLarge : 25)],
    ['four hot readings in a row', (reading) => (reading % 5 === 0 ? 25 : isLarge)],
    ['hot readings that do not agree', (reading) => (reading % 2 === 0 ? 70 : isLarge)],
    ['no numbers, and no temperatures', (reading) => (reading % 2 === 0 ? Number.NaN : 127.9375)],
  ])('leaves the computer on for %s', async (_name, readCelsius) => {
    const { unit, timesOff } = await watched(readCelsius);
    await using _ = unit;
    await unit.pass(4 * 3600);
    expect(timesOff()).toBe(0);
    expect(unit.recorded.logCount('ERROR')).toBe(0);
  });

  it('leaves the computer on for days while its sensor gives any numbers', async () => {
    const random = new SeededStream(7);
    const { unit, timesOff } = await watched(() => -128 + 256 * random.uniform());
    await using _ = unit;
    await unit.pass(2 * 86_400);
    expect(timesOff()).toBe(0);
  });

  it('switches the computer off within ten seconds of a look when every third reading of a hot board is disturbed', async () => {
    const { unit, timesOff } = await watched((reading) => (reading % 3 === 0 ? -128 : 90));
    await using _ = unit;
    await unit.pass(10);
    expect(timesOff()).toBeGreaterThan(0);
  });

  it('records a pressed button, and lights the status light until its release', async () => {
    const edges: number[][] = [];
    const watched: string[] = [];
    const lit: boolean[] = [];
    const button = {
      line: 4,
      gpio: {
        watch: async (_line: number, edge: string, bias?: string) => void watched.push(`${edge} ${bias}`),
        takeEdges: async () => edges.shift() ?? [],
        unwatch: async () => void watched.push('none'),
      },
      light: (isOn: boolean) => void lit.push(isOn),
    };
    await using unit = await testUnit({
      config: { 'monitor.config': { enable_button: 'true' } },
      devices: { host: host(async () => healthy), button },
    });
    await unit.run('monitor');
    await unit.pass(1);
    expect(unit.recorded.setting('monitor/button_down')).toBe(false);
    edges.push([1]);
    await unit.pass(0.5);
    expect(unit.recorded.setting('monitor/button_down')).toBe(true);
    edges.push([2]);
    await unit.pass(0.5);
    expect(unit.recorded.setting('monitor/button_down')).toBe(false);
    edges.push([3]);
    await unit.pass(12);
    expect(unit.recorded.setting('monitor/button_down')).toBe(false);
    expect(lit).toEqual([true, false, true, false]);
    await unit.stop('monitor');
    // The line of a button that nobody holds is low.
    const [pressed, released] = ['rising pull-down', 'falling pull-down'];
    expect(watched).toEqual([pressed, released, pressed, released, pressed, 'none']);
  });
});

import type { JobDefinition } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../test-unit.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { DoseWatch } from './dose-watch.ts';

/** Gives 1 mL every three minutes and takes as much out, and watches. */
const washing = (devices: UnitDevices): JobDefinition => ({
  name: 'washing',
  settings: {},
  options: {},
  isActuating: true,
  stopGroup: 'automations',
  start: (context) => {
    const pumps = devices.pumps.of(context);
    const { signal } = new AbortController();
    new DoseWatch(context, pumps.volumeMl).begin();
    context.repeat(180_000, async () => {
      const both = { amount: { volumeMl: 1 }, because: { origin: 'test' }, sourceOfEvent: 'test' };
      await pumps.dose(context, { pump: 'media', ...both }, signal);
      await pumps.dose(context, { pump: 'waste', ...both }, signal);
    });
    return {};
  },
});

async function washed(faults: readonly { fault: 'media_dry'; fromS: number; untilS: number }[]) {
  const unit = await testUnit({
    vial: { ...quietVial, faults, effluxMl: 14 },
    start: { volumeMl: 14, od: 1, reservoirMl: 1000 },
    oversampling: 'closed_form',
    alsoJobs: (devices) => [washing(devices)],
  });
  await unit.run('stirring');
  await unit.run('od_reading');
  await unit.pass(120);
  await unit.run('washing');
  await unit.pass(1800);
  return unit;
}

describe('a watch over doses', () => {
  it('is silent while the culture thins as it must', async () => {
    await using unit = await washed([]);
    expect(unit.heard.events.filter(({ name }) => name === 'dose_implausible')).toEqual([]);
    expect(unit.plant.state(unit.clock.monotonic()).vial.state.ledger.media).toBeGreaterThan(8);
  });

  it('says that a pump brings air: once, after three doses', async () => {
    await using unit = await washed([{ fault: 'media_dry', fromS: 0, untilS: 1e9 }]);
    const told = unit.heard.events.filter(({ name }) => name === 'dose_implausible');
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('3 doses in a row did not show in the optical density');
    expect(Number(told[0]?.data.od_after)).toBeGreaterThan(Number(told[0]?.data.od_expected));
    expect(unit.heard.logs.filter((line) => line.startsWith('WARNING 3 doses'))).toHaveLength(1);
  });
});

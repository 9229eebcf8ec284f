import { describe, expect, it } from 'vitest';
import { drawRun } from './draw-run.ts';
import { exampleCulture, exampleInput } from './example-input.ts';

const { text } = exampleInput();
const progress = () => {};

describe('a draw of a rehearsal', () => {
  it('carries out the profile on vials, by the jobs and the runner of real runs', async () => {
    const shares: number[] = [];
    const run = await drawRun({ input: exampleInput(), draw: 0 }, (share) => shares.push(share));
    expect(run.findings).toEqual([]);
    expect(run.endedHours).toBeCloseTo(2, 1);
    const outcomes = run.actions.filter(({ unit }) => unit === 'rx01').map(({ job, outcome }) => `${job} ${outcome}`);
    expect(outcomes).toEqual([
      'stirring done',
      'od_reading done',
      'add_media held',
      'add_media done',
      'remove_waste done',
    ]);
    const [first] = run.units;
    const dense = run.actions.find(({ outcome }) => outcome === 'held')?.atHours ?? 0;
    // ln(1.5) / (0.75/h times the share of the room's temperature).
    expect(dense).toBeGreaterThan(0.5);
    expect(dense).toBeLessThan(2);
    // Runs of a pump differ by 2 %.
    expect(Math.abs((first?.values.media_used.at(-1) ?? 0) - 2)).toBeLessThan(0.16);
    expect(first?.values.volume.at(-1)).toBeCloseTo(12, 0);
    expect(shares.at(-1)).toBeGreaterThan(0.5);
  });

  it('is the same for the same seed, and another one for another draw', async () => {
    const short = exampleInput({ hours: 0.3 });
    const [one, again, other] = [
      await drawRun({ input: short, draw: 1 }, progress),
      await drawRun({ input: short, draw: 1 }, progress),
      await drawRun({ input: short, draw: 2 }, progress),
    ];
    expect(again).toEqual(one);
    expect(other.units[0]?.values.od.at(-1)).not.toBe(one.units[0]?.values.od.at(-1));
  });

  it('finds that a condition does not come true, and at what the profile waits', async () => {
    const never = text.replace('dense: 0.15', 'dense: 5');
    const { endedHours, findings } = await drawRun(
      { input: exampleInput({ text: never, hours: 1 }), draw: 0 },
      progress,
    );
    expect(endedHours).toBeNull();
    expect(findings).toMatchObject([
      { severity: 'error', code: 'not_finished', unit: 'rx01' },
      { severity: 'error', code: 'not_finished', unit: 'rx02' },
    ]);
    expect(findings[0]?.message).toContain('common.jobs.add_media.actions[0]');
  });

  it('has units with random parameters beside the expected ones in its first draw', async () => {
    const various = { ...exampleCulture, initialOd: 0.1, initialOdSpread: 0.5 };
    const only = exampleInput({ hours: 0.05, seed: 3, typicalUnits: ['rx01'] }, { culture: various });
    const { units } = await drawRun({ input: only, draw: 0 }, progress);
    const [typical = 0, random = 0] = units.map(({ values }) => values.od.at(-1) ?? 0);
    expect(Math.abs(typical - 0.1)).toBeLessThan(0.01);
    expect(Math.abs(random - 0.1)).toBeGreaterThan(0.01);
  });

  it('returns as many actions and findings as are shown, however many there are', async () => {
    const often = `experiment_profile_name: often
version: "1.0"
common:
  jobs:
    stirring:
      actions:
        - type: repeat
          t: 0s
          every: 6s
          actions:
            - {type: start, t: 1s, options: {target_rpm: -3}}
`;
    const frequent = exampleInput({ text: often, hours: 0.4 });
    const [first, other] = [
      await drawRun({ input: frequent, draw: 0 }, progress),
      await drawRun({ input: frequent, draw: 1 }, progress),
    ];
    expect(first.actions.filter(({ unit }) => unit === 'rx02')).toHaveLength(200);
    // Of the others only conditions are summarised.
    expect(other.actions).toEqual([]);
    const failed = other.findings.filter(({ code }) => code === 'action_failed');
    expect(failed.map(({ unit }) => unit)).toEqual(['rx01', 'rx02']);
  });

  it('finds an empty bottle, and an action that fails', async () => {
    const thirsty = exampleInput({ hours: 1.9 }, { bottleMl: 1 });
    const { findings } = await drawRun({ input: thirsty, draw: 0 }, progress);
    expect(findings.map(({ code, unit }) => `${code} ${unit}`)).toContain('media_bottle_empty rx01');
    const impossible = text.replace('target_rpm: 500', 'target_rpm: -3');
    const refused = await drawRun({ input: exampleInput({ text: impossible, hours: 0.1 }), draw: 0 }, progress);
    expect(refused.findings.map(({ code }) => code)).toContain('action_failed');
  });
});

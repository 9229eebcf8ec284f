import { createHash } from 'node:crypto';
import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;
/** Duty of each PWM channel, in nanoseconds. */
const duties = new Map<number, number>();

beforeEach(async () => {
  duties.clear();
  leader = await startStandInLeader();
  unit = await startUnit({
    leaderUrl: leader.url,
    observe,
    configure: {
      board: {
        kind: 'here',
        seed: 1,
        between: (buses) => {
          const { pwm } = buses;
          return {
            ...buses,
            pwm: {
              exportChannel: (channel) => pwm.exportChannel(channel),
              setPeriod: (channel, ns) => pwm.setPeriod(channel, ns),
              setDuty: (channel, ns) => {
                duties.set(channel, ns);
                return pwm.setDuty(channel, ns);
              },
              setEnabled: (channel, isOn) => pwm.setEnabled(channel, isOn),
            },
          };
        },
      },
    },
  });
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const file = (text: string, version: number) => ({
  version,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
});
const configured = (text: string, version: number) =>
  leader.put(unit.url, {
    experiment: testExperiment,
    config: { shared: file(text, version), own: file('', 1) },
  });
/** As the node itself starts jobs: how often people may ask is counted in real seconds. */
const stirs = () => unit.node.jobs.runOwn('stirring', {});
const on = () => [...duties].filter(([, ns]) => ns > 0).map(([channel]) => channel);

it('follows the labels of the configuration when no job runs', async () => {
  await configured('[PWM]\n1=media\n3=stirring\n', 1);
  await stirs();
  await unit.clock.advance(5_000);
  expect(on()).toEqual([3]);
  await configured('[PWM]\n1=stirring\n3=media\n', 2);
  await unit.clock.advance(5_000);
  expect(on()).toEqual([3]);
  await unit.finished((await unit.api.call('stopAllJobs')).expect(202));
  expect(on()).toEqual([]);
  await stirs();
  await unit.clock.advance(5_000);
  expect(on()).toEqual([1]);
});

it('drives no output whose label several outputs have', async () => {
  await configured('[PWM]\n1=stirring\n2=stirring\n', 1);
  // It fails when it begins to drive.
  await stirs();
  await unit.clock.advance(5_000);
  expect([on(), unit.node.jobs.running({ jobName: 'stirring' })]).toEqual([[], []]);
});

import { type LiveJob, localCaller } from '@lcs/contract';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { LiveHub } from '../live/live-hub.ts';
import { RecentStops } from './recent-stops.ts';

const job = (reactor_unit: string, job_id: number, job_name: string, more: Partial<LiveJob> = {}): LiveJob => ({
  reactor_unit,
  experiment: 'yeast',
  job_name,
  job_id,
  state: 'ready',
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
  ...more,
});

const everything = { what: 'everything', experiment: null, reactor_units: null } as const;
const pumps = { ...everything, what: 'pumps' } as const;
const ada = { ...localCaller, kind: 'person', name: 'ada' } as const;

async function recentStops(running: readonly LiveJob[]) {
  const clock = new VirtualClock();
  const live = new LiveHub({
    wire: clock,
    log: memoryLog(),
    run: 'run1',
    snapshot: async () => {
      throw new Error('No page is connected.');
    },
  });
  const stops = new RecentStops({ live, jobs: () => running, clock });
  await stops.start();
  const publish = ({ settings: _, ...change }: LiveJob) => live.publish('job', change.reactor_unit, change);
  const told: number[] = [];
  live.listen((name) => name === 'stops' && told.push(stops.list().length));
  return { stops, live, publish, told, clock };
}

it('knows who stopped what, with the jobs that ran before: pumps first, then everything', async () => {
  const dosing = job('rx1', 2, 'dosing_automation');
  const running = [job('rx1', 1, 'stirring'), dosing, job('rx1', 3, 'monitor', { experiment: '$experiment' })];
  const { stops, told } = await recentStops(running);
  stops.add(stops.before(pumps), 'first', ada);
  running.splice(1, 1);
  stops.add(stops.before(everything), 'second', localCaller);
  expect(stops.list()).toMatchObject([
    { stop_id: 'first', by: 'ada', ...pumps, jobs: [{ job_name: 'dosing_automation' }] },
    { stop_id: 'second', by: 'user', ...everything, jobs: [{ job_name: 'stirring' }] },
  ]);
  expect(told).toEqual([1, 2]);
});

it('contains only the jobs of its experiment and units, and the profile that has planned their ends', async () => {
  const running = [
    job('rx1', 1, 'stirring'),
    job('rx2', 1, 'stirring'),
    job('rx3', 1, 'stirring', { experiment: 'other' }),
    job('lead', 1, 'experiment_profile'),
  ];
  const { stops } = await recentStops(running);
  stops.add(stops.before({ what: 'everything', experiment: 'yeast', reactor_units: ['rx2'] }), 'one', ada);
  expect(stops.list()[0]?.jobs.flatMap(({ reactor_units }) => reactor_units)).toEqual(['rx2', 'lead']);
});

it('is forgotten when something is started on a unit that it stopped, by whomever', async () => {
  const running = [job('rx1', 7, 'stirring'), job('rx2', 3, 'stirring')];
  const { stops, publish, told } = await recentStops(running);
  stops.add(stops.before({ ...everything, reactor_units: ['rx1'] }), 'one', ada);
  stops.add(stops.before({ ...everything, reactor_units: ['rx2'] }), 'two', ada);
  // Their own end, what the node itself does, and other units.
  publish(job('rx1', 7, 'stirring', { state: 'disconnected' }));
  publish(job('rx1', 7, 'stirring'));
  publish(job('rx1', 9, 'monitor', { experiment: '$experiment' }));
  publish(job('rx3', 8, 'stirring'));
  expect(stops.list()).toHaveLength(2);
  publish(job('rx1', 8, 'stirring', { state: 'init' }));
  expect(stops.list().map(({ stop_id }) => stop_id)).toEqual(['two']);
  expect(told).toEqual([1, 2, 1]);
  await stops.stop();
  publish(job('rx2', 8, 'stirring'));
  expect(stops.list()).toHaveLength(1);
});

it('loses only the units on which something of what it stopped, or another automation, is started; a dose by hand is no start', async () => {
  const running = ['rx1', 'rx2', 'rx3'].flatMap((unit) => [
    job(unit, 1, 'dosing_automation'),
    job(unit, 2, 'add_media'),
  ]);
  const { stops, publish } = await recentStops(running);
  stops.add(stops.before(pumps), 'one', ada);
  const units = () => [...new Set(stops.list().flatMap(({ jobs }) => jobs.flatMap((each) => each.reactor_units)))];
  publish(job('rx1', 5, 'add_media', { state: 'init' }));
  publish(job('rx1', 6, 'remove_waste'));
  publish(job('rx1', 7, 'stirring'));
  expect(units()).toEqual(['rx1', 'rx2', 'rx3']);
  publish(job('rx1', 8, 'dosing_automation'));
  expect(units()).toEqual(['rx2', 'rx3']);
  publish(job('rx2', 8, 'temperature_automation', { state: 'init' }));
  expect(units()).toEqual(['rx3']);
  publish(job('rx3', 8, 'dosing_automation'));
  expect(stops.list()).toEqual([]);
});

it('loses what a profile plans when a profile is started in its experiment', async () => {
  const others = { experiment: 'other' };
  const running = [job('lead', 1, 'experiment_profile'), job('rx1', 1, 'stirring'), job('rx2', 1, 'stirring', others)];
  const { stops, publish } = await recentStops(running);
  stops.add(stops.before(everything), 'one', ada);
  publish(job('lead', 9, 'experiment_profile'));
  expect(stops.list().flatMap(({ jobs }) => jobs.flatMap((each) => each.reactor_units))).toEqual(['rx2']);
});

it('offers no job of an experiment that has ended or was deleted, and none of a unit that has left', async () => {
  const running = ['rx1', 'rx2', 'rx3'].map((unit, at) => job(unit, at, 'stirring'));
  const other = { experiment: 'other' };
  const { stops, live, told } = await recentStops([...running, job('rx4', 4, 'stirring', other)]);
  const units = () => stops.list().map(({ jobs }) => jobs.flatMap(({ reactor_units }) => reactor_units));
  stops.add(stops.before(everything), 'one', ada);
  live.publish('assignment', 'rx1', { reactor_unit: 'rx1', experiment: 'other', is_active: 1 });
  live.publish('assignment', 'rx2', { reactor_unit: 'rx2', experiment: 'yeast', is_active: 0 });
  expect(units()).toEqual([['rx2', 'rx3', 'rx4']]);
  live.publish('worker_deleted', 'rx3', { reactor_unit: 'rx3' });
  expect(units()).toEqual([['rx2', 'rx4']]);
  const experiment = {
    experiment: 'yeast',
    created_at: '2026-05-01T09:14:03.120Z',
    description: '',
    worker_count: 1,
    tags: [],
    delta_hours: 1,
  };
  live.publish('experiment', 'yeast', experiment);
  expect(units()).toEqual([['rx2', 'rx4']]);
  live.publish('experiment', 'yeast', { ...experiment, ended_at: '2026-05-02T10:00:00.000Z' });
  expect(units()).toEqual([['rx4']]);
  // An experiment of the same name may be created now.
  live.publish('experiment_deleted', 'other', other);
  expect(units()).toEqual([]);
  expect(told).toEqual([1, 1, 1, 1, 0]);
});

it('an order that ended nothing replaces none that did, and is forgotten at the next start', async () => {
  const running = [job('rx1', 1, 'stirring')];
  const { stops, publish } = await recentStops(running);
  stops.add(stops.before(everything), 'one', ada);
  running.splice(0);
  for (let repeated = 0; repeated < 20; repeated += 1) stops.add(stops.before(everything), `again ${repeated}`, ada);
  expect(stops.list().map(({ stop_id }) => stop_id)).toEqual(['one', 'again 19']);
  publish(job('rx2', 7, 'stirring'));
  expect(stops.list().map(({ stop_id }) => stop_id)).toEqual(['one']);
});

it('of hundreds of units is small: the same job of many units is one entry, without what it has measured', async () => {
  const units = Array.from({ length: 200 }, (_, index) => `reactor-${index}`);
  const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.4, exchange_volume_ml: 1 };
  const running = units.flatMap((unit, index) => [
    job(unit, 1, 'stirring', { settings: { target_rpm: 500, measured_rpm: 500 + index, duty_cycle: index } }),
    job(unit, 2, 'od_reading', { settings: { interval: 5, ods: { 2: index } } }),
    job(unit, 3, 'growth_rate_calculating', { settings: { growth_rate: index / 100 } }),
    job(unit, 4, 'temperature_automation', {
      settings: {
        automation_name: 'thermostat',
        target_temperature: 30,
        temperature: { temperature: 30 + index / 1e3 },
      },
    }),
    job(unit, 5, 'dosing_automation', { settings: { ...turbidostat, latest_event: { at: index } } }),
  ]);
  const { stops } = await recentStops(running);
  stops.add(stops.before(everything), 'one', ada);
  const [stop] = stops.list();
  expect(stop?.jobs.map(({ job_name, reactor_units }) => [job_name, reactor_units.length])).toEqual(
    ['stirring', 'od_reading', 'growth_rate_calculating', 'temperature_automation', 'dosing_automation'].map((name) => [
      name,
      200,
    ]),
  );
  expect(stop?.jobs[4]?.settings).toEqual(turbidostat);
  expect(JSON.stringify(stops.list()).length).toBeLessThan(20_000);
});

it('of a profile has what ran in its experiment, and forgets what ends long after it', async () => {
  const running = [job('rx1', 1, 'stirring'), job('rx1', 2, 'dosing_automation'), job('lead', 1, 'experiment_profile')];
  const { stops, publish, clock } = await recentStops(running);
  stops.add(stops.before({ what: 'profile', experiment: 'yeast', reactor_units: null }), 'profile-7', ada);
  const names = () => stops.list().map(({ jobs }) => jobs.map(({ job_name }) => job_name));
  publish(job('rx1', 2, 'dosing_automation', { state: 'disconnected' }));
  expect(names()).toEqual([['stirring', 'dosing_automation']]);
  await clock.advance(120_000);
  publish(job('rx1', 1, 'stirring', { state: 'disconnected' }));
  expect(names()).toEqual([['dosing_automation']]);
});

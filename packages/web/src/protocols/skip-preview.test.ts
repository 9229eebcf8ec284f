import type { PlannedAction, ProfileRunDetails } from '@lcs/contract';
import { expect, it } from 'vitest';
import { actionsByPath } from './run-words.ts';
import { isLeftOutBy, skipPreview, waitingSkip } from './skip-preview.ts';

type Waiting = ProfileRunDetails['waiting'][number];

const startMs = Date.parse('2026-05-02T09:00:00.000Z');
const action = (
  job_name: string,
  type: string,
  hours: number,
  options: PlannedAction['options'] = {},
  depends_on: string | null = null,
): PlannedAction => ({
  job_name,
  action: type,
  options,
  depends_on,
  at_s: hours * 3600,
  path: `${job_name}.${type}.${hours}`,
  iteration: 0,
  condition: null,
  line: 1,
  column: 1,
});
const turbidostat = { automation_name: 'turbidostat', biomass_signal: 'normalized_od', target_biomass: 1 };
const stirring = action('stirring', 'pause', 0.5);
const reading = action('od_reading', 'start', 1);
const growth = action('growth_rate_calculating', 'start', 1.5);
const dosing = action('dosing_automation', 'start', 2, turbidostat);
const actions = [stirring, reading, growth, dosing];
const known = actionsByPath({ units: [{ reactor_unit: 'unit1', label: null, is_truncated: false, actions }] });

const waitingOf = (isPaused: boolean, units = ['rx01', 'rx02']): readonly Waiting[] =>
  actions.flatMap(({ path, iteration, job_name, action: type, at_s }) =>
    units.map((reactor_unit) => ({
      reactor_unit,
      path,
      iteration,
      job_name,
      action: type,
      planned_at: isPaused ? null : new Date(startMs + 1000 * at_s).toISOString(),
    })),
  );
const targetIn = (waiting: readonly Waiting[]): Waiting => {
  const found = waiting.find(({ path }) => path === dosing.path);
  if (found === undefined) throw new Error('no dosing');
  return found;
};
const none = (): boolean => false;

it.each([false, true])('a move names each step that it leaves out, but not pauses (paused: %s)', (isPaused) => {
  const waiting = waitingOf(isPaused);
  const { leftOut } = skipPreview(waiting, targetIn(waiting), known, none);
  expect(leftOut.map(({ units, text }) => [units.length, text])).toEqual([
    [2, 'Start OD reading'],
    [2, 'Start growth rate'],
  ]);
});

it('what lacks a job whose start is left out is warned about, unless the job runs', () => {
  const waiting = waitingOf(false);
  const { warnings } = skipPreview(waiting, targetIn(waiting), known, none);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.units).toEqual(['rx01', 'rx02']);
  expect(warnings[0]?.text).toMatch(/OD reading|growth rate/);
  const running = skipPreview(waiting, targetIn(waiting), known, (unit) => unit === 'rx01');
  expect(running.warnings.map(({ units }) => units)).toEqual([['rx02']]);
});

it('a wait that is left out takes its steps along; a change of what is not started is warned about', () => {
  const wait = action('od_reading', 'when', 0);
  const inner = action('od_reading', 'start', 0.1, {}, wait.path);
  const change = action('od_reading', 'update', 3, { interval: 5 });
  const plan = actionsByPath({
    units: [{ reactor_unit: 'unit1', label: null, is_truncated: false, actions: [wait, inner, change] }],
  });
  const [first, last] = [wait, change].map(({ path, iteration, job_name, action: type, at_s }) => ({
    reactor_unit: 'rx01',
    path,
    iteration,
    job_name,
    action: type,
    planned_at: new Date(startMs + 1000 * at_s).toISOString(),
  }));
  if (first === undefined || last === undefined) throw new Error('no steps');
  const { leftOut, warnings } = skipPreview([first, last], last, plan, none);
  expect(leftOut).toHaveLength(2);
  expect(warnings).toHaveLength(1);
});

it('a skip in a pause waits until the run is resumed', () => {
  const waiting = waitingOf(true, ['rx01']);
  const target = targetIn(waiting);
  const at = new Date(startMs).toISOString();
  const change = (kind: string, item: Waiting | null = null) => ({
    at,
    kind,
    account: null,
    item: item && { reactor_unit: item.reactor_unit, path: item.path, iteration: item.iteration },
  });
  const run = (changes: ReturnType<typeof change>[], is_paused = true) =>
    waitingSkip({ is_paused, asks_about: null, changes, waiting });
  expect(run([change('paused'), change('skipped', target)])).toBe(target);
  expect(run([change('paused'), change('skipped', target)], false)).toBeUndefined();
  expect(run([change('skipped', target), change('resumed'), change('paused')])).toBeUndefined();
  expect(waiting.map((item) => isLeftOutBy(target, item, waiting, known))).toEqual([false, true, true, false]);
  expect(waiting.map((item) => isLeftOutBy(undefined, item, waiting, known))).not.toContain(true);
});

import { ProblemError, type ProfileRunAction, type ProfileRunDetails } from '@lcs/contract';
import { expect, it } from 'vitest';
import { ProfileWatcher, type RunEvent } from './profile-watcher.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const item = (n: number) => ({
  reactor_unit: 'rx01',
  job_name: 'stirring',
  path: `a[${n}]`,
  iteration: 0,
  action: 'stop',
});
const action = (n: number): ProfileRunAction => ({
  ...item(n),
  planned_at: at(n),
  settled_at: at(n),
  outcome: 'done',
  reason: null,
});
const state = (change: Partial<ProfileRunDetails>): ProfileRunDetails => ({
  run_id: 'r',
  started_at: at(0),
  experiment_profile_name: 'p',
  experiment: 'e',
  profile_filename: 'p.yaml',
  dry_run: false,
  ended_at: null,
  outcome: null,
  started_by: null,
  failed_actions: 0,
  profile_text: '',
  common_units: ['rx01'],
  own_units: [],
  is_paused: false,
  asks_about: null,
  preflight: null,
  waiting: [],
  waiting_count: 0,
  ...change,
});

/** Watches a run that is like this at each poll; `done`: its actions; an error: the leader is away. */
async function watched(polls: readonly (readonly [ProfileRunDetails | Error, done: number])[]) {
  const left = [...polls];
  const events: RunEvent[] = [];
  const remarks: string[] = [];
  let now = left[0];
  const outcome = await new ProfileWatcher({
    clock: { sleep: async () => {} },
    run: async () => {
      now = left.shift();
      if (now === undefined || now[0] instanceof Error) throw now?.[0] ?? new Error('It was asked too often.');
      return now[0];
    },
    actions: async (limit) =>
      Array.from({ length: now?.[1] ?? 0 }, (_, index) => action(index))
        .reverse()
        .slice(0, limit),
    show: (event) => events.push(event),
    status: () => {},
    remark: (text) => remarks.push(text),
  }).watch(new AbortController().signal);
  return { outcome, events, remarks };
}
const shown = (events: readonly RunEvent[]) =>
  events.map((event) => {
    if (event.event === 'action') return event.path;
    if (event.event === 'next') return `next ${event.path} +${event.others}`;
    return event.event === 'state' ? event.state : event.outcome;
  });

it('shows each action once, what is next, pauses, and the end', async () => {
  const waiting = [1, 2, 3].map((n) => ({ ...item(n), planned_at: at(n === 3 ? 9 : 5) }));
  const { outcome, events } = await watched([
    [state({ waiting }), 1],
    [state({ waiting }), 1],
    [state({ waiting: waiting.slice(1), is_paused: true }), 2],
    [state({ waiting: waiting.slice(1) }), 2],
    [state({ outcome: 'finished', ended_at: at(10) }), 4],
  ]);
  expect(outcome).toBe('finished');
  expect(shown(events)).toEqual([
    'a[0]',
    'running',
    'next a[1] +1',
    'a[1]',
    'paused',
    'next a[2] +0',
    'running',
    'a[2]',
    'a[3]',
    'finished',
  ]);
});

it('shows all actions after a time in which the leader was away', async () => {
  const away = ProblemError.noAnswer('/', new Error('closed'));
  const { events, remarks } = await watched([
    [state({}), 50],
    [away, 0],
    [away, 0],
    [state({}), 400],
    [state({ outcome: 'stopped', ended_at: at(10) }), 400],
  ]);
  // The first 30 were done before.
  expect(events.filter(({ event }) => event === 'action')).toHaveLength(370);
  expect(remarks).toEqual([expect.stringContaining('not reachable'), 'connected again']);
});

it('does not wait for a leader that was never there', async () => {
  await expect(watched([[ProblemError.noAnswer('/', new Error('refused')), 0]])).rejects.toThrow(ProblemError);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram, startProgram } from '@lcs/cli/testing';
import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { plantOf, pumpYaml, whileTimePasses } from '../routes/calibration-fixtures.ts';

const lcs = (url: string, ...args: string[]) => runProgram([...args, '--url', url]);

/** With typed input, line by line. */
const lcsTyped = (url: string, typed: () => AsyncIterable<string>, ...args: string[]) =>
  runProgram([...args, '--url', url], { input: typed });

it('stores, shows, uses and deletes calibrations', async () => {
  await using leader = await startLeader();
  await using unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1' } });
  const file = join(unit.dataFolder, 'mine.yaml');
  await writeFile(file, pumpYaml('mine'));
  const calibrations = (...args: string[]) => lcs(leader.url, 'calibrations', ...args);
  const stored = await calibrations('store', 'all', 'media_pump', file, '--active');
  expect(stored).toMatchObject({ code: 0, out: 'unit1: stored, and in use.\n' });
  const listed = await calibrations();
  expect(listed.out).toMatch(/unit1 +media_pump +mine +active +simple_peristaltic_pump +2026-11-20 +2/);
  expect((await calibrations('list', '--device', 'od90')).out).not.toContain('mine');
  const shown = await calibrations('show', 'unit1', 'media_pump', 'mine', '--json');
  expect(JSON.parse(shown.out)).toMatchObject({ unit1: { ok: true, value: { hz: 250, is_active: true } } });
  expect(await calibrations('deactivate', 'unit1', 'media_pump')).toMatchObject({ code: 0 });
  expect(await calibrations('activate', 'unit1', 'media_pump', 'mine')).toMatchObject({ code: 0 });
  expect(await calibrations('delete', 'unit1', 'media_pump', 'mine')).toMatchObject({
    out: expect.stringContaining('mine'),
  });
  const missing = await calibrations('activate', 'unit1', 'media_pump', 'mine');
  expect(missing).toMatchObject({ code: 1, out: expect.stringContaining('media_pump has no calibration mine') });
  expect(await calibrations('store', 'unit1', 'media_pump', './nothing.yaml')).toMatchObject({ code: 1 });
});

async function* linesOf(lines: readonly (string | (() => string))[]): AsyncIterable<string> {
  for (const line of lines) yield typeof line === 'string' ? line : line();
}

it('calibrates a pump in a session at a terminal, with the volumes of a scale', async () => {
  await using leader = await startLeader();
  await using unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  await leader.client.registerWorker({
    body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' },
  });
  const session = (typed: readonly (string | (() => string))[], ...args: string[]) =>
    whileTimePasses(
      unit,
      lcsTyped(leader.url, () => linesOf(typed), 'calibrations', 'session', 'unit1', ...args),
    );
  const offered = await lcs(leader.url, 'calibrations', 'protocols', 'unit1');
  expect(offered.out).toMatch(/unit1 +media_pump +duration_based +Calibrate media pump/);
  expect(offered.out).toMatch(/unit1 +unit +self_test +Self-test/);

  const opened = await session(['', '', '', '', 'a,b'], 'media_pump', 'duration_based');
  expect(opened).toMatchObject({ code: 1, err: expect.stringContaining('--resume') });
  expect(opened.out).toContain('It must be numbers, separated by commas.');
  const [, id = ''] = /--resume (\S+)/.exec(opened.err) ?? [];

  let before = 0;
  const pumped = () => plantOf(unit).vial.state.ledger.media;
  const weighs = () => {
    const ml = pumped() - before;
    before = pumped();
    return ml.toFixed(3);
  };
  const tares = () => {
    before = pumped();
    return '';
  };
  // The line after one that starts a pump is read while the pump runs: it may be "stop".
  const runs = Array.from({ length: 10 }, () => [tares, '', weighs]).flat();
  const walked = await session(['1', '', '', '', '15', '', '0.09', ...runs], '--resume', id);
  expect(walked.err).toBe('');
  expect(walked).toMatchObject({ code: 0, out: expect.stringContaining('The result is stored and in use.') });
  expect((await lcs(leader.url, 'calibrations')).out).toMatch(/unit1 +media_pump +media_pump-\S+ +active/);

  const json = await session(['{}', '{"is_placed": true}', '"abort"'], 'media_pump', 'priming', '--json');
  const envelopes = json.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(envelopes.map(({ step }) => step.step_id)).toEqual(['intro', 'place_tubes', 'fill', 'ended']);
  expect(json.code).toBe(1);
  const unknown = await lcs(leader.url, 'calibrations', 'abort', 'unit1', '00000000-0000-4000-8000-000000000000');
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('no such calibration session') });
}, 60_000);

it('cancels the session when the program is interrupted: the pump stops at once', async () => {
  await using leader = await startLeader();
  await using unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  await leader.client.registerWorker({
    body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' },
  });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ model: { state: 'applied' } }),
    10_000,
  );
  const over = Promise.withResolvers<void>();
  async function* typed() {
    for (const line of ['{}', '{"is_placed": true}', '{"seconds": 60}']) yield line;
    // Then the input ends.
    await over.promise;
  }
  const args = ['calibrations', 'session', 'unit1', 'media_pump', 'priming', '--json', '--url', leader.url];
  const program = startProgram(args, { input: typed });
  const pumped = () => {
    plantOf(unit).state(unit.clock.monotonic());
    return plantOf(unit).vial.state.ledger.media;
  };
  await whileTimePasses(
    unit,
    vi.waitFor(() => expect(pumped()).toBeGreaterThan(0.2), { timeout: 20_000, interval: 5 }),
  );
  program.signal('SIGINT');
  expect(await whileTimePasses(unit, program.ended)).toBe(1);
  const stoppedAt = pumped();
  await unit.clock.advance(60_000);
  expect(pumped()).toBe(stoppedAt);
  // It was asked to run for a minute.
  expect(stoppedAt).toBeLessThan(3);
  expect(program.written.err).toContain('The session is cancelled.');
  const [first = ''] = program.written.out.split('\n');
  const { session_id } = JSON.parse(first).session;
  const { session } = await unit.client.getUnitCalibrationSession({ params: { session_id } });
  expect(session).toMatchObject({ status: 'aborted' });
  over.resolve();
}, 60_000);

import { DatabaseSync } from 'node:sqlite';
import { createClient, unitApi, waitForTask } from '@lcs/contract';
import { readWitness } from '@lcs/hardware';
import { realClock } from '@lcs/platform';
import { endBoard, outputsOn, startStandInLeader, startUnitProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';

const wire = realClock();

it('leaves its outputs safe within a second of its kill, and resumes its jobs after the next start', async () => {
  const folder = await temporaryFolder('killed-unit');
  // Gone last: the socket of the board is in it.
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await using leader = await startStandInLeader();
  const dataFolder = `${folder.path}/unit`;
  const witnessPath = `${folder.path}/witness`;
  const start = () => startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
  onTestFinished(() => endBoard(`${dataFolder}/run/board.sock`));
  const first = await start();
  onTestFinished(() => first.kill('SIGKILL'));
  await leader.put(first.url);
  const client = createClient(unitApi, { baseUrl: first.url });
  for (const job of ['stirring', 'od_reading']) {
    const accepted = await client.runJob({ params: { job }, body: {} });
    expect(await waitForTask(first.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) })).toMatchObject({
      status: 'succeeded',
    });
  }
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toContain('pwm1'), 10_000);
  const before = await leader.read(first.url, { wait: 2_000 });
  const killedAt = Date.now();
  await first.kill('SIGKILL');
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual([]), { timeout: 3_000, interval: 20 });
  const changes = readWitness(witnessPath).filter((entry) => entry.kind === 'output' && entry.at > killedAt);
  for (const { at } of changes) expect(at - killedAt).toBeLessThan(1_000);

  const second = await start();
  onTestFinished(() => second.kill('SIGKILL'));
  await leader.put(second.url);
  const again = createClient(unitApi, { baseUrl: second.url });
  await vi.waitFor(
    async () => {
      const running = await again.listRunningJobs();
      const ready = running.filter(({ state }) => state === 'ready').map(({ job_name }) => job_name);
      expect(ready).toEqual(expect.arrayContaining(['stirring', 'od_reading']));
    },
    { timeout: 15_000, interval: 100 },
  );
  await vi.waitFor(async () => {
    const { resume } = await again.getDesired();
    expect(resume).toMatchObject({ resumed: expect.arrayContaining(['stirring', 'od_reading']) });
  }, 10_000);
  // Its log entry is on disk a moment later.
  const after = await vi.waitFor(async () => {
    const read = await leader.read(second.url, { after: before.head_seq, epoch: before.epoch, wait: 2_000 });
    expect(read.records).toContainEqual(expect.objectContaining({ kind: 'event', name: 'jobs_resumed' }));
    return read;
  }, 10_000);
  expect(after).toMatchObject({ epoch: before.epoch, boot: before.boot + 1 });
  expect(after.records).toContainEqual(expect.objectContaining({ kind: 'state', job_name: 'stirring', state: 'lost' }));
  // Start and end of the interruption, and the resumed jobs.
  const started = after.records.find((record) => record.kind === 'event' && record.name === 'node_started');
  const reported = started?.kind === 'event' ? started.data : {};
  expect(reported).toMatchObject({ boot: before.boot + 1, clean: false });
  expect(Number(reported.last_record_at)).toBeGreaterThan(killedAt - 10_000);
  expect(Number(reported.last_record_at)).toBeLessThan(killedAt + 100);
  expect(started?.at).toBeGreaterThan(killedAt);
  const warned = { kind: 'log', level: 'WARNING', message: expect.stringContaining('was not stopped but cut off') };
  expect(after.records).toContainEqual(expect.objectContaining(warned));
  const resumed = after.records.find((record) => record.kind === 'event' && record.name === 'jobs_resumed');
  expect(resumed).toMatchObject({
    data: { resumed: expect.arrayContaining(['stirring', 'od_reading']), held: [], off: [] },
  });

  const stoppingAt = performance.now();
  await second.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(performance.now() - stoppingAt).toBeLessThan(5_000);
  expect(outputsOn(witnessPath)).toEqual([]);
  // Its last record: the next start detects that this was not a crash.
  using outbox = new DatabaseSync(`${dataFolder}/storage/outbox.sqlite`, { readOnly: true });
  const { body } = outbox.prepare('select body from outbox_records order by seq desc limit 1').get() ?? {};
  expect(JSON.parse(String(body))).toMatchObject({
    name: 'node_stopped',
    data: { boot: before.boot + 1, clean: true },
  });
}, 60_000);

it('leaves a calibration at its step when it is killed during a run of the pump, and repeats nothing', async () => {
  const folder = await temporaryFolder('killed-calibration');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await using leader = await startStandInLeader();
  const dataFolder = `${folder.path}/unit`;
  const witnessPath = `${folder.path}/witness`;
  const start = () => startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
  onTestFinished(() => endBoard(`${dataFolder}/run/board.sock`));
  const first = await start();
  onTestFinished(() => first.kill('SIGKILL'));
  await leader.put(first.url);
  const client = createClient(unitApi, { baseUrl: first.url });
  const job = 'pump_calibration';
  const known = { calibration_name: 'tube 7', mls_to_calibrate_for: [1], hz: 250, dc: 100, prime_duration_s: 60 };
  const accepted = await client.runJob({
    params: { job },
    body: { options: { device: 'media_pump', ...known } },
  });
  await waitForTask(first.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
  for (let step = 0; step < 4; step += 1)
    await client.updateJobSettings({ params: { job_name: job }, body: { settings: { answer: 'next' } } });
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual(['pwm2']), 10_000);
  const { settings } = await client.getJobSettings({ params: { job_name: job } });
  const params = { session_id: String(settings.session_id) };
  const killedAt = Date.now();
  await first.kill('SIGKILL');
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual([]), { timeout: 3_000, interval: 20 });
  const changes = readWitness(witnessPath).filter((entry) => entry.kind === 'output' && entry.at > killedAt);
  for (const { at } of changes) expect(at - killedAt).toBeLessThan(1_000);

  const second = await start();
  onTestFinished(() => second.kill('SIGKILL'));
  await leader.put(second.url);
  const again = createClient(unitApi, { baseUrl: second.url });
  // What goes on after a restart has been decided.
  await vi.waitFor(async () => {
    const { resume } = await again.getDesired();
    expect(resume).toMatchObject({ resumed: [] });
  }, 10_000);
  expect((await again.listRunningJobs()).map(({ job_name }) => job_name)).not.toContain(job);
  expect(outputsOn(witnessPath)).toEqual([]);
  const { session, step } = await again.getUnitCalibrationSession({ params });
  expect(session).toMatchObject({ status: 'in_progress', step_id: 'prime_pump_duration' });
  expect(step?.metadata.notice).toContain('Filling the tubes');
  const next = await again.runJob({ params: { job }, body: { options: { session: session.session_id } } });
  await waitForTask(second.url, next, { sleep: (delayMs) => wire.sleep(delayMs) });
  await again.updateJobSettings({ params: { job_name: job }, body: { settings: { answer: 60 } } });
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual(['pwm2']), 10_000);
  await again.stopJobs({ body: { job_name: job } });
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual([]), 5_000);
  await second.kill('SIGTERM');
}, 60_000);
